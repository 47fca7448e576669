// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IAccountConfig } from "../../contracts/interfaces/IAccountConfig.sol";
import { IConfigFacet } from "../../contracts/interfaces/IConfigFacet.sol";
import { IDiamond } from "../../contracts/interfaces/IDiamond.sol";
import { IDiamondCutFacet } from "../../contracts/interfaces/IDiamondCutFacet.sol";
import { IDiamondLoupeFacet } from "../../contracts/interfaces/IDiamondLoupeFacet.sol";
import { Deploy } from "../../script/Deploy.s.sol";
import { Upgrade } from "../../script/Upgrade.s.sol";
import { Deployer } from "../utils/Deployer.sol";
import { Vm } from "../utils/Vm.sol";

contract UpgradeTest is Upgrade {
    Vm private constant vm = Vm(address(scripts));

    address private diamond;

    function setUp() external {
        diamond = address(
            Deployer(create("Deployer", ""))
                .deploy(Deploy.Settings(address(this), new address[](0), address(0)))
        );
        IDiamondCutFacet(diamond).acceptOwnership();
    }

    function _cut(address facet, IDiamond.FacetCutAction action, bytes4[] memory selectors) private {
        IDiamond.FacetCut[] memory cuts = new IDiamond.FacetCut[](1);
        cuts[0] = IDiamond.FacetCut(facet, action, selectors);
        IDiamondCutFacet(diamond).diamondCut(cuts, address(0), "");
    }

    function _one(bytes4 selector) private pure returns (bytes4[] memory selectors) {
        selectors = new bytes4[](1);
        selectors[0] = selector;
    }

    /// Another ConfigFacet, with one function removed and one added.
    function _alter() private returns (address older) {
        older = create("ConfigFacet", "");
        _cut(older, IDiamond.FacetCutAction.Replace, selectorsOf("ConfigFacet"));
        _cut(address(0), IDiamond.FacetCutAction.Remove, _one(IConfigFacet.getPricing.selector));
        _cut(older, IDiamond.FacetCutAction.Add, _one(bytes4("old!")));
    }

    function _facet(string memory name) private view returns (FacetCode memory) {
        FacetCode[] memory facets = facetCodes();
        for (uint256 i; i < facets.length; ++i) {
            if (keccak256(bytes(facets[i].name)) == keccak256(bytes(name))) return facets[i];
        }
        revert(name);
    }

    function test_NothingToDo() external {
        Report memory report = plan(diamond, address(this));
        vm.assertEq(report.cuts.length, 0);
        vm.assertEq(report.calls.length, 0);
        vm.assertEq(report.ownerCalls.length, 0);
    }

    function test_AddReplaceRemove() external {
        _alter();
        Report memory report = plan(diamond, address(this));
        FacetCode memory facet = _facet("ConfigFacet");
        vm.assertEq(report.cuts.length, 3);
        vm.assertTrue(report.cuts[0].action == IDiamond.FacetCutAction.Add);
        vm.assertEq(report.cuts[0].facetAddress, facet.deployed);
        vm.assertEq(
            abi.encode(report.cuts[0].functionSelectors), abi.encode(_one(IConfigFacet.getPricing.selector))
        );
        vm.assertTrue(report.cuts[1].action == IDiamond.FacetCutAction.Replace);
        vm.assertEq(report.cuts[1].facetAddress, facet.deployed);
        vm.assertEq(report.cuts[1].functionSelectors.length, facet.selectors.length - 1);
        vm.assertTrue(report.cuts[2].action == IDiamond.FacetCutAction.Remove);
        vm.assertEq(report.cuts[2].facetAddress, address(0));
        vm.assertEq(abi.encode(report.cuts[2].functionSelectors), abi.encode(_one(bytes4("old!"))));

        send(report.calls);
        vm.assertEq(IDiamondLoupeFacet(diamond).facetAddress(bytes4("old!")), address(0));
        for (uint256 i; i < facet.selectors.length; ++i) {
            vm.assertEq(IDiamondLoupeFacet(diamond).facetAddress(facet.selectors[i]), facet.deployed);
        }
        vm.assertEq(plan(diamond, address(this)).cuts.length, 0);
    }

    /// A facet that was never created, as after a change of its code.
    function test_MissingFacetIsCreated() external {
        _alter();
        address facet = _facet("ConfigFacet").deployed;
        vm.etch(facet, "");
        vm.setNonceUnsafe(facet, 0);
        Report memory report = plan(diamond, address(this));
        vm.assertEq(report.calls.length, 2);
        vm.assertEq(report.calls[0].to, FACTORY);
        send(report.calls);
        vm.assertEq(plan(diamond, address(this)).calls.length, 0);
    }

    /// A sender that does not own the diamond creates the facets and gets the cut for the owner.
    function test_CutIsTheOwners() external {
        _alter();
        Report memory report = plan(diamond, address(1));
        vm.assertEq(report.calls.length, 0);
        vm.assertEq(report.ownerCalls.length, 1);
        send(report.ownerCalls);
        vm.assertEq(plan(diamond, address(1)).ownerCalls.length, 0);
    }

    function test_StateStays() external {
        address[] memory payers = new address[](1);
        payers[0] = address(11);
        IAccountConfig(diamond).setApiPayers(payers);
        _alter();
        send(plan(diamond, address(this)).calls);
        vm.assertEq(IAccountConfig(diamond).api_payers(), payers);
        vm.assertEq(IAccountConfig(diamond).owner(), address(this));
    }
}
