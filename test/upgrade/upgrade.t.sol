// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IConfigFacet } from "../../contracts/interfaces/IConfigFacet.sol";
import { IDiamond } from "../../contracts/interfaces/IDiamond.sol";
import { IViewsFacet } from "../../contracts/interfaces/IViewsFacet.sol";
import { NextVersionFacet, ShiftedFacet } from "../mocks/NextVersion.sol";
import { Population } from "./Population.sol";

/// @notice After a cut every view returns the same answers, and later writes have the same effects as without the cut.
///
/// UPGRADE_TO is the folder of the new artifacts (default: out). With the artifacts of another version, the test tells
/// whether a diamond of this version may be upgraded to it.
contract UpgradeTest is Population {
    bytes32[] private _before;
    bytes32[] private _afterWrites;

    function setUp() public override {
        super.setUp();
        _before = askAll();
        uint256 snapshot = vm.snapshotState();
        writeSome();
        bytes32[] memory answers = askAll();
        vm.revertToState(snapshot);
        _afterWrites = answers;
    }

    // --------------------------------------------------------------------------------------------------- cuts

    /// @notice Cuts to a new facet that serves `selectors`, routed ones and new ones.
    function _cut(address facet, bytes4[] memory selectors) private {
        IDiamond.FacetCut[] memory cuts = new IDiamond.FacetCut[](1);
        cuts[0].facetAddress = facet;
        for (uint256 i; i < 2; ++i) {
            bool adds = i == 1;
            cuts[0].action = adds ? IDiamond.FacetCutAction.Add : IDiamond.FacetCutAction.Replace;
            cuts[0].functionSelectors = _select(selectors, adds);
            if (cuts[0].functionSelectors.length == 0) continue;
            vm.prank(owner);
            accountConfig.diamondCut(cuts, address(0), "");
        }
    }

    /// @return selected Those of `selectors` that are not routed (`free`), or those that are.
    function _select(bytes4[] memory selectors, bool free) private view returns (bytes4[] memory selected) {
        selected = new bytes4[](selectors.length);
        uint256 count;
        for (uint256 i; i < selectors.length; ++i) {
            if ((accountConfig.facetAddress(selectors[i]) == address(0)) == free) {
                selected[count++] = selectors[i];
            }
        }
        // memory-safe: shortens an array that was allocated here.
        assembly ("memory-safe") {
            mstore(selected, count)
        }
    }

    /// @notice Replaces a facet with a new one from the artifacts of UPGRADE_TO.
    function _replace(string memory name) private {
        string memory path =
            string.concat(scripts.envOr("UPGRADE_TO", "out"), "/", name, ".sol/", name, ".json");
        string[] memory signatures = vm.parseJsonKeys(vm.readFile(path), ".methodIdentifiers");
        bytes4[] memory selectors = new bytes4[](signatures.length);
        for (uint256 i; i < selectors.length; ++i) {
            selectors[i] = selectorOf(signatures[i]);
        }
        bytes memory code = vm.getCode(path);
        address facet;
        // memory-safe: reads the code.
        assembly ("memory-safe") {
            facet := create(0, add(code, 32), mload(code))
        }
        address old = accountConfig.facetAddress(selectors[0]);
        _cut(facet, selectors);
        vm.assertEq(accountConfig.facetFunctionSelectors(old).length, 0);
        vm.assertEq(accountConfig.facetFunctionSelectors(facet).length, selectors.length);
    }

    // ------------------------------------------------------------------------------------------------ answers

    function _assertAnswers(bytes32[] memory answers, bytes32[] memory expected) private view {
        for (uint256 i; i < views.length; ++i) {
            vm.assertEq(answers[i], expected[i], _nameOf(views[i]));
        }
    }

    function _nameOf(bytes4 selector) private view returns (string memory) {
        string[] memory signatures = functionsOf("IAccountConfig").signatures;
        for (uint256 i; i < signatures.length; ++i) {
            if (selectorOf(signatures[i]) == selector) return signatures[i];
        }
        return "";
    }

    // -------------------------------------------------------------------------------------------------- tests

    /// Every view was called, and the writes change the answers of most views about accounts.
    function test_EveryViewIsAsked() external view {
        vm.assertLt(accounts, accountConfig.accountCount());
        uint256 changed;
        for (uint256 i; i < views.length; ++i) {
            vm.assertNotEq(_before[i], bytes32(0));
            if (_before[i] != _afterWrites[i]) ++changed;
        }
        vm.assertLt(10, changed);
    }

    function test_FacetsAreReplaced() external {
        _replace("WritesFacet");
        _replace("ViewsFacet");
        _assertAnswers(askAll(), _before);
        writeSome();
        _assertAnswers(askAll(), _afterWrites);
    }

    function test_FieldIsAppended() external {
        address facet = address(new NextVersionFacet());
        bytes4[] memory selectors = new bytes4[](7);
        selectors[0] = NextVersionFacet.setNote.selector;
        selectors[1] = NextVersionFacet.noteOf.selector;
        selectors[2] = IViewsFacet.accountCount.selector;
        selectors[3] = IViewsFacet.pkpCount.selector;
        selectors[4] = IConfigFacet.getPricing.selector;
        selectors[5] = IConfigFacet.adminApiPayerAccount.selector;
        selectors[6] = IConfigFacet.nodeConfigurationValue.selector;
        _cut(facet, selectors);
        vm.assertEq(accountConfig.facetFunctionSelectors(facet).length, 7);
        NextVersionFacet diamond = NextVersionFacet(address(accountConfig));
        for (uint256 i; i < 1000; ++i) {
            diamond.setNote(i, i + 1);
        }
        diamond.setNote(MANAGED, 7);
        _assertAnswers(askAll(), _before);
        writeSome();
        _assertAnswers(askAll(), _afterWrites);
        for (uint256 i; i < 1000; ++i) {
            vm.assertEq(diamond.noteOf(i), i + 1);
        }
        vm.assertEq(diamond.noteOf(MANAGED), 7);
    }

    function test_FunctionIsRemovedAndRestored() external {
        bytes32[] memory answers = askSome(1);
        bytes4[] memory selectors = new bytes4[](1);
        selectors[0] = IViewsFacet.listGroups.selector;
        address facet = accountConfig.facetAddress(selectors[0]);
        IDiamond.FacetCut[] memory cuts = new IDiamond.FacetCut[](1);
        cuts[0] = IDiamond.FacetCut(address(0), IDiamond.FacetCutAction.Remove, selectors);
        vm.prank(owner);
        accountConfig.diamondCut(cuts, address(0), "");
        vm.expectRevert(abi.encodeWithSelector(IDiamond.FunctionNotFound.selector, selectors[0]));
        accountConfig.listGroups(MANAGED, 0, 10);
        _cut(facet, selectors);
        _assertAnswers(askSome(1), answers);
    }

    function test_ShiftedLayoutIsNoticed() external {
        bytes32[] memory answers = askSome(1);
        bytes4[] memory selectors = new bytes4[](1);
        selectors[0] = IViewsFacet.accountCount.selector;
        _cut(address(new ShiftedFacet()), selectors);
        bytes32[] memory shifted = askSome(1);
        for (uint256 i; i < views.length; ++i) {
            vm.assertEq(answers[i] == shifted[i], views[i] != selectors[0]);
        }
    }
}
