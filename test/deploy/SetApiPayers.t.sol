// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IAccountConfig } from "../../contracts/interfaces/IAccountConfig.sol";
import { Deploy } from "../../script/Deploy.s.sol";
import { SetApiPayers } from "../../script/SetApiPayers.s.sol";
import { Deployer } from "../utils/Deployer.sol";
import { Vm } from "../utils/Vm.sol";

contract SetApiPayersTest is SetApiPayers {
    Vm private constant vm = Vm(address(scripts));

    IAccountConfig private config;

    function setUp() external {
        config = Deployer(create("Deployer", ""))
            .deploy(Deploy.Settings(address(this), new address[](0), address(0)));
        config.acceptOwnership();
        config.setApiPayers(_list(11, 12));
        config.setAdminApiPayerAccount(address(11));
    }

    function _list(uint160 a, uint160 b) private pure returns (address[] memory list) {
        list = new address[](2);
        (list[0], list[1]) = (address(a), address(b));
    }

    /// @notice An external call, so that its revert can be expected.
    function step(Step which, address sender, address[] calldata wanted)
        external
        view
        returns (Report memory report)
    {
        (report,,) = plan(config, sender, which, wanted, wanted[wanted.length - 1]);
    }

    function test_Rotation() external {
        send(this.step(Step.Add, address(this), _list(12, 13)).calls);
        address[] memory both = new address[](3);
        (both[0], both[1], both[2]) = (address(11), address(12), address(13));
        vm.assertEq(config.api_payers(), both);
        vm.assertEq(config.adminApiPayerAccount(), address(11));

        send(this.step(Step.Remove, address(this), _list(12, 13)).calls);
        vm.assertEq(config.api_payers(), _list(12, 13));
        vm.assertEq(config.adminApiPayerAccount(), address(13));

        vm.assertEq(this.step(Step.Add, address(this), _list(13, 12)).calls.length, 0);
        vm.assertEq(this.step(Step.Remove, address(this), _list(12, 13)).calls.length, 0);
    }

    function test_BeforeAndAfter() external view {
        (, address[] memory current, address[] memory next) =
            plan(config, address(this), Step.Add, _list(12, 13), address(13));
        vm.assertEq(current, _list(11, 12));
        vm.assertEq(next.length, 3);
    }

    function test_RevertWhen_NewPayerWasNotAdded() external {
        vm.expectRevert(abi.encodeWithSelector(NotAddedYet.selector, address(13)));
        this.step(Step.Remove, address(this), _list(12, 13));
    }

    /// The stolen key is not a payer any more when the others are unfrozen.
    function test_Unfreeze() external {
        vm.assertEq(this.step(Step.Unfreeze, address(this), _list(12, 13)).calls.length, 0);
        config.freezePayers();
        Call[] memory calls = this.step(Step.Unfreeze, address(this), _list(12, 13)).calls;
        vm.assertEq(calls.length, 3);
        vm.assertEq(calls[2].what, "unfreezePayers");
        send(calls);
        vm.assertFalse(config.payersFrozen());
        vm.assertEq(config.api_payers(), _list(12, 13));
        vm.assertEq(config.adminApiPayerAccount(), address(13));
        vm.assertEq(this.step(Step.Unfreeze, address(this), _list(11, 12)).calls.length, 0);
    }

    function test_UnfreezeKeepsThePayers() external {
        config.freezePayers();
        Call[] memory calls = this.step(Step.Unfreeze, address(this), _list(12, 11)).calls;
        vm.assertEq(calls.length, 1);
        send(calls);
        vm.assertFalse(config.payersFrozen());
        vm.assertEq(config.api_payers(), _list(11, 12));
    }

    function test_CallsAreTheOwners() external {
        Report memory report = this.step(Step.Add, address(1), _list(12, 13));
        vm.assertEq(report.calls.length, 0);
        vm.assertEq(report.ownerCalls.length, 1);
        send(report.ownerCalls);
        vm.assertEq(config.api_payers().length, 3);
    }
}
