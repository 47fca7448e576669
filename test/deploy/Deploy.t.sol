// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IAccountConfig } from "../../contracts/interfaces/IAccountConfig.sol";
import { IConfigFacet } from "../../contracts/interfaces/IConfigFacet.sol";
import { IDiamond } from "../../contracts/interfaces/IDiamond.sol";
import { IDiamondCutFacet } from "../../contracts/interfaces/IDiamondCutFacet.sol";
import { IDiamondLoupeFacet } from "../../contracts/interfaces/IDiamondLoupeFacet.sol";
import { Deploy } from "../../script/Deploy.s.sol";
import { Vm } from "../utils/Vm.sol";

contract DeployTest is Deploy {
    Vm private constant vm = Vm(address(scripts));
    string private constant FILE = ".data/deploy-test.json";

    function _payers() private pure returns (address[] memory payers) {
        payers = new address[](2);
        (payers[0], payers[1]) = (address(11), address(12));
    }

    function _settings(address owner) private pure returns (Settings memory) {
        return Settings({ owner: owner, apiPayers: _payers(), adminApiPayer: address(12) });
    }

    function _configOperator(address wanted) private pure returns (Value memory) {
        return addressValue(
            "setConfigOperator",
            IConfigFacet.configOperator.selector,
            IConfigFacet.setConfigOperator.selector,
            wanted
        );
    }

    function _inputs() private view returns (Inputs memory inputs) {
        inputs.deployer = address(this);
        inputs.settings = _settings(address(99));
        inputs.values = new Value[](3);
        inputs.values[0] = _configOperator(address(21));
        inputs.values[1] = addressValue(
            "setPricingOperator",
            IConfigFacet.pricingOperator.selector,
            IConfigFacet.setPricingOperator.selector,
            address(22)
        );
        inputs.values[2] = Value({
            what: "setConversionLimit",
            read: abi.encodeCall(IConfigFacet.conversionLimit, ()),
            initial: abi.encode(type(uint256).max),
            wanted: abi.encode(7),
            write: abi.encodeCall(IConfigFacet.setConversionLimit, (7))
        });
        inputs.nodeConfiguration = new IConfigFacet.NodeConfiguration[](2);
        inputs.nodeConfiguration[0] = IConfigFacet.NodeConfiguration("region", "north");
        inputs.nodeConfiguration[1] = IConfigFacet.NodeConfiguration("threshold", "3");
    }

    function test_SettingsAreMade() external {
        IAccountConfig config = IAccountConfig(deploy(address(this), _settings(address(this))).diamond);
        vm.assertEq(config.owner(), address(this));
        vm.assertEq(config.pendingOwner(), address(0));
        vm.assertEq(config.api_payers(), _payers());
        vm.assertEq(config.adminApiPayerAccount(), address(12));
    }

    /// Another owner must accept, so a mistyped address does not lose the diamond.
    function test_OwnershipIsOffered() external {
        IAccountConfig config = IAccountConfig(deploy(address(this), _settings(address(99))).diamond);
        vm.assertEq(config.owner(), address(this));
        vm.assertEq(config.pendingOwner(), address(99));
        vm.prank(address(99));
        config.acceptOwnership();
        vm.assertEq(config.owner(), address(99));
    }

    function test_NoSettings() external {
        Settings memory none = Settings(address(this), new address[](0), address(0));
        IAccountConfig config = IAccountConfig(deploy(address(this), none).diamond);
        vm.assertEq(config.api_payers(), new address[](0));
        vm.assertEq(config.adminApiPayerAccount(), address(0));
    }

    function test_ConstructorEvents() external {
        vm.recordLogs();
        Deployment memory deployment = deploy(address(this), _settings(address(99)));
        Vm.Log[] memory logs = vm.getRecordedLogs();
        vm.assertEq(logs.length, 5);
        bytes32[5] memory topics = [
            IDiamond.OwnershipTransferred.selector,
            IDiamond.DiamondCut.selector,
            IConfigFacet.ApiPayersSet.selector,
            IConfigFacet.AdminApiPayerAccountSet.selector,
            IDiamond.OwnershipTransferStarted.selector
        ];
        for (uint256 i; i < topics.length; ++i) {
            vm.assertEq(logs[i].topics[0], topics[i]);
            vm.assertEq(logs[i].emitter, deployment.diamond);
        }
    }

    function test_DeploymentIsWritten() external {
        Deployment memory deployment = deploy(address(this), _settings(address(this)));
        scripts.createDir(".data", true);
        write(deployment, FILE);
        string memory json = vm.readFile(FILE);
        vm.removeFile(FILE);
        vm.assertEq(vm.parseJsonKeys(json, "$").length, 4);
        vm.assertEq(vm.parseJsonUint(json, ".chainId"), block.chainid);
        vm.assertEq(vm.parseJsonUint(json, ".startBlock"), block.number);
        vm.assertEq(vm.parseJsonAddress(json, ".address"), deployment.diamond);
        string[] memory names = vm.parseJsonKeys(json, ".facets");
        vm.assertEq(names.length, facetNames().length);
        for (uint256 i; i < names.length; ++i) {
            address facet = vm.parseJsonAddress(json, string.concat(".facets.", names[i]));
            bytes4 selector = selectorsOf(names[i])[0];
            vm.assertEq(IDiamondLoupeFacet(deployment.diamond).facetAddress(selector), facet);
        }
    }

    /// On a local chain each run creates another diamond, with the facets that exist.
    function test_DeployTwice() external {
        Deployment memory first = deploy(address(this), _settings(address(this)));
        Deployment memory second = deploy(address(this), _settings(address(99)));
        vm.assertNotEq(first.diamond, second.diamond);
        vm.assertEq(IAccountConfig(second.diamond).pendingOwner(), address(99));
        for (uint256 i; i < first.facets.length; ++i) {
            vm.assertEq(first.facets[i].deployed, second.facets[i].deployed);
        }
    }

    // --------------------------------------------------------------------------------------------------- plan

    function test_PlanOfAnEmptyChain() external {
        Report memory report = plan(_inputs());
        uint256 facetCount = facetNames().length;
        // The diamond, api payers, admin api payer, two operators, two settings, the offer of the ownership.
        vm.assertEq(report.calls.length, facetCount + 9);
        vm.assertEq(report.codes.length, facetCount + 1);
        for (uint256 i; i < report.codes.length; ++i) {
            vm.assertFalse(report.codes[i].exists);
            vm.assertEq(report.codes[i].deployed.code.length, 0);
        }
        vm.assertEq(report.codes[facetCount].deployed, report.diamond);
        vm.assertEq(report.ownerCalls.length, 0);
    }

    function test_PlanComesTrue() external {
        Inputs memory inputs = _inputs();
        Report memory report = plan(inputs);
        send(report.calls);
        for (uint256 i; i < report.codes.length; ++i) {
            vm.assertEq(report.codes[i].deployed.codehash, report.codes[i].codeHash);
            vm.assertEq(report.codes[i].deployed.code.length, report.codes[i].size);
        }
        for (uint256 i; i < report.cuts.length; ++i) {
            vm.assertEq(
                abi.encode(
                    IDiamondLoupeFacet(report.diamond).facetFunctionSelectors(report.cuts[i].facetAddress)
                ),
                abi.encode(report.cuts[i].functionSelectors)
            );
        }
        IAccountConfig config = IAccountConfig(report.diamond);
        vm.assertEq(config.api_payers(), _payers());
        vm.assertEq(config.adminApiPayerAccount(), address(12));
        vm.assertEq(config.configOperator(), address(21));
        vm.assertEq(config.pricingOperator(), address(22));
        vm.assertEq(config.conversionLimit(), 7);
        vm.assertEq(config.nodeConfigurationValue("region"), "north");
        vm.assertEq(config.nodeConfigurationValue("threshold"), "3");
        vm.assertEq(config.owner(), address(this));
        vm.assertEq(config.pendingOwner(), address(99));
        vm.assertEq(plan(inputs).calls.length, 0);
    }

    /// @notice An external call, so that its memory is freed.
    function hashesOfCalls(Inputs calldata inputs) external returns (bytes32[] memory hashes) {
        Call[] memory calls = plan(inputs).calls;
        hashes = new bytes32[](calls.length);
        for (uint256 i; i < hashes.length; ++i) {
            hashes[i] = keccak256(abi.encode(calls[i]));
        }
    }

    /// After any number of the calls, the next plan is the rest of them.
    function test_PlanGoesOn() external {
        Inputs memory inputs = _inputs();
        Call[] memory calls = plan(inputs).calls;
        Call[] memory one = new Call[](1);
        for (uint256 sent; sent < calls.length; ++sent) {
            bytes32[] memory hashes = this.hashesOfCalls(inputs);
            vm.assertEq(hashes.length, calls.length - sent);
            for (uint256 i; i < hashes.length; ++i) {
                vm.assertEq(hashes[i], keccak256(abi.encode(calls[sent + i])));
            }
            one[0] = calls[sent];
            send(one);
        }
    }

    /// A stranger who creates the contracts first creates them for the deployer.
    function test_StrangerCreates() external {
        Inputs memory inputs = _inputs();
        Report memory report = plan(inputs);
        uint256 creations = report.codes.length;
        for (uint256 i; i < creations; ++i) {
            vm.prank(address(666));
            (bool ok,) = report.calls[i].to.call(report.calls[i].data);
            vm.assertTrue(ok);
        }
        IAccountConfig config = IAccountConfig(report.diamond);
        vm.assertEq(config.owner(), address(this));
        vm.assertEq(config.pendingOwner(), address(0));
        vm.assertEq(config.api_payers(), new address[](0));
        vm.assertEq(config.adminApiPayerAccount(), address(0));
        Report memory next = plan(inputs);
        vm.assertEq(next.diamond, report.diamond);
        vm.assertEq(next.calls.length, report.calls.length - creations);
        send(next.calls);
        vm.assertEq(plan(inputs).calls.length, 0);
    }

    function test_AddressFollowsFromTheDeployer() external {
        Inputs memory inputs = _inputs();
        address diamond = plan(inputs).diamond;
        inputs.settings = _settings(address(77));
        vm.assertEq(plan(inputs).diamond, diamond);
        inputs.deployer = address(1);
        vm.assertNotEq(plan(inputs).diamond, diamond);
    }

    /// The deployer has no authority any more.
    function test_NoCallsAfterTheHandOver() external {
        Inputs memory inputs = _inputs();
        Report memory report = plan(inputs);
        send(report.calls);
        vm.prank(address(99));
        IAccountConfig(report.diamond).acceptOwnership();
        inputs.settings.adminApiPayer = address(11);
        vm.assertEq(plan(inputs).calls.length, 0);
    }

    function test_WrongSettingsAreMadeRight() external {
        Inputs memory inputs = _inputs();
        send(plan(inputs).calls);
        inputs.settings.apiPayers = new address[](1);
        inputs.settings.apiPayers[0] = address(12);
        inputs.settings.owner = address(98);
        inputs.values[0] = _configOperator(address(0));
        inputs.nodeConfiguration[1].value = "4";
        Report memory report = plan(inputs);
        vm.assertEq(report.calls.length, 4);
        send(report.calls);
        IAccountConfig config = IAccountConfig(report.diamond);
        vm.assertEq(config.api_payers(), inputs.settings.apiPayers);
        vm.assertEq(config.pendingOwner(), address(98));
        vm.assertEq(config.configOperator(), address(0));
        vm.assertEq(config.nodeConfigurationValue("threshold"), "4");
    }

    // ------------------------------------------------------------------------------------------------- refusals

    function describeAs(address sample) external view returns (Code memory) {
        return describe("Facet", address(1), sample);
    }

    function test_RevertWhen_CodeIsTooLarge() external {
        vm.etch(address(1000), new bytes(24_576));
        vm.assertEq(this.describeAs(address(1000)).size, 24_576);
        vm.etch(address(1000), new bytes(24_577));
        vm.expectRevert(abi.encodeWithSelector(CodeTooLarge.selector, "Facet", 24_577));
        this.describeAs(address(1000));
    }

    function sendAll(Call[] calldata calls) external {
        send(calls);
    }

    function test_RevertWhen_CallFails() external {
        Call[] memory calls = new Call[](1);
        calls[0] = creation("Nothing", 0, hex"fe");
        vm.expectRevert(abi.encodeWithSelector(CallFailed.selector, calls[0].what));
        this.sendAll(calls);
        address diamond = deploy(address(this), _settings(address(this))).diamond;
        calls[0] = Call("acceptOwnership", diamond, abi.encodeCall(IDiamondCutFacet.acceptOwnership, ()));
        vm.expectRevert(abi.encodeWithSelector(IDiamond.OnlyPendingOwner.selector, address(this)));
        this.sendAll(calls);
    }
}
