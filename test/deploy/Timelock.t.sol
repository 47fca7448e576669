// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IAccountConfig } from "../../contracts/interfaces/IAccountConfig.sol";
import { IConfigFacet } from "../../contracts/interfaces/IConfigFacet.sol";
import { IDiamond } from "../../contracts/interfaces/IDiamond.sol";
import { Deploy } from "../../script/Deploy.s.sol";
import { ITimelock } from "../utils/ITimelock.sol";
import { Vm } from "../utils/Vm.sol";

/// @notice A deployment whose owner is a timelock.
contract TimelockTest is Deploy {
    Vm private constant vm = Vm(address(scripts));

    uint256 private constant DELAY = 2 days;
    address private constant PROPOSER = address(31);
    address private constant EXECUTOR = address(32);
    address private constant GUARDIAN = address(33);
    bytes32 private constant ADMIN_ROLE = 0;
    bytes32 private constant PROPOSER_ROLE = keccak256("PROPOSER_ROLE");
    bytes32 private constant CANCELLER_ROLE = keccak256("CANCELLER_ROLE");
    bytes32 private constant EXECUTOR_ROLE = keccak256("EXECUTOR_ROLE");

    function _list(address item) private pure returns (address[] memory list) {
        list = new address[](1);
        list[0] = item;
    }

    function _inputs() private view returns (Inputs memory inputs) {
        inputs.deployer = address(this);
        inputs.settings =
            Settings({ owner: PROPOSER, apiPayers: _list(address(11)), adminApiPayer: address(11) });
        inputs.timelock =
            TimelockSettings({ minDelay: DELAY, proposers: _list(PROPOSER), executors: _list(EXECUTOR) });
        inputs.values = new Value[](1);
        inputs.values[0] = addressValue(
            "setGuardian", IConfigFacet.guardian.selector, IConfigFacet.setGuardian.selector, GUARDIAN
        );
    }

    /// @notice An external call, so that its revert can be expected.
    function planOf(Inputs calldata inputs) external returns (Report memory) {
        return plan(inputs);
    }

    function test_TimelockGetsTheOwnership() external {
        Inputs memory inputs = _inputs();
        Report memory report = plan(inputs);
        Code memory code = report.codes[report.codes.length - 1];
        vm.assertEq(code.name, "Timelock");
        send(report.calls);
        vm.assertEq(code.deployed.codehash, code.codeHash);
        vm.assertEq(plan(inputs).calls.length, 0);

        IAccountConfig config = IAccountConfig(report.diamond);
        ITimelock timelock = ITimelock(code.deployed);
        vm.assertEq(config.owner(), address(this));
        vm.assertEq(config.pendingOwner(), address(timelock));
        vm.assertEq(config.guardian(), GUARDIAN);
        vm.assertEq(config.api_payers(), _list(address(11)));

        bytes memory accept = abi.encodeCall(config.acceptOwnership, ());
        vm.prank(PROPOSER);
        timelock.schedule(address(config), 0, accept, 0, 0, DELAY);
        vm.warp(block.timestamp + DELAY);
        vm.prank(EXECUTOR);
        timelock.execute(address(config), 0, accept, 0, 0);
        vm.assertEq(config.owner(), address(timelock));
        vm.assertEq(config.pendingOwner(), address(0));
        vm.assertEq(plan(inputs).calls.length, 0);
        vm.expectRevert(abi.encodeWithSelector(IDiamond.OnlyOwner.selector, address(this)));
        config.setGuardian(address(this));
    }

    /// @notice The role of the admin was granted once, to the timelock itself.
    function _assertOnlyAdmin(address timelock, Vm.Log[] memory logs) private pure {
        bytes32 granted = keccak256("RoleGranted(bytes32,address,address)");
        uint256 admins;
        for (uint256 i; i < logs.length; ++i) {
            if (logs[i].topics[0] != granted || logs[i].topics[1] != ADMIN_ROLE) continue;
            vm.assertEq(logs[i].topics[2], bytes32(uint256(uint160(timelock))));
            ++admins;
        }
        vm.assertEq(admins, 1);
    }

    function test_RolesAndNoAdmin() external {
        Report memory report = plan(_inputs());
        vm.recordLogs();
        send(report.calls);
        ITimelock timelock = ITimelock(report.codes[report.codes.length - 1].deployed);
        _assertOnlyAdmin(address(timelock), vm.getRecordedLogs());
        vm.assertEq(timelock.getMinDelay(), DELAY);
        vm.assertTrue(timelock.hasRole(PROPOSER_ROLE, PROPOSER));
        vm.assertTrue(timelock.hasRole(CANCELLER_ROLE, PROPOSER));
        vm.assertTrue(timelock.hasRole(EXECUTOR_ROLE, EXECUTOR));
        vm.assertTrue(timelock.hasRole(ADMIN_ROLE, address(timelock)));
        vm.assertFalse(timelock.hasRole(EXECUTOR_ROLE, address(0)));
        address[5] memory others = [address(this), FACTORY, PROPOSER, EXECUTOR, address(0)];
        for (uint256 i; i < others.length; ++i) {
            vm.assertFalse(timelock.hasRole(ADMIN_ROLE, others[i]));
            vm.expectRevert(
                abi.encodeWithSelector(
                    ITimelock.AccessControlUnauthorizedAccount.selector, others[i], ADMIN_ROLE
                )
            );
            vm.prank(others[i]);
            timelock.grantRole(PROPOSER_ROLE, others[i]);
            vm.expectRevert(abi.encodeWithSelector(ITimelock.TimelockUnauthorizedCaller.selector, others[i]));
            vm.prank(others[i]);
            timelock.updateDelay(0);
        }
    }

    /// The address depends on the delay and the members, so a stranger can create no other timelock at it.
    function test_AddressFollowsFromTheSettings() external view {
        Inputs memory inputs = _inputs();
        address timelock = ownerOf(inputs);
        inputs.settings.owner = address(99);
        vm.assertEq(ownerOf(inputs), timelock);
        inputs.timelock.minDelay = DELAY + 1;
        vm.assertNotEq(ownerOf(inputs), timelock);
        inputs.timelock.minDelay = DELAY;
        inputs.timelock.proposers = _list(EXECUTOR);
        vm.assertNotEq(ownerOf(inputs), timelock);
        inputs.timelock.proposers = _list(PROPOSER);
        inputs.timelock.executors = _list(PROPOSER);
        vm.assertNotEq(ownerOf(inputs), timelock);
        inputs.timelock.minDelay = 0;
        vm.assertEq(ownerOf(inputs), address(99));
    }

    function test_StrangerCreatesTheTimelock() external {
        Inputs memory inputs = _inputs();
        Call[] memory calls = timelockCreation(inputs.timelock);
        vm.prank(address(666));
        (bool ok,) = calls[0].to.call(calls[0].data);
        vm.assertTrue(ok);
        vm.assertEq(timelockCreation(inputs.timelock).length, 0);
        vm.assertEq(ITimelock(ownerOf(inputs)).getMinDelay(), DELAY);
        send(plan(inputs).calls);
        vm.assertEq(plan(inputs).calls.length, 0);
    }

    function test_SettingsFromTheEnvironment() external {
        Inputs memory inputs = inputsFromEnvironment(PROPOSER);
        vm.assertEq(inputs.timelock.minDelay, 0);
        vm.assertEq(ownerOf(inputs), PROPOSER);

        scripts.setEnv("TIMELOCK_MIN_DELAY", "172800");
        inputs = inputsFromEnvironment(PROPOSER);
        vm.assertEq(inputs.timelock.minDelay, 2 days);
        vm.assertEq(inputs.timelock.proposers, _list(PROPOSER));
        vm.assertEq(inputs.timelock.executors, _list(PROPOSER));

        scripts.setEnv("TIMELOCK_PROPOSERS", scripts.toString(PROPOSER));
        scripts.setEnv("TIMELOCK_EXECUTORS", scripts.toString(EXECUTOR));
        scripts.setEnv("GUARDIAN", scripts.toString(GUARDIAN));
        inputs = inputsFromEnvironment(address(this));
        vm.assertEq(inputs.timelock.proposers, _list(PROPOSER));
        vm.assertEq(inputs.timelock.executors, _list(EXECUTOR));
        vm.assertEq(inputs.values[0].wanted, abi.encode(GUARDIAN));

        IAccountConfig config = IAccountConfig(deploy(inputs).diamond);
        vm.assertEq(config.guardian(), GUARDIAN);
        vm.assertEq(config.pendingOwner(), ownerOf(inputs));
        vm.assertTrue(ITimelock(config.pendingOwner()).hasRole(EXECUTOR_ROLE, EXECUTOR));
    }

    // ----------------------------------------------------------------------------------------------- refusals

    function test_RevertWhen_DelayIsTooLong() external {
        Inputs memory inputs = _inputs();
        inputs.timelock.minDelay = 30 days;
        this.planOf(inputs);
        inputs.timelock.minDelay = 30 days + 1;
        vm.expectRevert(
            abi.encodeWithSelector(TimelockDelayOutOfRange.selector, 30 days + 1, uint256(30 days))
        );
        this.planOf(inputs);
    }

    function test_RevertWhen_MemberIsMissing() external {
        Inputs memory inputs = _inputs();
        inputs.timelock.proposers = new address[](0);
        vm.expectRevert(abi.encodeWithSelector(TimelockWithoutProposer.selector));
        this.planOf(inputs);
        inputs.timelock.proposers = _list(address(0));
        vm.expectRevert(abi.encodeWithSelector(TimelockMemberIsZero.selector));
        this.planOf(inputs);
        inputs = _inputs();
        inputs.timelock.executors = new address[](0);
        vm.expectRevert(abi.encodeWithSelector(TimelockWithoutExecutor.selector));
        this.planOf(inputs);
        inputs.timelock.executors = _list(address(0));
        vm.expectRevert(abi.encodeWithSelector(TimelockMemberIsZero.selector));
        this.planOf(inputs);
    }
}
