// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IAccountConfig } from "../../contracts/interfaces/IAccountConfig.sol";
import { AccountConfigTest } from "../utils/AccountConfigTest.sol";

/// @notice Rule 12: what a call costs does not depend on how much the account, or the contract, already holds.
///
/// The same calls are measured on an account and, after it has grown, once more. A sweep over what the account holds would
/// cost at least 100 gas for each new entry of a kind, for cold storage 2,100. (Below 256 entries a call costs less.)
contract CostTest is AccountConfigTest {
    uint256 private constant BEFORE = 270;
    uint256 private constant AFTER = 510;

    function _grow(uint256 from, uint256 to) private {
        addGroupsUpTo(to);
        for (uint256 i = from; i <= to; ++i) {
            by(payer).addAction(MANAGED, "", "", i);
            by(payer).registerWalletDerivation(MANAGED, address(uint160(i)), pathOf(i), "", "");
            by(payer).addActionToGroup(MANAGED, i, ACTION);
            by(payer).addPkpToGroup(MANAGED, i, wallet);
            by(payer).addActionToGroup(MANAGED, GROUP, i);
            by(payer).addPkpToGroup(MANAGED, GROUP, address(uint160(i)));
            UsageKey memory k = newKey(i);
            k.executeInGroups = list(1, i);
            setKey(k);
        }
    }

    /// @return calls Each write once, in an order in which all of them succeed.
    function _calls() private view returns (bytes[] memory calls) {
        calls = new bytes[](19);
        uint256 i;
        UsageKey memory k = newKey(UNKNOWN);
        k.executeInGroups = list(GROUP, EMPTY_GROUP);
        calls[i++] = encodeSetKey(k);
        k.executeInGroups = list(EMPTY_GROUP);
        calls[i++] = encodeSetKey(k);
        calls[i++] =
            abi.encodeCall(IAccountConfig.updateUsageApiKeyMetadata, (account, UNKNOWN, NAME, DESCRIPTION));
        calls[i++] = abi.encodeCall(IAccountConfig.removeUsageApiKey, (account, UNKNOWN));
        calls[i++] = abi.encodeCall(IAccountConfig.addAction, (account, NAME, DESCRIPTION, NO_ACTION));
        calls[i++] = abi.encodeCall(
            IAccountConfig.registerWalletDerivation, (account, noWallet, pathOf(1000), NAME, DESCRIPTION)
        );
        calls[i++] = abi.encodeCall(
            IAccountConfig.addGroup, (account, NAME, DESCRIPTION, list(NO_ACTION), list(noWallet))
        );
        calls[i++] = abi.encodeCall(IAccountConfig.addActionToGroup, (account, EMPTY_GROUP, NO_ACTION));
        calls[i++] = abi.encodeCall(IAccountConfig.addPkpToGroup, (account, EMPTY_GROUP, noWallet));
        calls[i++] = abi.encodeCall(
            IAccountConfig.updateActionMetadata, (account, NO_ACTION, EMPTY_GROUP, NAME, DESCRIPTION)
        );
        calls[i++] =
            abi.encodeCall(IAccountConfig.updateGroupMetadata, (account, EMPTY_GROUP, NAME, DESCRIPTION));
        calls[i++] = abi.encodeCall(IAccountConfig.removeActionFromGroup, (account, EMPTY_GROUP, NO_ACTION));
        calls[i++] = abi.encodeCall(IAccountConfig.removePkpFromGroup, (account, EMPTY_GROUP, noWallet));
        calls[i++] =
            abi.encodeCall(IAccountConfig.canExecuteActionAndUseWallet, (key, LOOSE_ACTION, looseWallet));
        calls[i++] = abi.encodeCall(IAccountConfig.canExecuteActionAndUseWallet, (key, ACTION, wallet));
        calls[i++] = abi.encodeCall(IAccountConfig.removeAction, (account, ACTION));
        calls[i++] = abi.encodeCall(IAccountConfig.removeWalletDerivation, (account, wallet));
        calls[i++] = abi.encodeCall(IAccountConfig.removeGroup, (account, GROUP));
        calls[i++] = abi.encodeCall(
            IAccountConfig.updateGroup,
            (account, EMPTY_GROUP, NAME, DESCRIPTION, list(NO_ACTION), list(noWallet))
        );
    }

    function _measure() private returns (uint256[] memory costs) {
        bytes[] memory calls = _calls();
        costs = new uint256[](calls.length);
        for (uint256 i; i < calls.length; ++i) {
            by(writer);
            uint256 gas = gasleft();
            (bool ok,) = address(accountConfig).call(calls[i]);
            costs[i] = gas - gasleft();
            vm.assertTrue(ok, vm.toString(i));
        }
    }

    function test_CostDoesNotGrow() external {
        _grow(3, BEFORE);
        uint256 snapshot = vm.snapshotState();
        uint256[] memory small = _measure();
        vm.revertToState(snapshot);
        _grow(BEFORE + 1, AFTER);
        uint256[] memory large = _measure();
        for (uint256 i; i < small.length; ++i) {
            vm.assertLt(large[i], small[i] + 24_000);
        }
    }
}
