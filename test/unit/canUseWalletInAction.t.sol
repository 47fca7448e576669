// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { AccountConfigTest } from "../utils/AccountConfigTest.sol";

contract CanUseWalletInActionTest is AccountConfigTest {
    function _can(uint256 cidHash, address pkpId) private view returns (bool) {
        return accountConfig.canUseWalletInAction(key, cidHash, pkpId);
    }

    function test_GroupThatPermitsBoth() external inBothModes {
        vm.assertTrue(_can(ACTION, wallet));
        vm.assertFalse(_can(ACTION, looseWallet));
        vm.assertFalse(_can(LOOSE_ACTION, wallet));
        vm.assertFalse(_can(ACTION, noWallet));
        vm.assertFalse(_can(ACTION, address(0)));
    }

    /// One group with the action and another with the wallet do not permit both.
    function test_ActionAndWalletInDifferentGroups() external inBothModes {
        by(writer).addActionToGroup(account, EMPTY_GROUP, LOOSE_ACTION);
        by(writer).addPkpToGroup(account, EMPTY_GROUP, looseWallet);
        UsageKey memory k = newKey(key);
        k.executeInGroups = list(GROUP, EMPTY_GROUP);
        setKey(k);
        vm.assertTrue(_can(ACTION, wallet));
        vm.assertTrue(_can(LOOSE_ACTION, looseWallet));
        vm.assertFalse(_can(ACTION, looseWallet));
        vm.assertFalse(_can(LOOSE_ACTION, wallet));
    }

    /// Rule 6: the wildcard grants every group, never a wallet that no group permits.
    function test_WildcardAndWalletOfNoGroup() external inBothModes {
        setKey(almightyKey(key));
        vm.assertTrue(_can(ACTION, wallet));
        vm.assertFalse(_can(ACTION, looseWallet));
        vm.assertFalse(_can(NO_ACTION, wallet));
        vm.assertFalse(_can(NO_ACTION, looseWallet));
    }

    function test_EveryActionAndEveryWallet() external inBothModes {
        by(writer).updateGroup(account, GROUP, NAME, DESCRIPTION, list(0), list(address(0)));
        vm.assertTrue(_can(NO_ACTION, looseWallet));
        vm.assertTrue(_can(ACTION, wallet));
        vm.assertFalse(_can(ACTION, noWallet));
        vm.assertFalse(_can(ACTION, address(0)));
    }

    function test_EveryWalletIsEveryWalletOfTheAccount() external {
        by(admin)
            .registerWalletDerivation(
                SECURED, noWallet, (uint256(uint160(admin)) << 96) | 3, NAME, DESCRIPTION
            );
        by(payer).addPkpToGroup(MANAGED, GROUP, address(0));
        vm.assertFalse(_can(ACTION, noWallet));
        enterSecured();
        by(admin).addPkpToGroup(SECURED, GROUP, noWallet);
        vm.assertTrue(_can(ACTION, noWallet));
    }

    function test_Expiration() external inBothModes {
        UsageKey memory k = almightyKey(key);
        k.expiration = NOW + 10;
        setKey(k);
        vm.warp(NOW + 9);
        vm.assertTrue(_can(ACTION, wallet));
        vm.warp(NOW + 10);
        vm.assertFalse(_can(ACTION, wallet));
        vm.warp(NOW);
    }

    /// All bits of a wallet count, not only those that key the storage.
    function testFuzz_NeighbouringWallets(uint160 difference) external view {
        vm.assume(difference << 127 != 0);
        address pkpId = address(uint160(wallet) ^ (difference << 127));
        vm.assertFalse(_can(ACTION, pkpId));
        vm.assertEq(accountConfig.getWalletDerivation(MANAGED, pkpId), 0);
    }

    function test_NoUsageKey() external {
        vm.assertFalse(accountConfig.canUseWalletInAction(MANAGED, ACTION, wallet));
        vm.assertFalse(accountConfig.canUseWalletInAction(SECURED, ACTION, wallet));
        vm.assertFalse(accountConfig.canUseWalletInAction(UNKNOWN, ACTION, wallet));
        by(payer).removeUsageApiKey(MANAGED, key);
        vm.assertFalse(_can(ACTION, wallet));
    }

    function test_HighGroups() external {
        addGroupsUpTo(600);
        uint256[] memory ids = new uint256[](8);
        (ids[0], ids[1], ids[2], ids[3]) = (64, 94, 95, 96);
        (ids[4], ids[5], ids[6], ids[7]) = (255, 256, 512, 600);
        setKey(almightyKey(UNKNOWN));
        for (uint256 i; i < ids.length; ++i) {
            by(payer).updateGroup(MANAGED, ids[i], "", "", list(NO_ACTION), list(looseWallet));
            UsageKey memory k = newKey(key);
            k.executeInGroups = list(ids[i]);
            setKey(k);
            vm.assertTrue(_can(NO_ACTION, looseWallet));
            vm.assertTrue(accountConfig.canUseWalletInAction(UNKNOWN, NO_ACTION, looseWallet));
            by(payer).removeGroup(MANAGED, ids[i]);
            vm.assertFalse(_can(NO_ACTION, looseWallet));
            vm.assertFalse(accountConfig.canUseWalletInAction(UNKNOWN, NO_ACTION, looseWallet));
        }
    }
}
