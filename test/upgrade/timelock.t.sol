// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IDiamond } from "../../contracts/interfaces/IDiamond.sol";
import { IErrors } from "../../contracts/interfaces/IErrors.sol";
import { Deploy } from "../../script/Deploy.s.sol";
import { NewFacet } from "../mocks/Facets.sol";
import { AccountConfigTest } from "../utils/AccountConfigTest.sol";
import { ITimelock } from "../utils/ITimelock.sol";

/// @notice The owner's functions when the owner is a timelock: each runs after the delay and not before it.
contract TimelockedOwnerTest is AccountConfigTest {
    uint256 private constant DELAY = 2 days;
    bytes32 private constant PROPOSER_ROLE = keccak256("PROPOSER_ROLE");
    bytes32 private constant CANCELLER_ROLE = keccak256("CANCELLER_ROLE");
    bytes32 private constant EXECUTOR_ROLE = keccak256("EXECUTOR_ROLE");
    /// OpenZeppelin's set of states with `Ready` alone.
    bytes32 private constant READY = bytes32(uint256(1 << 2));

    address private immutable proposer = actor("proposer");
    address private immutable executor = actor("executor");
    address private immutable guardian = actor("guardian");
    ITimelock private timelock;

    function setUp() public override {
        super.setUp();
        timelock = ITimelock(
            deployer()
                .deployTimelock(
                    Deploy.TimelockSettings({
                    minDelay: DELAY, proposers: list(proposer), executors: list(executor)
                })
                )
        );
        by(owner).setGuardian(guardian);
        by(owner).transferOwnership(address(timelock));
        _assertDelayed(abi.encodeCall(accountConfig.acceptOwnership, ()));
        vm.assertEq(accountConfig.owner(), address(timelock));
    }

    function _schedule(bytes memory data) private {
        vm.prank(proposer);
        timelock.schedule(address(accountConfig), 0, data, 0, 0, DELAY);
    }

    function _execute(address caller, bytes memory data) private {
        vm.prank(caller);
        timelock.execute(address(accountConfig), 0, data, 0, 0);
    }

    function _expectNotReady(bytes memory data) private {
        bytes32 id = timelock.hashOperation(address(accountConfig), 0, data, 0, 0);
        vm.expectRevert(
            abi.encodeWithSelector(ITimelock.TimelockUnexpectedOperationState.selector, id, READY)
        );
    }

    function _expectNoRole(address caller, bytes32 role) private {
        vm.expectRevert(
            abi.encodeWithSelector(ITimelock.AccessControlUnauthorizedAccount.selector, caller, role)
        );
    }

    /// @notice Schedules, waits and executes a call. Nothing else leads to its execution.
    function _assertDelayed(bytes memory data) private {
        _expectNotReady(data);
        _execute(executor, data);

        address[5] memory others = [stranger, guardian, owner, executor, payer];
        for (uint256 i; i < others.length; ++i) {
            _expectNoRole(others[i], PROPOSER_ROLE);
            vm.prank(others[i]);
            timelock.schedule(address(accountConfig), 0, data, 0, 0, DELAY);
        }
        vm.expectRevert(
            abi.encodeWithSelector(ITimelock.TimelockInsufficientDelay.selector, DELAY - 1, DELAY)
        );
        vm.prank(proposer);
        timelock.schedule(address(accountConfig), 0, data, 0, 0, DELAY - 1);

        _schedule(data);
        vm.warp(block.timestamp + DELAY - 1);
        _expectNotReady(data);
        _execute(executor, data);
        vm.warp(block.timestamp + 1);
        others[3] = proposer;
        for (uint256 i; i < others.length; ++i) {
            _expectNoRole(others[i], EXECUTOR_ROLE);
            _execute(others[i], data);
        }
        _execute(executor, data);
        _expectNotReady(data);
        _execute(executor, data);
    }

    /// @notice The members of the timelock have no authority of their own.
    function _assertOnlyTheTimelock(bytes memory data) private {
        address[5] memory callers = [proposer, executor, guardian, owner, stranger];
        for (uint256 i; i < callers.length; ++i) {
            vm.prank(callers[i]);
            (bool ok, bytes memory result) = address(accountConfig).call(data);
            vm.assertFalse(ok);
            vm.assertEq(
                keccak256(result), keccak256(abi.encodeWithSelector(IDiamond.OnlyOwner.selector, callers[i]))
            );
        }
    }

    function test_Cut() external {
        IDiamond.FacetCut[] memory cuts = new IDiamond.FacetCut[](1);
        cuts[0] = IDiamond.FacetCut({
            facetAddress: address(new NewFacet()),
            action: IDiamond.FacetCutAction.Add,
            functionSelectors: new bytes4[](1)
        });
        cuts[0].functionSelectors[0] = NewFacet.answer.selector;
        bytes memory data = abi.encodeCall(accountConfig.diamondCut, (cuts, address(0), ""));
        _assertOnlyTheTimelock(data);
        _assertDelayed(data);
        vm.assertEq(NewFacet(address(accountConfig)).answer(), 42);
        assertCan(key, ACTION, wallet, true, true);
    }

    function test_SetApiPayers() external {
        bytes memory data = abi.encodeCall(accountConfig.setApiPayers, (list(otherPayer, newAdmin)));
        _assertOnlyTheTimelock(data);
        _assertDelayed(data);
        vm.assertEq(accountConfig.api_payers(), list(otherPayer, newAdmin));
    }

    function test_TransferOwnership() external {
        bytes memory data = abi.encodeCall(accountConfig.transferOwnership, (newAdmin));
        _assertOnlyTheTimelock(data);
        _assertDelayed(data);
        by(newAdmin).acceptOwnership();
        vm.assertEq(accountConfig.owner(), newAdmin);
    }

    /// The guardian freezes without a delay; unfreezing takes it.
    function test_FreezeAtOnceUnfreezeLater() external {
        by(guardian).freezePayers();
        vm.assertTrue(accountConfig.payersFrozen());
        vm.expectRevert(abi.encodeWithSelector(IErrors.ApiPayersAreFrozen.selector, payer));
        by(payer).addGroup(MANAGED, NAME, DESCRIPTION, list(), wallets());
        bytes memory data = abi.encodeCall(accountConfig.unfreezePayers, ());
        _assertOnlyTheTimelock(data);
        _assertDelayed(data);
        vm.assertFalse(accountConfig.payersFrozen());
        by(payer).addGroup(MANAGED, NAME, DESCRIPTION, list(), wallets());
    }

    function test_CancelledCallIsNotExecuted() external {
        bytes memory data = abi.encodeCall(accountConfig.setGuardian, (stranger));
        _schedule(data);
        bytes32 id = timelock.hashOperation(address(accountConfig), 0, data, 0, 0);
        _expectNoRole(executor, CANCELLER_ROLE);
        vm.prank(executor);
        timelock.cancel(id);
        vm.prank(proposer);
        timelock.cancel(id);
        vm.warp(block.timestamp + DELAY);
        _expectNotReady(data);
        _execute(executor, data);
        vm.assertEq(accountConfig.guardian(), guardian);
    }
}
