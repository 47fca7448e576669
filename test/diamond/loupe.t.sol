// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IDiamond } from "../../contracts/interfaces/IDiamond.sol";
import { CallingFacet, NewFacet, NewerFacet } from "../mocks/Facets.sol";
import { AccountConfigTest } from "../utils/AccountConfigTest.sol";

/// @notice The loupe functions agree with each other, and the routes are those that the interface declares.
contract LoupeTest is AccountConfigTest {
    /// How often a selector is listed by `facets`.
    mapping(bytes4 selector => uint256) private _listed;
    /// The routes that a test expects, and the selectors that it knows.
    mapping(bytes4 selector => address) private _expected;
    bytes4[] private _known;
    mapping(bytes4 selector => bool) private _isKnown;
    /// The diamond's own functions, which random cuts do not change.
    mapping(bytes4 selector => bool) private _isDiamonds;

    function setUp() public override {
        super.setUp();
        string[] memory names = facetNames();
        address[] memory addresses = accountConfig.facetAddresses();
        for (uint256 i; i < names.length; ++i) {
            bytes4[] memory selectors = selectorsOf(names[i]);
            for (uint256 j; j < selectors.length; ++j) {
                _expect(selectors[j], addresses[i]);
            }
        }
        _keep("IDiamondCutFacet");
        _keep("IDiamondLoupeFacet");
    }

    /// @notice Excludes the functions of this facet from random cuts.
    function _keep(string memory facet) private {
        bytes4[] memory selectors = selectorsOf(facet);
        for (uint256 i; i < selectors.length; ++i) {
            _isDiamonds[selectors[i]] = true;
        }
    }

    function _expect(bytes4 selector, address facet) private {
        _expected[selector] = facet;
        if (_isKnown[selector]) return;
        _known.push(selector);
        _isKnown[selector] = true;
    }

    /// @notice The four functions return the expected routes, each once, and nothing else.
    function _assertRoutes() private {
        IDiamond.Facet[] memory facets = accountConfig.facets();
        address[] memory addresses = accountConfig.facetAddresses();
        vm.assertEq(addresses.length, facets.length);
        for (uint256 i; i < facets.length; ++i) {
            bytes4[] memory selectors = facets[i].functionSelectors;
            vm.assertEq(addresses[i], facets[i].facetAddress);
            vm.assertEq(
                keccak256(abi.encode(accountConfig.facetFunctionSelectors(addresses[i]))),
                keccak256(abi.encode(selectors))
            );
            vm.assertLt(0, selectors.length);
            for (uint256 j; j < i; ++j) {
                vm.assertNotEq(addresses[i], addresses[j]);
            }
            for (uint256 j; j < selectors.length; ++j) {
                vm.assertEq(_expected[selectors[j]], addresses[i]);
                ++_listed[selectors[j]];
            }
        }
        for (uint256 i; i < _known.length; ++i) {
            bytes4 selector = _known[i];
            vm.assertEq(accountConfig.facetAddress(selector), _expected[selector]);
            vm.assertEq(_listed[selector], _expected[selector] == address(0) ? 0 : 1);
            delete _listed[selector];
        }
    }

    function test_AfterDeployment() external {
        _assertRoutes();
        vm.assertEq(accountConfig.facetAddresses().length, facetNames().length);
    }

    /// Routes of random functions are added, replaced and removed, up to three in one cut.
    /// forge-config: default.fuzz.runs = 32
    function testFuzz_AfterCuts(uint256 seed) external {
        address[3] memory facets =
            [address(new NewFacet()), address(new NewerFacet()), address(new CallingFacet())];
        for (uint256 i; i < 6; ++i) {
            IDiamond.FacetCut[] memory cuts = new IDiamond.FacetCut[](1 + seed % 3);
            for (uint256 j; j < cuts.length; ++j) {
                seed = uint256(keccak256(abi.encode(seed)));
                cuts[j] = _randomCut(seed, facets[seed / 8 % 3]);
            }
            by(owner).diamondCut(cuts, address(0), "");
            _assertRoutes();
        }
    }

    /// @notice Returns a cut that is valid on the expected routes, and applies it to them.
    function _randomCut(uint256 seed, address facet) private returns (IDiamond.FacetCut memory cut) {
        cut.functionSelectors = new bytes4[](1);
        // A function of the interface, or one of 16 others.
        bytes4 selector = seed % 2 == 0 ? _known[seed / 128 % _known.length] : bytes4(uint32(seed / 128 % 16));
        if (_isDiamonds[selector]) selector = bytes4(uint32(seed / 128 % 16));
        address old = _expected[selector];
        if (old == address(0)) {
            (cut.action, cut.facetAddress) = (IDiamond.FacetCutAction.Add, facet);
        } else if (old == facet || seed / 2 % 2 == 0) {
            cut.action = IDiamond.FacetCutAction.Remove;
        } else {
            (cut.action, cut.facetAddress) = (IDiamond.FacetCutAction.Replace, facet);
        }
        cut.functionSelectors[0] = selector;
        _expect(selector, cut.facetAddress);
    }

    /// The interface declares exactly the functions that are routed.
    function test_RoutesAreTheInterfaces() external {
        bytes4[] memory declared = selectorsOf("IAccountConfig");
        for (uint256 i; i < declared.length; ++i) {
            vm.assertTrue(
                accountConfig.facetAddress(declared[i]) != address(0), vm.toString(bytes32(declared[i]))
            );
            _listed[declared[i]] = 1;
        }
        IDiamond.Facet[] memory facets = accountConfig.facets();
        for (uint256 i; i < facets.length; ++i) {
            for (uint256 j; j < facets[i].functionSelectors.length; ++j) {
                bytes4 selector = facets[i].functionSelectors[j];
                vm.assertEq(_listed[selector], 1, vm.toString(bytes32(selector)));
            }
        }
    }

    function test_Strangers() external view {
        vm.assertEq(accountConfig.facetFunctionSelectors(stranger).length, 0);
        vm.assertEq(accountConfig.facetAddress(0x12345678), address(0));
    }

    function test_SupportsInterface() external view {
        vm.assertTrue(accountConfig.supportsInterface(0x01ffc9a7), "ERC-165");
        vm.assertTrue(accountConfig.supportsInterface(0x1f931c1c), "diamond cut");
        vm.assertTrue(accountConfig.supportsInterface(0x48e2b093), "diamond loupe");
        vm.assertTrue(accountConfig.supportsInterface(0x7f5828d0), "ERC-173");
        vm.assertFalse(accountConfig.supportsInterface(0x00000000));
        vm.assertFalse(accountConfig.supportsInterface(0xffffffff));
        vm.assertFalse(accountConfig.supportsInterface(0x12345678));
    }

    // ----------------------------------------------------------------------------------------------- fallback

    function _call(bytes memory data, uint256 value) private returns (bool ok, bytes memory result) {
        return address(accountConfig).call{ value: value }(data);
    }

    function testFuzz_RevertWhen_SelectorIsUnknown(bytes4 selector, bytes calldata rest) external {
        vm.assume(accountConfig.facetAddress(selector) == address(0));
        (bool ok, bytes memory result) = _call(bytes.concat(selector, rest), 0);
        vm.assertFalse(ok);
        vm.assertEq(result, abi.encodeWithSelector(IDiamond.FunctionNotFound.selector, selector));
    }

    /// The missing bytes of a selector are zeros.
    function testFuzz_RevertWhen_CalldataIsShort(bytes3 data, uint256 length) external {
        length = 1 + length % 3;
        bytes memory short = new bytes(length);
        for (uint256 i; i < length; ++i) {
            short[i] = data[i];
        }
        vm.assume(accountConfig.facetAddress(bytes4(short)) == address(0));
        (bool ok, bytes memory result) = _call(short, 0);
        vm.assertFalse(ok);
        vm.assertEq(result, abi.encodeWithSelector(IDiamond.FunctionNotFound.selector, bytes4(short)));
    }

    function test_RevertWhen_CalldataIsEmpty() external {
        (bool ok, bytes memory result) = _call("", 0);
        vm.assertFalse(ok);
        vm.assertEq(result, abi.encodeWithSelector(IDiamond.FunctionNotFound.selector, bytes4(0)));
    }

    /// Rule 13: no ETH, neither plain nor with a call of any function.
    function test_RevertWhen_EthIsSent() external {
        vm.deal(address(this), 10 ether);
        bytes4[] memory selectors = selectorsOf("IAccountConfig");
        for (uint256 i; i <= selectors.length + 1; ++i) {
            bytes memory data = i < selectors.length ? bytes.concat(selectors[i], new bytes(1000)) : bytes("");
            if (i > selectors.length) data = hex"12345678";
            (bool ok, bytes memory result) = _call(data, 1);
            vm.assertFalse(ok);
            vm.assertEq(result, "");
        }
        vm.assertEq(address(accountConfig).balance, 0);
    }

    function test_RevertWhen_EthIsSentAtCreation() external {
        vm.deal(address(this), 10 ether);
        bytes memory arguments = abi.encode(owner, new IDiamond.FacetCut[](0));
        bytes memory code = bytes.concat(vm.getCode(artifact("AccountConfig")), arguments);
        address free;
        address paid;
        // memory-safe: reads the code.
        assembly ("memory-safe") {
            free := create(0, add(code, 32), mload(code))
            paid := create(1, add(code, 32), mload(code))
        }
        vm.assertNotEq(free, address(0));
        vm.assertEq(paid, address(0));
    }
}
