// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IDiamond } from "../../contracts/interfaces/IDiamond.sol";
import { IDiamondCutFacet } from "../../contracts/interfaces/IDiamondCutFacet.sol";
import { IDiamondLoupeFacet } from "../../contracts/interfaces/IDiamondLoupeFacet.sol";
import { CallingFacet, Initializer, NewFacet, NewerFacet } from "../mocks/Facets.sol";
import { AccountConfigTest } from "../utils/AccountConfigTest.sol";

contract DiamondCutTest is AccountConfigTest {
    bytes4 private constant ANSWER = NewFacet.answer.selector;

    /// A FacetCut with any number as its action.
    struct RawCut {
        address facetAddress;
        uint256 action;
        bytes4[] functionSelectors;
    }

    address private newFacet;
    address private newerFacet;

    function setUp() public override {
        super.setUp();
        newFacet = address(new NewFacet());
        newerFacet = address(new NewerFacet());
    }

    function _cut(address facet, IDiamond.FacetCutAction action, bytes4 selector)
        private
        pure
        returns (IDiamond.FacetCut[] memory cuts)
    {
        cuts = new IDiamond.FacetCut[](1);
        cuts[0].facetAddress = facet;
        cuts[0].action = action;
        cuts[0].functionSelectors = new bytes4[](1);
        cuts[0].functionSelectors[0] = selector;
    }

    function _add(address facet, bytes4 selector) private {
        by(owner).diamondCut(_cut(facet, IDiamond.FacetCutAction.Add, selector), address(0), "");
    }

    function _replace(address facet, bytes4 selector) private {
        by(owner).diamondCut(_cut(facet, IDiamond.FacetCutAction.Replace, selector), address(0), "");
    }

    function _remove(bytes4 selector) private {
        by(owner).diamondCut(_cut(address(0), IDiamond.FacetCutAction.Remove, selector), address(0), "");
    }

    function _answer() private view returns (uint256) {
        return NewFacet(address(accountConfig)).answer();
    }

    function test_Add() external {
        IDiamond.FacetCut[] memory cuts = _cut(newFacet, IDiamond.FacetCutAction.Add, ANSWER);
        expectEvent();
        emit IDiamond.DiamondCut(cuts, address(0), "");
        by(owner).diamondCut(cuts, address(0), "");
        assertEvents(1);
        vm.assertEq(_answer(), 42);
        vm.assertEq(accountConfig.facetAddress(ANSWER), newFacet);
        vm.assertEq(accountConfig.facetFunctionSelectors(newFacet).length, 1);
    }

    function test_FacetRunsInTheDiamondAsTheCaller() external {
        _add(newFacet, NewFacet.whoCalls.selector);
        by(stranger);
        (address caller, address context) = NewFacet(address(accountConfig)).whoCalls();
        vm.assertEq(caller, stranger);
        vm.assertEq(context, address(accountConfig));
    }

    function test_Replace() external {
        _add(newFacet, ANSWER);
        IDiamond.FacetCut[] memory cuts = _cut(newerFacet, IDiamond.FacetCutAction.Replace, ANSWER);
        expectEvent();
        emit IDiamond.DiamondCut(cuts, address(0), "");
        by(owner).diamondCut(cuts, address(0), "");
        assertEvents(1);
        vm.assertEq(_answer(), 43);
        vm.assertEq(accountConfig.facetAddress(ANSWER), newerFacet);
        vm.assertEq(accountConfig.facetFunctionSelectors(newFacet).length, 0);
    }

    function test_Remove() external {
        _add(newFacet, ANSWER);
        IDiamond.FacetCut[] memory cuts = _cut(address(0), IDiamond.FacetCutAction.Remove, ANSWER);
        expectEvent();
        emit IDiamond.DiamondCut(cuts, address(0), "");
        by(owner).diamondCut(cuts, address(0), "");
        assertEvents(1);
        vm.assertEq(accountConfig.facetAddress(ANSWER), address(0));
        vm.expectRevert(abi.encodeWithSelector(IDiamond.FunctionNotFound.selector, ANSWER));
        _answer();
    }

    /// The removal of a selector at any position keeps all others.
    function testFuzz_RemoveAnyOne(uint256 index) external {
        IDiamond.Facet[] memory facets = accountConfig.facets();
        bytes4[] memory selectors = facets[index % facets.length].functionSelectors;
        bytes4 removed = selectors[index / 16 % selectors.length];
        vm.assume(
            removed != IDiamondLoupeFacet.facetAddress.selector
                && removed != IDiamondCutFacet.diamondCut.selector
        );
        vm.assume(removed != IDiamondLoupeFacet.facets.selector);
        _remove(removed);
        _add(newFacet, ANSWER);
        for (uint256 i; i < facets.length; ++i) {
            for (uint256 j; j < facets[i].functionSelectors.length; ++j) {
                bytes4 selector = facets[i].functionSelectors[j];
                vm.assertEq(
                    accountConfig.facetAddress(selector),
                    selector == removed ? address(0) : facets[i].facetAddress
                );
            }
        }
        vm.assertEq(_answer(), 42);
    }

    /// Selectors that moved to the position of removed ones can be removed too.
    /// forge-config: default.fuzz.runs = 32
    function testFuzz_RemoveMany(uint256 seed) external {
        bytes4[] memory selectors = selectorsOf("IAccountConfig");
        uint256 removed;
        for (uint256 i; i < 40; ++i) {
            seed = uint256(keccak256(abi.encode(seed)));
            bytes4 selector = selectors[seed % selectors.length];
            if (
                selector == IDiamondCutFacet.diamondCut.selector
                    || selector == IDiamondLoupeFacet.facets.selector
            ) continue;
            if (selector == IDiamondLoupeFacet.facetAddress.selector) continue;
            if (accountConfig.facetAddress(selector) == address(0)) continue;
            _remove(selector);
            ++removed;
        }
        IDiamond.Facet[] memory facets = accountConfig.facets();
        uint256 listed;
        for (uint256 i; i < facets.length; ++i) {
            for (uint256 j; j < facets[i].functionSelectors.length; ++j) {
                vm.assertEq(
                    accountConfig.facetAddress(facets[i].functionSelectors[j]), facets[i].facetAddress
                );
                ++listed;
            }
        }
        vm.assertEq(listed, selectors.length - removed);
    }

    function test_SeveralCuts() external {
        IDiamond.FacetCut[] memory cuts = new IDiamond.FacetCut[](2);
        cuts[0] = _cut(newFacet, IDiamond.FacetCutAction.Add, ANSWER)[0];
        cuts[1] = _cut(newerFacet, IDiamond.FacetCutAction.Replace, ANSWER)[0];
        by(owner).diamondCut(cuts, address(0), "");
        vm.assertEq(_answer(), 43);
    }

    function test_Init() external {
        address initializer = address(new Initializer());
        expectEvent();
        emit IDiamond.DiamondCut(
            new IDiamond.FacetCut[](0), initializer, abi.encodeCall(Initializer.init, (7))
        );
        expectEvent();
        emit Initializer.Initialized(address(accountConfig), 7);
        by(owner).diamondCut(new IDiamond.FacetCut[](0), initializer, abi.encodeCall(Initializer.init, (7)));
        assertEvents(2);
    }

    function test_InitFindsTheNewRoutes() external {
        IDiamond.FacetCut[] memory cuts = _cut(newFacet, IDiamond.FacetCutAction.Add, ANSWER);
        address initializer = address(new Initializer());
        expectEvent();
        emit IDiamond.DiamondCut(cuts, initializer, abi.encodeCall(Initializer.ask, ()));
        expectEvent();
        emit Initializer.Answered(42);
        by(owner).diamondCut(cuts, initializer, abi.encodeCall(Initializer.ask, ()));
        assertEvents(2);
    }

    function test_NothingRunsWithoutInit() external {
        IDiamond.FacetCut[] memory none = new IDiamond.FacetCut[](0);
        expectEvent();
        emit IDiamond.DiamondCut(none, address(0), abi.encodeCall(Initializer.init, (7)));
        by(owner).diamondCut(none, address(0), abi.encodeCall(Initializer.init, (7)));
        assertEvents(1);
    }

    /// Without diamondCut the routes are fixed forever.
    function test_CutIsRemoved() external {
        _remove(IDiamondCutFacet.diamondCut.selector);
        vm.expectRevert(
            abi.encodeWithSelector(IDiamond.FunctionNotFound.selector, IDiamondCutFacet.diamondCut.selector)
        );
        _add(newFacet, ANSWER);
        vm.assertEq(accountConfig.owner(), owner);
    }

    /// A facet has no authority: as a caller the diamond is a stranger.
    function test_FacetThatCallsBackIsAStranger() external {
        _add(address(new CallingFacet()), CallingFacet.callBack.selector);
        CallingFacet diamond = CallingFacet(address(accountConfig));
        (bool ok, bytes memory result) =
            diamond.callBack(abi.encodeCall(IDiamondCutFacet.transferOwnership, (stranger)));
        vm.assertFalse(ok);
        vm.assertEq(result, abi.encodeWithSelector(IDiamond.OnlyOwner.selector, address(accountConfig)));
    }

    // ------------------------------------------------------------------------------------------------- reverts

    function test_RevertGiven_CallerIsNotTheOwner() external {
        by(owner).setConfigOperator(newAdmin);
        address[5] memory callers = [stranger, payer, admin, newAdmin, address(accountConfig)];
        for (uint256 i; i < callers.length; ++i) {
            expectRevert(IDiamond.OnlyOwner.selector, callers[i]);
            by(callers[i]).diamondCut(_cut(newFacet, IDiamond.FacetCutAction.Add, ANSWER), address(0), "");
        }
    }

    function test_RevertGiven_SelectorIsRouted() external {
        _add(newFacet, ANSWER);
        vm.expectRevert(abi.encodeWithSelector(IDiamond.SelectorAlreadyRouted.selector, ANSWER, newFacet));
        _add(newerFacet, ANSWER);
        vm.expectRevert(abi.encodeWithSelector(IDiamond.SelectorAlreadyRouted.selector, ANSWER, newFacet));
        _add(newFacet, ANSWER);
    }

    function test_RevertWhen_SelectorIsGivenTwice() external {
        IDiamond.FacetCut[] memory cuts = _cut(newFacet, IDiamond.FacetCutAction.Add, ANSWER);
        cuts[0].functionSelectors = new bytes4[](2);
        cuts[0].functionSelectors[0] = ANSWER;
        cuts[0].functionSelectors[1] = ANSWER;
        vm.expectRevert(abi.encodeWithSelector(IDiamond.SelectorAlreadyRouted.selector, ANSWER, newFacet));
        by(owner).diamondCut(cuts, address(0), "");
    }

    function test_RevertGiven_SelectorIsNotReplaceable() external {
        vm.expectRevert(abi.encodeWithSelector(IDiamond.SelectorNotReplaceable.selector, ANSWER, address(0)));
        _replace(newFacet, ANSWER);
        vm.expectRevert(abi.encodeWithSelector(IDiamond.SelectorNotReplaceable.selector, ANSWER, address(0)));
        _remove(ANSWER);
        _add(newFacet, ANSWER);
        vm.expectRevert(abi.encodeWithSelector(IDiamond.SelectorNotReplaceable.selector, ANSWER, newFacet));
        _replace(newFacet, ANSWER);
    }

    function test_RevertWhen_FacetHasNoCode() external {
        expectRevert(IDiamond.InvalidFacet.selector, noWallet);
        _add(noWallet, ANSWER);
        expectRevert(IDiamond.InvalidFacet.selector, address(0));
        _add(address(0), ANSWER);
        _add(newFacet, ANSWER);
        expectRevert(IDiamond.InvalidFacet.selector, noWallet);
        _replace(noWallet, ANSWER);
        expectRevert(IDiamond.InvalidFacet.selector, address(0));
        _replace(address(0), ANSWER);
    }

    function test_RevertWhen_RemovalNamesAFacet() external {
        _add(newFacet, ANSWER);
        expectRevert(IDiamond.InvalidFacet.selector, newFacet);
        by(owner).diamondCut(_cut(newFacet, IDiamond.FacetCutAction.Remove, ANSWER), address(0), "");
    }

    function test_RevertWhen_NoSelectors() external {
        IDiamond.FacetCut[] memory cuts = _cut(newFacet, IDiamond.FacetCutAction.Add, ANSWER);
        cuts[0].functionSelectors = new bytes4[](0);
        for (uint256 action; action < 3; ++action) {
            cuts[0].action = IDiamond.FacetCutAction(action);
            cuts[0].facetAddress = cuts[0].action == IDiamond.FacetCutAction.Remove ? address(0) : newFacet;
            expectRevert(IDiamond.NoSelectors.selector, cuts[0].facetAddress);
            by(owner).diamondCut(cuts, address(0), "");
        }
    }

    function testFuzz_RevertWhen_ActionIsUnknown(uint256 action) external {
        vm.assume(action > uint256(IDiamond.FacetCutAction.Remove));
        RawCut[] memory cuts = new RawCut[](1);
        cuts[0] = RawCut(
            newFacet, action, _cut(newFacet, IDiamond.FacetCutAction.Add, ANSWER)[0].functionSelectors
        );
        (bool ok,) = _cutRaw(cuts);
        vm.assertFalse(ok);
        cuts[0].action = uint256(IDiamond.FacetCutAction.Add);
        (ok,) = _cutRaw(cuts);
        vm.assertTrue(ok);
    }

    function _cutRaw(RawCut[] memory cuts) private returns (bool, bytes memory) {
        by(owner);
        return address(accountConfig)
            .call(abi.encodeWithSelector(IDiamondCutFacet.diamondCut.selector, cuts, address(0), ""));
    }

    function test_RevertWhen_InitHasNoCode() external {
        expectRevert(IDiamond.InvalidFacet.selector, noWallet);
        by(owner).diamondCut(new IDiamond.FacetCut[](0), noWallet, "");
    }

    function test_RevertGiven_InitReverts() external {
        address initializer = address(new Initializer());
        IDiamond.FacetCut[] memory cuts = _cut(newFacet, IDiamond.FacetCutAction.Add, ANSWER);
        vm.expectRevert(abi.encodeWithSelector(Initializer.Refused.selector, 7));
        by(owner).diamondCut(cuts, initializer, abi.encodeCall(Initializer.refuse, (7)));
        expectRevert(IDiamond.InitializationFailed.selector, initializer);
        by(owner).diamondCut(cuts, initializer, abi.encodeCall(Initializer.refuseSilently, ()));
        vm.assertEq(accountConfig.facetAddress(ANSWER), address(0));
    }

    /// All or nothing: a later cut that fails reverts the earlier ones.
    function test_RevertGiven_OneCutFails() external {
        IDiamond.FacetCut[] memory cuts = new IDiamond.FacetCut[](2);
        cuts[0] = _cut(newFacet, IDiamond.FacetCutAction.Add, ANSWER)[0];
        cuts[1] = _cut(newerFacet, IDiamond.FacetCutAction.Add, ANSWER)[0];
        vm.expectRevert(abi.encodeWithSelector(IDiamond.SelectorAlreadyRouted.selector, ANSWER, newFacet));
        by(owner).diamondCut(cuts, address(0), "");
        vm.assertEq(accountConfig.facetAddress(ANSWER), address(0));
    }
}
