// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IDiamond } from "../../contracts/interfaces/IDiamond.sol";
import { AccountConfigTest } from "../utils/AccountConfigTest.sol";

/// @notice The loupe functions agree with each other, and what is routed is what the interface declares.
contract LoupeTest is AccountConfigTest {
    function test_RoutedSelectorsAreTheInterfaces() external view {
        bytes4[] memory declared = selectorsOf("IAccountConfig");
        uint256 routed;
        IDiamond.Facet[] memory facets = accountConfig.facets();
        for (uint256 i; i < facets.length; ++i) {
            routed += facets[i].functionSelectors.length;
        }
        vm.assertEq(routed, declared.length);
        for (uint256 i; i < declared.length; ++i) {
            vm.assertTrue(
                accountConfig.facetAddress(declared[i]) != address(0), vm.toString(bytes32(declared[i]))
            );
        }
    }

    function test_FacetsAgree() external view {
        IDiamond.Facet[] memory facets = accountConfig.facets();
        address[] memory addresses = accountConfig.facetAddresses();
        vm.assertEq(addresses.length, facets.length);
        vm.assertEq(facets.length, facetNames().length);
        for (uint256 i; i < facets.length; ++i) {
            vm.assertEq(addresses[i], facets[i].facetAddress);
            bytes4[] memory selectors = accountConfig.facetFunctionSelectors(addresses[i]);
            vm.assertEq(keccak256(abi.encode(selectors)), keccak256(abi.encode(facets[i].functionSelectors)));
            vm.assertTrue(addresses[i].code.length != 0);
            for (uint256 j; j < selectors.length; ++j) {
                vm.assertEq(accountConfig.facetAddress(selectors[j]), addresses[i]);
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

    function test_RevertWhen_CalldataIsEmpty() external {
        (bool ok, bytes memory result) = _call("", 0);
        vm.assertFalse(ok);
        vm.assertEq(result, abi.encodeWithSelector(IDiamond.FunctionNotFound.selector, bytes4(0)));
    }

    /// Rule 13: no ETH, neither plain nor with a call.
    function test_RevertWhen_EthIsSent() external {
        vm.deal(address(this), 10 ether);
        (bool ok,) = _call("", 1);
        vm.assertFalse(ok);
        (ok,) = _call(abi.encodeCall(IDiamond.owner, ()), 1);
        vm.assertFalse(ok);
        (ok,) = _call(abi.encodeWithSignature("newChainSecuredAccount(string,string)", NAME, NAME), 1);
        vm.assertFalse(ok);
        vm.assertEq(address(accountConfig).balance, 0);
    }
}
