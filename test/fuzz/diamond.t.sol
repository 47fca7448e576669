// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IAccountConfig } from "../../contracts/interfaces/IAccountConfig.sol";
import { IDiamond } from "../../contracts/interfaces/IDiamond.sol";
import { IDiamondCutFacet } from "../../contracts/interfaces/IDiamondCutFacet.sol";
import { IDiamondLoupeFacet } from "../../contracts/interfaces/IDiamondLoupeFacet.sol";
import { NewFacet, NewerFacet } from "../mocks/Facets.sol";
import { AccountConfigTest } from "../utils/AccountConfigTest.sol";
import { Random } from "../utils/Random.sol";

/// @notice diamondCut, facets, facetFunctionSelectors, facetAddresses, facetAddress, supportsInterface, owner, pendingOwner,
/// transferOwnership, acceptOwnership.
contract DiamondFuzzTest is AccountConfigTest, Random {
    /// The model: the facet that serves a selector.
    mapping(bytes4 selector => address) private route;
    bytes4[] private known;
    address[2] private newFacets;

    function setUp() public override {
        super.setUp();
        newFacets = [address(new NewFacet()), address(new NewerFacet())];
        IDiamond.Facet[] memory facets = accountConfig.facets();
        for (uint256 i; i < facets.length; ++i) {
            for (uint256 j; j < facets[i].functionSelectors.length; ++j) {
                bytes4 selector = facets[i].functionSelectors[j];
                // Kept, because a diamond without these can neither be cut nor checked.
                if (
                    selector == IDiamondCutFacet.diamondCut.selector
                        || selector == IDiamondLoupeFacet.facets.selector
                        || selector == IDiamondLoupeFacet.facetAddress.selector
                        || selector == IDiamondLoupeFacet.facetAddresses.selector
                        || selector == IDiamondLoupeFacet.facetFunctionSelectors.selector
                ) continue;
                known.push(selector);
                route[selector] = facets[i].facetAddress;
            }
        }
        for (uint32 i; i < 20; ++i) {
            known.push(bytes4(0xaa000000 + i));
        }
    }

    /// Any sequence of cuts: each is refused or made as in the model, and the loupe agrees with the model.
    function testFuzz_diamondCut(uint256 seed_) external {
        seed = seed_;
        for (uint256 i; i < 20; ++i) {
            _cut();
        }
        uint256 total;
        for (uint256 i; i < known.length; ++i) {
            vm.assertEq(accountConfig.facetAddress(known[i]), route[known[i]]);
            if (route[known[i]] != address(0)) ++total;
        }
        IDiamond.Facet[] memory facets = accountConfig.facets();
        address[] memory addresses = accountConfig.facetAddresses();
        vm.assertEq(facets.length, addresses.length);
        uint256 listed;
        for (uint256 i; i < facets.length; ++i) {
            vm.assertEq(facets[i].facetAddress, addresses[i]);
            bytes4[] memory selectors = accountConfig.facetFunctionSelectors(addresses[i]);
            vm.assertEq(keccak256(abi.encode(selectors)), keccak256(abi.encode(facets[i].functionSelectors)));
            listed += selectors.length;
            for (uint256 j; j < selectors.length; ++j) {
                vm.assertEq(accountConfig.facetAddress(selectors[j]), addresses[i]);
            }
        }
        vm.assertEq(listed, total + 5);
    }

    function _cut() private {
        IDiamond.FacetCut[] memory cuts = new IDiamond.FacetCut[](1);
        bytes4 selector = known[random(known.length)];
        cuts[0].functionSelectors = new bytes4[](1);
        cuts[0].functionSelectors[0] = selector;
        cuts[0].action = IDiamond.FacetCutAction(random(3));
        uint256 facet = random(4);
        if (facet < 2) cuts[0].facetAddress = newFacets[facet];
        if (facet == 2) cuts[0].facetAddress = stranger;
        (address served, address to) = (route[selector], cuts[0].facetAddress);
        bool removes = cuts[0].action == IDiamond.FacetCutAction.Remove;
        bytes memory refusal;
        if (removes ? to != address(0) : to.code.length == 0) {
            refusal = abi.encodeWithSelector(IDiamond.InvalidFacet.selector, to);
        } else if (cuts[0].action == IDiamond.FacetCutAction.Add) {
            if (served != address(0)) {
                refusal = abi.encodeWithSelector(IDiamond.SelectorAlreadyRouted.selector, selector, served);
            }
        } else if (served == address(0) || served == to) {
            refusal = abi.encodeWithSelector(IDiamond.SelectorNotReplaceable.selector, selector, served);
        }
        if (refusal.length != 0) vm.expectRevert(refusal);
        by(owner).diamondCut(cuts, address(0), "");
        if (refusal.length == 0) route[selector] = to;
    }

    /// Only the owner can cut.
    function testFuzz_OnlyOwner(
        address caller,
        address facet,
        bytes4 selector,
        address init,
        bytes calldata data
    ) external {
        // Zero means that no address has an offer, and no call comes from zero.
        vm.assume(caller != owner && caller != address(0));
        bytes32 before = keccak256(abi.encode(accountConfig.facets()));
        IDiamond.FacetCut[] memory cuts = new IDiamond.FacetCut[](1);
        cuts[0].facetAddress = facet;
        cuts[0].functionSelectors = new bytes4[](1);
        cuts[0].functionSelectors[0] = selector;
        expectRevert(IDiamond.OnlyOwner.selector, caller);
        by(caller).diamondCut(cuts, init, data);
        expectRevert(IDiamond.OnlyOwner.selector, caller);
        by(caller).transferOwnership(caller);
        expectRevert(IDiamond.OnlyPendingOwner.selector, caller);
        by(caller).acceptOwnership();
        vm.assertEq(keccak256(abi.encode(accountConfig.facets())), before);
        vm.assertEq(accountConfig.owner(), owner);
        vm.assertEq(accountConfig.pendingOwner(), address(0));
    }

    /// Two steps along any chain: only the address with the last offer can accept.
    function testFuzz_Ownership(address[4] calldata offers, uint8 accepts, address other) external {
        address current = owner;
        for (uint256 i; i < offers.length; ++i) {
            if (offers[i] == address(0)) {
                expectRevert(IDiamond.OwnerIsZero.selector);
                by(current).transferOwnership(offers[i]);
                return;
            }
            expectEvent();
            emit IDiamond.OwnershipTransferStarted(current, offers[i]);
            by(current).transferOwnership(offers[i]);
            vm.assertEq(accountConfig.owner(), current);
            vm.assertEq(accountConfig.pendingOwner(), offers[i]);
            if (other != offers[i]) {
                expectRevert(IDiamond.OnlyPendingOwner.selector, other);
                by(other).acceptOwnership();
            }
            if ((accepts >> i) & 1 == 0) continue;
            expectEvent();
            emit IDiamond.OwnershipTransferred(current, offers[i]);
            by(offers[i]).acceptOwnership();
            current = offers[i];
            vm.assertEq(accountConfig.owner(), current);
            vm.assertEq(accountConfig.pendingOwner(), address(0));
        }
    }

    string[13] private parts = [
        "IDiamondCutFacet",
        "IDiamondLoupeFacet",
        "IAccountWrites",
        "IUsageKeyWrites",
        "IGroupWrites",
        "IActionWrites",
        "IWalletWrites",
        "IMemberWrites",
        "ISignedWrites",
        "IWritesFacet",
        "IViewsFacet",
        "ISignaturesFacet",
        "IConfigFacet"
    ];

    /// @return id The XOR of the selectors of all functions of the compiled interface.
    function idOf(string memory name) private view returns (bytes4 id) {
        bytes4[] memory selectors = selectorsOf(name);
        for (uint256 i; i < selectors.length; ++i) {
            id ^= selectors[i];
        }
    }

    function test_supportsInterface() external view {
        vm.assertTrue(accountConfig.supportsInterface(idOf("IAccountConfig")));
        vm.assertFalse(accountConfig.supportsInterface(0));
        vm.assertFalse(accountConfig.supportsInterface(0xffffffff));
        for (uint256 i; i < parts.length; ++i) {
            vm.assertTrue(accountConfig.supportsInterface(idOf(parts[i])), parts[i]);
        }
    }

    function testFuzz_supportsInterface(bytes4 id) external view {
        bool supported = id == 0x01ffc9a7 || id == 0x1f931c1c || id == 0x48e2b093 || id == 0x7f5828d0;
        supported = supported || id == idOf("IAccountConfig");
        for (uint256 i; i < parts.length; ++i) {
            supported = supported || id == idOf(parts[i]);
        }
        vm.assertEq(accountConfig.supportsInterface(id), supported);
        vm.assertTrue(accountConfig.supportsInterface(0x01ffc9a7));
        vm.assertTrue(accountConfig.supportsInterface(0x1f931c1c));
        vm.assertTrue(accountConfig.supportsInterface(0x48e2b093));
        vm.assertTrue(accountConfig.supportsInterface(0x7f5828d0));
    }
}
