// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IViewsFacet } from "../../contracts/interfaces/IViewsFacet.sol";
import { AccountConfigTest } from "../utils/AccountConfigTest.sol";

contract ExplainExecutionTest is AccountConfigTest {
    function _assertExplained(
        uint256 hash,
        uint256 cidHash,
        address pkpId,
        IViewsFacet.ExecutionRule actionRule,
        uint256 actionGroupId,
        IViewsFacet.ExecutionRule walletRule,
        uint256 walletGroupId
    ) private view {
        IViewsFacet.Explanation memory e = accountConfig.explainExecution(hash, cidHash, pkpId);
        vm.assertEq(uint256(e.actionRule), uint256(actionRule), "action rule");
        vm.assertEq(e.actionGroupId, actionGroupId, "action group");
        vm.assertEq(uint256(e.walletRule), uint256(walletRule), "wallet rule");
        vm.assertEq(e.walletGroupId, walletGroupId, "wallet group");
        assertCan(hash, cidHash, pkpId, e.canExecute, e.canUseWallet);
        vm.assertEq(accountConfig.canExecuteAction(hash, cidHash), e.canExecute);
        vm.assertEq(accountConfig.canUseWalletInAction(hash, cidHash, pkpId), e.canUseWallet);
    }

    function _assertRefused(uint256 hash, IViewsFacet.ExecutionRule rule) private view {
        _assertExplained(hash, ACTION, wallet, rule, 0, rule, 0);
    }

    function test_Group() external inBothModes {
        IViewsFacet.ExecutionRule byGroup = IViewsFacet.ExecutionRule.Group;
        _assertExplained(key, ACTION, wallet, byGroup, GROUP, byGroup, GROUP);
    }

    function test_LowestGroups() external inBothModes {
        addGroupsUpTo(300);
        IViewsFacet.ExecutionRule byGroup = IViewsFacet.ExecutionRule.Group;
        UsageKey memory k = newKey(key);
        k.executeInGroups = list(100, 299, 300);
        setKey(k);
        by(writer).addActionToGroup(account, 300, LOOSE_ACTION);
        by(writer).addPkpToGroup(account, 300, looseWallet);
        _assertExplained(key, LOOSE_ACTION, looseWallet, byGroup, 300, byGroup, 300);
        by(writer).addActionToGroup(account, 299, 0);
        _assertExplained(key, LOOSE_ACTION, looseWallet, byGroup, 299, byGroup, 300);
        by(writer).addActionToGroup(account, 100, LOOSE_ACTION);
        _assertExplained(key, LOOSE_ACTION, looseWallet, byGroup, 100, byGroup, 300);
        by(writer).addPkpToGroup(account, 299, address(0));
        _assertExplained(key, LOOSE_ACTION, looseWallet, byGroup, 100, byGroup, 299);
    }

    function test_Wildcard() external inBothModes {
        setKey(almightyKey(key));
        _assertExplained(
            key, ACTION, wallet, IViewsFacet.ExecutionRule.Wildcard, 0, IViewsFacet.ExecutionRule.Group, GROUP
        );
        _assertExplained(
            key,
            NO_ACTION,
            wallet,
            IViewsFacet.ExecutionRule.Wildcard,
            0,
            IViewsFacet.ExecutionRule.NoGroupPermitsWallet,
            0
        );
    }

    function test_NoGroupPermitsAction() external inBothModes {
        _assertExplained(
            key,
            LOOSE_ACTION,
            wallet,
            IViewsFacet.ExecutionRule.NoGroupPermitsAction,
            0,
            IViewsFacet.ExecutionRule.NoGroupPermitsWallet,
            0
        );
    }

    function test_NoGroupPermitsWallet() external inBothModes {
        _assertExplained(
            key,
            ACTION,
            looseWallet,
            IViewsFacet.ExecutionRule.Group,
            GROUP,
            IViewsFacet.ExecutionRule.NoGroupPermitsWallet,
            0
        );
    }

    function test_WalletUnknown() external inBothModes {
        address[2] memory unknown = [noWallet, address(0)];
        for (uint256 i; i < unknown.length; ++i) {
            _assertExplained(
                key,
                ACTION,
                unknown[i],
                IViewsFacet.ExecutionRule.Group,
                GROUP,
                IViewsFacet.ExecutionRule.WalletUnknown,
                0
            );
        }
    }

    function test_KeyUnknown() external view {
        _assertRefused(UNKNOWN, IViewsFacet.ExecutionRule.KeyUnknown);
        _assertRefused(0, IViewsFacet.ExecutionRule.KeyUnknown);
    }

    function test_KeyRemoved() external inBothModes {
        by(writer).removeUsageApiKey(account, key);
        _assertRefused(key, IViewsFacet.ExecutionRule.KeyUnknown);
    }

    function test_NotUsageKey() external {
        _assertRefused(MANAGED, IViewsFacet.ExecutionRule.NotUsageKey);
        _assertRefused(SECURED, IViewsFacet.ExecutionRule.NotUsageKey);
        convert();
        _assertRefused(identity(newAdmin), IViewsFacet.ExecutionRule.NotUsageKey);
    }

    function test_KeyExpired() external inBothModes {
        UsageKey memory k = almightyKey(key);
        k.expiration = NOW;
        setKey(k);
        _assertRefused(key, IViewsFacet.ExecutionRule.KeyExpired);
    }
}
