// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IAccountConfig } from "../contracts/interfaces/IAccountConfig.sol";
import { IDiamond } from "../contracts/interfaces/IDiamond.sol";
import { IDiamondCutFacet } from "../contracts/interfaces/IDiamondCutFacet.sol";
import { IDiamondLoupeFacet } from "../contracts/interfaces/IDiamondLoupeFacet.sol";
import { Plan } from "./Plan.sol";

/// @notice Routes a diamond to the compiled facets: creates the missing ones and cuts the differences. Sends the cut
/// when the sender owns the diamond, otherwise returns it for the owner.
contract Upgrade is Plan {
    function run(address diamond, address sender) external returns (Report memory report) {
        report = plan(diamond, sender);
        broadcast(sender, report.calls);
    }

    function plan(address diamond, address sender) internal returns (Report memory report) {
        requireRoutableFacets();
        FacetCode[] memory facets = facetCodes();
        report.diamond = diamond;
        report.codes = describe(facets);
        report.cuts = cutsTo(IDiamondLoupeFacet(diamond), facets);
        report.calls = facetCreations(facets);
        if (report.cuts.length == 0) return report;
        Call[] memory cut = new Call[](1);
        cut[0] = Call(
            "diamondCut", diamond, abi.encodeCall(IDiamondCutFacet.diamondCut, (report.cuts, address(0), ""))
        );
        if (IAccountConfig(diamond).owner() == sender) report.calls = join(report.calls, cut);
        else report.ownerCalls = cut;
    }

    /// @notice The cuts after which the diamond routes the selectors of these facets, and no others.
    function cutsTo(IDiamondLoupeFacet diamond, FacetCode[] memory facets)
        internal
        view
        returns (IDiamond.FacetCut[] memory cuts)
    {
        cuts = new IDiamond.FacetCut[](2 * facets.length + 1);
        uint256 count;
        bytes4[] memory strangers = _routedSelectors(diamond);
        for (uint256 i; i < facets.length; ++i) {
            (bytes4[] memory added, bytes4[] memory replaced) = _changes(diamond, facets[i]);
            if (added.length != 0) {
                cuts[count++] = IDiamond.FacetCut(facets[i].deployed, IDiamond.FacetCutAction.Add, added);
            }
            if (replaced.length != 0) {
                cuts[count++] =
                    IDiamond.FacetCut(facets[i].deployed, IDiamond.FacetCutAction.Replace, replaced);
            }
            strangers = _without(strangers, facets[i].selectors);
        }
        if (strangers.length != 0) {
            cuts[count++] = IDiamond.FacetCut(address(0), IDiamond.FacetCutAction.Remove, strangers);
        }
        // memory-safe: shortens an array that was allocated here.
        assembly ("memory-safe") {
            mstore(cuts, count)
        }
    }

    function _changes(IDiamondLoupeFacet diamond, FacetCode memory facet)
        private
        view
        returns (bytes4[] memory added, bytes4[] memory replaced)
    {
        added = new bytes4[](facet.selectors.length);
        replaced = new bytes4[](facet.selectors.length);
        uint256 addedCount;
        uint256 replacedCount;
        for (uint256 i; i < facet.selectors.length; ++i) {
            address current = diamond.facetAddress(facet.selectors[i]);
            if (current == address(0)) added[addedCount++] = facet.selectors[i];
            else if (current != facet.deployed) replaced[replacedCount++] = facet.selectors[i];
        }
        // memory-safe: shortens arrays that were allocated here.
        assembly ("memory-safe") {
            mstore(added, addedCount)
            mstore(replaced, replacedCount)
        }
    }

    function _routedSelectors(IDiamondLoupeFacet diamond) private view returns (bytes4[] memory selectors) {
        IDiamond.Facet[] memory facets = diamond.facets();
        uint256 count;
        for (uint256 i; i < facets.length; ++i) {
            count += facets[i].functionSelectors.length;
        }
        selectors = new bytes4[](count);
        for (uint256 i; i < facets.length; ++i) {
            for (uint256 j; j < facets[i].functionSelectors.length; ++j) {
                selectors[--count] = facets[i].functionSelectors[j];
            }
        }
    }

    function _without(bytes4[] memory selectors, bytes4[] memory excluded)
        private
        pure
        returns (bytes4[] memory rest)
    {
        rest = new bytes4[](selectors.length);
        uint256 count;
        for (uint256 i; i < selectors.length; ++i) {
            bool isExcluded;
            for (uint256 j; j < excluded.length; ++j) {
                if (excluded[j] == selectors[i]) isExcluded = true;
            }
            if (!isExcluded) rest[count++] = selectors[i];
        }
        // memory-safe: shortens an array that was allocated here.
        assembly ("memory-safe") {
            mstore(rest, count)
        }
    }
}
