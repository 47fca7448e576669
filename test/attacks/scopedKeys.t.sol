// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IAccountWrites } from "../../contracts/interfaces/IAccountWrites.sol";
import { IActionWrites } from "../../contracts/interfaces/IActionWrites.sol";
import { IErrors } from "../../contracts/interfaces/IErrors.sol";
import { IGroupWrites } from "../../contracts/interfaces/IGroupWrites.sol";
import { IUsageKeyWrites } from "../../contracts/interfaces/IUsageKeyWrites.sol";
import { IViewsFacet } from "../../contracts/interfaces/IViewsFacet.sol";
import { IWalletWrites } from "../../contracts/interfaces/IWalletWrites.sol";
import { IWritesFacet } from "../../contracts/interfaces/IWritesFacet.sol";
import { AttackTest } from "../utils/AttackTest.sol";

/// @notice Attacks by the holder of a scoped usage key. The api payer (or the admin wallet) makes all of its calls, each with
/// the hash of that key (rules 2, 3 and 5).
contract ScopedKeyAttackTest is AttackTest {
    uint256 private constant OTHER_KEY = uint256(keccak256("other usage key"));

    function _almighty(uint256 account_, uint256 usageHash) private view returns (bytes memory) {
        UsageKey memory k = almightyKey(usageHash);
        k.accountApiKeyHash = account_;
        return encodeSetKey(k);
    }

    function _notMaster() private view returns (bytes memory) {
        return abi.encodeWithSelector(IErrors.NotMasterAccount.selector, key);
    }

    function _one(bytes memory call) private pure returns (bytes memory) {
        bytes[] memory calls = new bytes[](1);
        calls[0] = call;
        return abi.encodeCall(IWritesFacet.multicall, (calls));
    }

    /// @notice Every function that refuses a usage-key hash, with arguments that are valid for the account.
    function _masterCalls() private view returns (bytes[] memory calls) {
        calls = new bytes[](13);
        calls[0] = _almighty(key, key);
        calls[1] = _almighty(key, OTHER_KEY);
        calls[2] = _almighty(key, NO_ACTION);
        calls[3] = abi.encodeCall(IUsageKeyWrites.updateUsageApiKeyMetadata, (key, key, NAME, DESCRIPTION));
        calls[4] = abi.encodeCall(IUsageKeyWrites.removeUsageApiKey, (key, key));
        calls[5] = abi.encodeCall(IUsageKeyWrites.removeUsageApiKey, (key, OTHER_KEY));
        calls[6] = abi.encodeCall(
            IGroupWrites.updateGroup, (key, GROUP, NAME, DESCRIPTION, list(0), list(address(0)))
        );
        calls[7] = abi.encodeCall(IGroupWrites.updateGroupMetadata, (key, GROUP, NAME, DESCRIPTION));
        calls[8] = abi.encodeCall(IActionWrites.addAction, (key, NAME, DESCRIPTION, NO_ACTION));
        calls[9] = abi.encodeCall(IActionWrites.removeAction, (key, ACTION));
        calls[10] =
            abi.encodeCall(IActionWrites.updateActionMetadata, (key, ACTION, GROUP, NAME, DESCRIPTION));
        calls[11] = abi.encodeCall(IWalletWrites.removeWalletDerivation, (key, wallet));
        calls[12] = abi.encodeCall(IAccountWrites.transferChainSecuredAccountOwnership, (key, thief));
    }

    /// Even a key with every permission cannot manage keys, directly, in a multicall or in a nested multicall.
    function test_KeyRewritesItselfThroughThePayer() external blockedInBothModes {
        uint256 snapshot = vm.snapshotState();
        setKey(newKey(OTHER_KEY));
        for (uint256 everything; everything < 2; ++everything) {
            if (everything == 1) setKey(almightyKey(key));
            bytes32 before = fingerprint(account);
            bytes[] memory calls = _masterCalls();
            for (uint256 i; i < calls.length; ++i) {
                refused(writer, calls[i], _notMaster());
                refused(writer, _one(calls[i]), _notMaster());
                refused(writer, _one(_one(calls[i])), _notMaster());
            }
            refused(
                payer, abi.encodeCall(IAccountWrites.convertToChainSecuredAccount, (key, thief)), _notMaster()
            );
            vm.assertEq(fingerprint(account), before);
        }
        vm.revertToState(snapshot);
    }

    /// A refused call after an allowed one in a multicall: the whole multicall reverts.
    function test_KeyRewritesItselfBehindAnAllowedCall() external inBothModes {
        UsageKey memory k = newKey(key);
        k.createGroups = true;
        setKey(k);
        bytes32 before = fingerprint(account);
        bytes[] memory calls = new bytes[](2);
        calls[0] = abi.encodeCall(IGroupWrites.addGroup, (key, NAME, DESCRIPTION, list(), wallets()));
        calls[1] = _almighty(key, key);
        refused(writer, abi.encodeCall(IWritesFacet.multicall, (calls)), _notMaster());
        vm.assertEq(fingerprint(account), before);
    }

    /// The other hashes that name the account are not free for a key.
    function test_KeyTakesTheNameOfItsAccount() external inBothModes {
        if (account == MANAGED) convert();
        uint256 alias_ = identity(writer);
        uint256[2] memory names = [account, alias_];
        for (uint256 i; i < 2; ++i) {
            refused(
                writer,
                _almighty(account, names[i]),
                abi.encodeWithSelector(IErrors.AccountAlreadyExists.selector, names[i])
            );
            (uint256 master,,, bool isUsageKey,) = accountConfig.resolve(names[i]);
            vm.assertEq(master, account);
            vm.assertFalse(isUsageKey);
        }
        // An account never runs an action, by any of its hashes.
        assertCan(account, ACTION, wallet, false, false);
        assertCan(alias_, ACTION, wallet, false, false);
    }

    /// An almighty key of another account has no permission here.
    function test_KeyIsRewrittenFromAnotherAccount() external blocked {
        refused(
            attacker, _almighty(lair, key), abi.encodeWithSelector(IErrors.AccountAlreadyExists.selector, key)
        );
        refused(
            attacker,
            _almighty(lairKey, key),
            abi.encodeWithSelector(IErrors.NotMasterAccount.selector, lairKey)
        );
        bytes memory notThere = abi.encodeWithSelector(IErrors.UsageApiKeyDoesNotExist.selector, lair, key);
        refused(attacker, abi.encodeCall(IUsageKeyWrites.removeUsageApiKey, (lair, key)), notThere);
        refused(
            attacker,
            abi.encodeCall(IUsageKeyWrites.updateUsageApiKeyMetadata, (lair, key, NAME, DESCRIPTION)),
            notThere
        );
    }

    /// A new group gives access to every wallet only to a key that may fill any group.
    function test_KeyOpensAGroupWithEverythingInIt() external inBothModes {
        UsageKey memory k = newKey(key);
        k.createGroups = true;
        k.executeInGroups = list(0);
        k.manageIPFSIdsInGroups = list(GROUP, EMPTY_GROUP);
        k.addPkpToGroups = list(GROUP, EMPTY_GROUP);
        setKey(k);
        refused(
            writer,
            abi.encodeCall(IGroupWrites.addGroup, (key, NAME, DESCRIPTION, list(0), wallets())),
            abi.encodeWithSelector(IErrors.NotAllowedToManageIPFSIdsInGroup.selector, key, 0)
        );
        refused(
            writer,
            abi.encodeCall(IGroupWrites.addGroup, (key, NAME, DESCRIPTION, list(), list(address(0)))),
            abi.encodeWithSelector(IErrors.NotAllowedToAddPkpToGroup.selector, key, 0)
        );
        uint256 groupId = by(writer).addGroup(key, NAME, DESCRIPTION, list(), wallets());
        refused(
            writer,
            abi.encodeCall(IWalletWrites.addPkpToGroup, (key, groupId, looseWallet)),
            abi.encodeWithSelector(IErrors.NotAllowedToAddPkpToGroup.selector, key, groupId)
        );
        refused(
            writer,
            abi.encodeCall(IActionWrites.addActionToGroup, (key, groupId, LOOSE_ACTION)),
            abi.encodeWithSelector(IErrors.NotAllowedToManageIPFSIdsInGroup.selector, key, groupId)
        );
        assertCan(key, LOOSE_ACTION, looseWallet, true, false);
    }

    /// A group that is removed and added again is another group, without the grants of the old one.
    function test_KeyReplacesAGroupByDeletingIt() external inBothModes {
        UsageKey memory k = newKey(key);
        (k.createGroups, k.deleteGroups) = (true, true);
        k.manageIPFSIdsInGroups = list(EMPTY_GROUP);
        k.executeInGroups = list(EMPTY_GROUP);
        setKey(k);
        by(writer).removeGroup(key, EMPTY_GROUP);
        uint256 groupId = by(writer).addGroup(key, NAME, DESCRIPTION, list(), wallets());
        vm.assertEq(groupId, NO_GROUP);
        by(writer).addActionToGroup(account, groupId, LOOSE_ACTION);
        assertCan(key, LOOSE_ACTION, wallet, false, false);
        refused(
            writer,
            abi.encodeCall(IActionWrites.addActionToGroup, (key, EMPTY_GROUP, ACTION)),
            abi.encodeWithSelector(IErrors.GroupDoesNotExist.selector, key, EMPTY_GROUP)
        );
        refused(
            writer,
            abi.encodeCall(IActionWrites.addActionToGroup, (key, groupId, ACTION)),
            abi.encodeWithSelector(IErrors.NotAllowedToManageIPFSIdsInGroup.selector, key, groupId)
        );
    }

    /// Group id 0 is the wildcard in a permission list and not a group: no call can write to all groups.
    function test_KeyWritesIntoGroupZero() external inBothModes {
        refused(
            writer,
            abi.encodeCall(IActionWrites.addActionToGroup, (key, 0, ACTION)),
            abi.encodeWithSelector(IErrors.NotAllowedToManageIPFSIdsInGroup.selector, key, 0)
        );
        setKey(almightyKey(key));
        bytes memory noGroup = abi.encodeWithSelector(IErrors.GroupDoesNotExist.selector, key, 0);
        refused(writer, abi.encodeCall(IActionWrites.addActionToGroup, (key, 0, NO_ACTION)), noGroup);
        refused(writer, abi.encodeCall(IWalletWrites.addPkpToGroup, (key, 0, looseWallet)), noGroup);
        refused(writer, abi.encodeCall(IWalletWrites.removePkpFromGroup, (key, 0, wallet)), noGroup);
        refused(writer, abi.encodeCall(IActionWrites.removeActionFromGroup, (key, 0, ACTION)), noGroup);
        refused(writer, abi.encodeCall(IGroupWrites.removeGroup, (key, 0)), noGroup);
        assertCan(key, LOOSE_ACTION, looseWallet, true, false);
        assertCan(key, ACTION, wallet, true, true);
    }

    /// A permission for a future group is refused, so a new group starts without grants.
    function test_PermissionOnAGroupThatDoesNotExist() external blockedInBothModes {
        uint256 snapshot = vm.snapshotState();
        uint256 removed = by(writer).addGroup(account, NAME, DESCRIPTION, list(ACTION), list(wallet));
        by(writer).removeGroup(account, removed);
        uint256[8] memory ids = [removed, removed + 1, 94, 95, 256, (1 << 30) - 1, 1 << 30, type(uint256).max];
        for (uint256 i; i < ids.length; ++i) {
            for (uint256 which; which < 4; ++which) {
                UsageKey memory k = newKey(OTHER_KEY);
                uint256[] memory ids_ = list(GROUP, ids[i]);
                if (which == 0) k.manageIPFSIdsInGroups = ids_;
                if (which == 1) k.addPkpToGroups = ids_;
                if (which == 2) k.removePkpFromGroups = ids_;
                if (which == 3) k.executeInGroups = ids_;
                refused(
                    writer,
                    encodeSetKey(k),
                    abi.encodeWithSelector(IErrors.GroupDoesNotExist.selector, account, ids[i])
                );
            }
        }
        vm.assertEq(accountConfig.allApiKeyHashesToMaster(OTHER_KEY), 0);
        vm.revertToState(snapshot);
    }

    /// Grants on a group end with the group, and the next group inherits nothing.
    function test_GrantOutlivesItsGroup() external inBothModes {
        addGroupsUpTo(255);
        UsageKey memory k = newKey(key);
        k.executeInGroups = list(GROUP, 255);
        k.manageIPFSIdsInGroups = list(GROUP, 255);
        setKey(k);
        by(writer).removeGroup(account, GROUP);
        by(writer).removeGroup(account, 255);
        assertCan(key, ACTION, wallet, false, false);
        uint256 groupId = by(writer).addGroup(account, NAME, DESCRIPTION, list(0), list(address(0)));
        vm.assertEq(groupId, 256);
        assertCan(key, ACTION, wallet, false, false);
        vm.assertEq(usageKey(key).permissions.executeInGroups, list());
        refused(
            writer,
            abi.encodeCall(IActionWrites.addActionToGroup, (key, groupId, ACTION)),
            abi.encodeWithSelector(IErrors.NotAllowedToManageIPFSIdsInGroup.selector, key, groupId)
        );
    }

    /// A key that may manage actions adds one that shares its stored bits with a later action. The key cannot add that action,
    /// and the admin's takes the place of the first, which the key cannot add again.
    function test_KeySquatsTheStoredBitsOfAnAction() external inBothModes {
        UsageKey memory k = newKey(key);
        k.manageIPFSIdsInGroups = list(EMPTY_GROUP);
        k.executeInGroups = list(GROUP, EMPTY_GROUP);
        setKey(k);
        uint256 squatter = NO_ACTION ^ (1 << 200);
        by(writer).addActionToGroup(key, EMPTY_GROUP, squatter);
        assertCan(key, squatter, wallet, true, false);
        assertCan(key, NO_ACTION, wallet, false, false);
        expectRevert(IErrors.IdCollision.selector, NO_ACTION);
        by(writer).addActionToGroup(key, EMPTY_GROUP, NO_ACTION);
        by(writer).addAction(account, NAME, DESCRIPTION, NO_ACTION);
        expectRevert(IErrors.IdCollision.selector, squatter);
        by(writer).addActionToGroup(key, EMPTY_GROUP, squatter);
        assertCan(key, squatter, wallet, false, false);
        assertCan(key, NO_ACTION, wallet, false, false);
        assertGroup(EMPTY_GROUP, list(), wallets());
    }

    // ------------------------------------------------------------------------------------------- time and change

    /// Every view and every write through the key, one second before its expiration and at it.
    function test_ExpiredKey() external inBothModes {
        UsageKey memory k = almightyKey(key);
        k.expiration = NOW + 100;
        setKey(k);
        bytes[7] memory writes = [
            abi.encodeCall(IGroupWrites.addGroup, (key, NAME, DESCRIPTION, list(), wallets())),
            abi.encodeCall(IActionWrites.addActionToGroup, (key, EMPTY_GROUP, ACTION)),
            abi.encodeCall(IActionWrites.removeActionFromGroup, (key, GROUP, ACTION)),
            abi.encodeCall(IWalletWrites.addPkpToGroup, (key, EMPTY_GROUP, wallet)),
            abi.encodeCall(IWalletWrites.removePkpFromGroup, (key, GROUP, wallet)),
            abi.encodeCall(IGroupWrites.removeGroup, (key, GROUP)),
            abi.encodeCall(
                IWalletWrites.registerWalletDerivation, (key, noWallet, pathOf(3), NAME, DESCRIPTION)
            )
        ];
        bytes memory expired = abi.encodeWithSelector(IErrors.UsageApiKeyExpired.selector, key);
        uint256[4] memory times =
            [uint256(NOW + 99), NOW + 100, NOW + 101, uint256(type(uint40).max) * type(uint24).max];
        for (uint256 i; i < times.length; ++i) {
            vm.warp(times[i]);
            bool alive = i == 0;
            _assertRuns(alive);
            for (uint256 j; j < writes.length; ++j) {
                uint256 snapshot = vm.snapshotState();
                if (alive) {
                    by(writer);
                    (bool ok,) = address(accountConfig).call(writes[j]);
                    vm.assertTrue(ok, "the living key may write");
                } else {
                    refused(writer, writes[j], expired);
                    refused(writer, _one(writes[j]), expired);
                }
                vm.revertToState(snapshot);
            }
        }
        // The account still works.
        by(writer).addActionToGroup(account, GROUP, LOOSE_ACTION);
    }

    function _assertRuns(bool alive) private view {
        vm.assertEq(accountConfig.canExecuteAction(key, ACTION), alive, "canExecuteAction");
        vm.assertEq(accountConfig.canUseWalletInAction(key, ACTION, wallet), alive, "canUseWalletInAction");
        assertCan(key, ACTION, wallet, alive, alive);
        IViewsFacet.Explanation memory e = accountConfig.explainExecution(key, ACTION, wallet);
        vm.assertEq(e.canExecute, alive, "explained execution");
        vm.assertEq(e.canUseWallet, alive, "explained wallet");
        vm.assertEq(uint256(e.actionGroupId) + e.walletGroupId, alive ? GROUP : 0);
        if (!alive) vm.assertTrue(e.actionRule == IViewsFacet.ExecutionRule.KeyExpired);
    }

    /// A key whose wildcard was replaced with lists, page by page, keeps nothing of the wildcard.
    function test_StaleWildcardAfterAnUpdate() external inBothModes {
        addGroupsUpTo(300);
        by(writer).addActionToGroup(account, 300, LOOSE_ACTION);
        by(writer).addPkpToGroup(account, 300, looseWallet);
        setKey(almightyKey(key));
        assertCan(key, LOOSE_ACTION, looseWallet, true, true);
        uint256[3] memory left = [uint256(GROUP), EMPTY_GROUP, 299];
        for (uint256 i; i < left.length; ++i) {
            UsageKey memory k = newKey(key);
            k.executeInGroups = list(left[i]);
            k.addPkpToGroups = list(left[i]);
            setKey(k);
            assertKey(k);
            assertCan(key, ACTION, wallet, left[i] == GROUP, left[i] == GROUP);
            assertCan(key, LOOSE_ACTION, looseWallet, false, false);
            refused(
                writer,
                abi.encodeCall(IWalletWrites.addPkpToGroup, (key, 300, wallet)),
                abi.encodeWithSelector(IErrors.NotAllowedToAddPkpToGroup.selector, key, 300)
            );
            refused(
                writer,
                abi.encodeCall(IActionWrites.addActionToGroup, (key, left[i], LOOSE_ACTION)),
                abi.encodeWithSelector(IErrors.NotAllowedToManageIPFSIdsInGroup.selector, key, left[i])
            );
        }
        // A key without a wildcard has no permission on later groups.
        uint256 groupId = by(writer).addGroup(account, NAME, DESCRIPTION, list(0), list(address(0)));
        assertCan(key, ACTION, wallet, false, false);
        vm.assertEq(groupId, 301);
    }

    function test_RemovedKeyComesBackWithFewerGrants() external inBothModes {
        addGroupsUpTo(300);
        by(writer).addActionToGroup(account, 300, LOOSE_ACTION);
        by(writer).addPkpToGroup(account, 300, looseWallet);
        UsageKey memory k = almightyKey(key);
        k.executeInGroups = list(GROUP, 100, 300);
        k.expiration = NOW + 10;
        setKey(k);
        assertCan(key, LOOSE_ACTION, looseWallet, true, true);
        by(writer).removeUsageApiKey(account, key);
        assertCan(key, ACTION, wallet, false, false);
        vm.assertEq(accountConfig.allApiKeyHashesToMaster(key), 0);

        k = newKey(key);
        k.executeInGroups = list(GROUP);
        setKey(k);
        assertKey(k);
        vm.warp(NOW + 1000);
        assertCan(key, ACTION, wallet, true, true);
        assertCan(key, LOOSE_ACTION, looseWallet, false, false);
        refused(
            writer,
            abi.encodeCall(IGroupWrites.addGroup, (key, NAME, DESCRIPTION, list(), wallets())),
            abi.encodeWithSelector(IErrors.NotAllowedToCreateGroup.selector, key)
        );
        refused(
            writer,
            abi.encodeCall(IWalletWrites.removePkpFromGroup, (key, GROUP, wallet)),
            abi.encodeWithSelector(IErrors.NotAllowedToRemovePkpFromGroup.selector, key, GROUP)
        );
    }
}
