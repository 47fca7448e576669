// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IActionWrites } from "../../contracts/interfaces/IActionWrites.sol";
import { IErrors } from "../../contracts/interfaces/IErrors.sol";
import { IGroupWrites } from "../../contracts/interfaces/IGroupWrites.sol";
import { IViewsFacet } from "../../contracts/interfaces/IViewsFacet.sol";
import { Fingerprint } from "../utils/Fingerprint.sol";
import { Random } from "../utils/Random.sol";

/// @notice Groups, actions, and the members of groups: addGroup, updateGroup, updateGroupMetadata, removeGroup, addAction,
/// updateActionMetadata, removeAction, addActionToGroup, removeActionFromGroup, addPkpToGroup, removePkpFromGroup,
/// listGroupContents, listActionsInGroup, listWalletsInGroup.
contract GroupsFuzzTest is Fingerprint, Random {
    uint256 private constant LOW_127 = (1 << 127) - 1;

    /// Registered in this order, so the index is the position. "Every" is at 0.
    uint256[] private actions;
    address[] private pkps;
    /// The model of the group under test.
    mapping(uint256 index => bool) private permitsAction;
    mapping(uint256 index => bool) private permitsPkp;

    function setUp() public override {
        super.setUp();
        actions = [0, ACTION, LOOSE_ACTION];
        pkps = [address(0), wallet, looseWallet];
        // More than a group holds inline, up to and beyond the end of a word of 256.
        uint256[2] memory fillers = [uint256(107), 143];
        for (uint256 mode; mode < 2; ++mode) {
            mode == 0 ? enterSecured() : enterManaged();
            uint256 next = 1;
            for (uint256 i; i < fillers.length; ++i) {
                for (uint256 j; j < fillers[i]; ++j) {
                    _register(10_000 + next++);
                }
                for (uint256 j; j < 4; ++j) {
                    uint256 id = 20_000 + next++;
                    _register(id);
                    if (mode == 1) continue;
                    actions.push(id);
                    pkps.push(address(uint160(id)));
                }
            }
            addGroupsUpTo(97);
        }
    }

    function _register(uint256 id) private {
        by(writer).addAction(account, "", "", id);
        by(writer).registerWalletDerivation(account, address(uint160(id)), pathOf(id), "", "");
    }

    function _enter(uint256 seed_) private returns (uint256 groupId) {
        seed = seed_;
        random(2) == 0 ? enterManaged() : enterSecured();
        uint256[5] memory groups = [uint256(EMPTY_GROUP), 94, 95, 96, 97];
        return groups[random(groups.length)];
    }

    /// @notice Returns up to 10 entries per kind, with repetitions, and sets the model to them.
    function _randomContents() private returns (uint256[] memory cidHashes, address[] memory pkpIds) {
        for (uint256 i; i < actions.length; ++i) {
            (permitsAction[i], permitsPkp[i]) = (false, false);
        }
        cidHashes = new uint256[](random(11));
        pkpIds = new address[](random(11));
        for (uint256 i; i < cidHashes.length; ++i) {
            uint256 index = random(actions.length);
            (cidHashes[i], permitsAction[index]) = (actions[index], true);
        }
        for (uint256 i; i < pkpIds.length; ++i) {
            uint256 index = random(pkps.length);
            (pkpIds[i], permitsPkp[index]) = (pkps[index], true);
        }
    }

    /// @notice All three views of the group return the contents of the model, in order of registration.
    function _assertGroup(uint256 groupId) private view {
        (uint256[] memory cidHashes, address[] memory pkpIds) =
            accountConfig.listGroupContents(account, groupId);
        (uint256 a, uint256 p) = (0, 0);
        for (uint256 i; i < actions.length; ++i) {
            if (permitsAction[i]) vm.assertEq(cidHashes[a++], actions[i]);
            if (permitsPkp[i]) vm.assertEq(pkpIds[p++], pkps[i]);
        }
        vm.assertEq(cidHashes.length, a, "number of actions");
        vm.assertEq(pkpIds.length, p, "number of wallets");
        vm.assertEq(accountConfig.listActionsInGroup(account, groupId, 0, 1000), cidHashes);
        IViewsFacet.Pkp[] memory listed = accountConfig.listWalletsInGroup(account, groupId, 0, 1000);
        vm.assertEq(listed.length, p);
        for (uint256 i; i < p; ++i) {
            vm.assertEq(listed[i].pkpId, pkpIds[i]);
            vm.assertEq(listed[i].derivationPath, accountConfig.getWalletDerivation(account, pkpIds[i]));
        }
    }

    /// @notice A key that executes in the group may do exactly what the group permits.
    function _assertPermits(uint256 groupId) private {
        UsageKey memory k = newKey(key);
        k.executeInGroups = list(groupId);
        setKey(k);
        for (uint256 i = 1; i < actions.length; ++i) {
            uint256 j = 1 + random(pkps.length - 1);
            bool execute = permitsAction[i] || permitsAction[0];
            assertCan(key, actions[i], pkps[j], execute, execute && (permitsPkp[j] || permitsPkp[0]));
        }
        assertCan(key, UNKNOWN, noWallet, permitsAction[0], false);
    }

    function testFuzz_addGroup(uint256 seed_) external {
        _enter(seed_);
        (uint256[] memory cidHashes, address[] memory pkpIds) = _randomContents();
        (, uint256 count,,) = accountConfig.listSizes(account);
        expectEvent();
        emit IGroupWrites.GroupAdded(account, count + 1, NAME, DESCRIPTION, cidHashes, pkpIds);
        uint256 groupId = by(writer).addGroup(account, NAME, DESCRIPTION, cidHashes, pkpIds);
        assertEvents(1);
        vm.assertEq(groupId, count + 1);
        _assertGroup(groupId);
        _assertPermits(groupId);
    }

    /// Rule 4, with a history of updates and of single members.
    function testFuzz_updateGroup(uint256 seed_) external {
        uint256 groupId = _enter(seed_);
        uint256 updates = 1 + random(3);
        uint256[] memory cidHashes;
        address[] memory pkpIds;
        for (uint256 i; i < updates; ++i) {
            for (uint256 j = random(12); j != 0; --j) {
                by(writer).addActionToGroup(account, groupId, actions[random(actions.length)]);
                by(writer).addPkpToGroup(account, groupId, pkps[random(pkps.length)]);
            }
            (cidHashes, pkpIds) = _randomContents();
            expectEvent();
            emit IGroupWrites.GroupUpdated(account, groupId, NAME, DESCRIPTION, cidHashes, pkpIds);
            by(writer).updateGroup(account, groupId, NAME, DESCRIPTION, cidHashes, pkpIds);
            assertEvents(1);
        }
        _assertGroup(groupId);
        _assertPermits(groupId);
    }

    /// Any sequence of single changes, including those that change nothing.
    function testFuzz_members(uint256 seed_) external {
        uint256 groupId = _enter(seed_);
        (uint256[] memory cidHashes, address[] memory pkpIds) = _randomContents();
        by(writer).updateGroup(account, groupId, NAME, DESCRIPTION, cidHashes, pkpIds);
        for (uint256 i; i < 25; ++i) {
            uint256 index = random(actions.length);
            uint256 operation = random(4);
            if (operation == 0) {
                by(writer).addActionToGroup(account, groupId, actions[index]);
                assertEvents(permitsAction[index] ? 0 : 1);
                permitsAction[index] = true;
            } else if (operation == 1) {
                by(writer).addPkpToGroup(account, groupId, pkps[index]);
                assertEvents(permitsPkp[index] ? 0 : 1);
                permitsPkp[index] = true;
            } else if (operation == 2) {
                if (!permitsAction[index]) {
                    expectRevert(IErrors.ActionDoesNotExist.selector, account, groupId, actions[index]);
                }
                by(writer).removeActionFromGroup(account, groupId, actions[index]);
                permitsAction[index] = false;
            } else {
                if (!permitsPkp[index]) {
                    expectRevert(IErrors.PkpDoesNotExist.selector, account, groupId, pkps[index]);
                }
                by(writer).removePkpFromGroup(account, groupId, pkps[index]);
                permitsPkp[index] = false;
            }
        }
        _assertGroup(groupId);
        _assertPermits(groupId);
    }

    /// Rule 7: a removed item is in no group, also after it was added again.
    function testFuzz_removeActionAndWallet(uint256 seed_) external {
        uint256 groupId = _enter(seed_);
        (uint256[] memory cidHashes, address[] memory pkpIds) = _randomContents();
        by(writer).updateGroup(account, groupId, NAME, DESCRIPTION, cidHashes, pkpIds);
        uint256 index = 1 + random(actions.length - 1);
        uint256 path = accountConfig.getWalletDerivation(account, pkps[index]);
        by(writer).removeAction(account, actions[index]);
        by(writer).removeWalletDerivation(account, pkps[index]);
        (permitsAction[index], permitsPkp[index]) = (false, false);
        _assertGroup(groupId);
        vm.assertEq(accountConfig.getWalletDerivation(account, pkps[index]), 0);
        expectRevert(IErrors.ActionDoesNotExist.selector, account, 0, actions[index]);
        by(writer).removeAction(account, actions[index]);
        expectRevert(IErrors.PkpDoesNotExist.selector, account, 0, pkps[index]);
        by(writer).removeWalletDerivation(account, pkps[index]);
        by(writer).addAction(account, NAME, DESCRIPTION, actions[index]);
        by(writer).registerWalletDerivation(account, pkps[index], path, NAME, DESCRIPTION);
        _assertGroup(groupId);
        _assertPermits(groupId);
    }

    /// A removed group never comes back, and every other group is unchanged.
    function testFuzz_removeGroup(uint256 seed_) external {
        uint256 groupId = _enter(seed_);
        (uint256[] memory cidHashes, address[] memory pkpIds) = _randomContents();
        uint256 added = by(writer).addGroup(account, NAME, DESCRIPTION, cidHashes, pkpIds);
        expectEvent();
        emit IGroupWrites.GroupRemoved(account, groupId);
        by(writer).removeGroup(account, groupId);
        _assertGroup(added);
        uint256[] memory groups = accountConfig.listGroups(account, 0, 1000);
        vm.assertEq(groups.length, added - 1);
        for (uint256 i; i < groups.length; ++i) {
            vm.assertEq(groups[i], i + 1 < groupId ? i + 1 : i + 2);
        }
        bytes4 noGroup = IErrors.GroupDoesNotExist.selector;
        expectRevert(noGroup, account, groupId);
        by(writer).removeGroup(account, groupId);
        expectRevert(noGroup, account, groupId);
        by(writer).addActionToGroup(account, groupId, ACTION);
        expectRevert(noGroup, account, groupId);
        by(writer).addPkpToGroup(account, groupId, wallet);
        expectRevert(noGroup, account, groupId);
        accountConfig.listGroupContents(account, groupId);
        vm.assertEq(by(writer).addGroup(account, NAME, DESCRIPTION, list(), wallets()), added + 1);
    }

    /// An id that names no live group is refused.
    function testFuzz_NoSuchGroup(uint256 groupId) external inBothModes {
        vm.assume(groupId == 0 || groupId > 97);
        bytes4 noGroup = IErrors.GroupDoesNotExist.selector;
        expectRevert(noGroup, account, groupId);
        by(writer).updateGroup(account, groupId, NAME, DESCRIPTION, list(), wallets());
        expectRevert(noGroup, account, groupId);
        by(writer).updateGroupMetadata(account, groupId, NAME, DESCRIPTION);
        expectRevert(noGroup, account, groupId);
        by(writer).removeGroup(account, groupId);
        expectRevert(noGroup, account, groupId);
        by(writer).addActionToGroup(account, groupId, ACTION);
        expectRevert(noGroup, account, groupId);
        by(writer).removeActionFromGroup(account, groupId, ACTION);
        expectRevert(noGroup, account, groupId);
        by(writer).addPkpToGroup(account, groupId, wallet);
        expectRevert(noGroup, account, groupId);
        by(writer).removePkpFromGroup(account, groupId, wallet);
        if (groupId != 0) {
            expectRevert(noGroup, account, groupId);
            by(writer).updateActionMetadata(account, ACTION, groupId, NAME, DESCRIPTION);
        }
        expectRevert(noGroup, account, groupId);
        accountConfig.listGroupContents(account, groupId);
        expectRevert(noGroup, account, groupId);
        accountConfig.listActionsInGroup(account, groupId, 0, 1);
        expectRevert(noGroup, account, groupId);
        accountConfig.listWalletsInGroup(account, groupId, 0, 1);
    }

    /// Any CID hash: registered once, directly or through a group, and listed with all of its bits.
    function testFuzz_AnyActionHash(uint256 cidHash) external inBothModes {
        uint256 low = cidHash & LOW_127;
        vm.assume(low > 30_000 && low != ACTION & LOW_127 && low != LOOSE_ACTION & LOW_127);
        (,,, uint256 count) = accountConfig.listSizes(account);
        expectEvent();
        emit IActionWrites.ActionAdded(account, cidHash, "", "");
        by(writer).addActionToGroup(account, EMPTY_GROUP, cidHash);
        assertEvents(2);
        vm.assertEq(accountConfig.listActions(account, count, 1), list(cidHash));
        vm.assertEq(accountConfig.listActionsInGroup(account, EMPTY_GROUP, 0, 10), list(cidHash));
        vm.expectRevert(abi.encodeWithSelector(IErrors.ActionAlreadyExists.selector, account, cidHash));
        by(writer).addAction(account, NAME, DESCRIPTION, cidHash);
        by(writer).removeAction(account, cidHash);
        vm.assertEq(accountConfig.listActions(account, count, 1), list());
        by(writer).addAction(account, NAME, DESCRIPTION, cidHash);
        vm.assertEq(accountConfig.listActions(account, count + 1, 1), list(cidHash));
        vm.assertEq(accountConfig.listActionsInGroup(account, EMPTY_GROUP, 0, 10), list());
    }

    /// 127 bits of a hash key the storage. An item with the same bits as another is refused in a group and never mistaken for it.
    /// The master hash puts it in the place of the other.
    function testFuzz_ActionThatSharesTheStoredBits(uint256 upper) external inBothModes {
        uint256 cidHash = (upper << 127) | (ACTION & LOW_127);
        vm.assume(cidHash != ACTION);
        assertCan(key, cidHash, wallet, false, false);
        expectRevert(IErrors.IdCollision.selector, cidHash);
        by(writer).addActionToGroup(account, GROUP, cidHash);
        expectRevert(IErrors.ActionDoesNotExist.selector, account, 0, cidHash);
        by(writer).removeAction(account, cidHash);
        expectRevert(IErrors.ActionDoesNotExist.selector, account, GROUP, cidHash);
        by(writer).removeActionFromGroup(account, GROUP, cidHash);
        by(writer).addAction(account, NAME, DESCRIPTION, cidHash);
        assertGroup(GROUP, list(), list(wallet));
        expectRevert(IErrors.ActionDoesNotExist.selector, account, 0, ACTION);
        by(writer).removeAction(account, ACTION);
        assertCan(key, ACTION, wallet, false, false);
        assertCan(key, cidHash, wallet, false, false);
    }

    /// Labels are emitted and never stored.
    function testFuzz_Labels(uint256 seed_, string calldata name, string calldata description) external {
        vm.assume(bytes(name).length <= 128 && bytes(description).length <= 1024);
        uint256 groupId = _enter(seed_);
        (uint256[] memory cidHashes, address[] memory pkpIds) = _randomContents();
        by(writer).updateGroup(account, groupId, NAME, DESCRIPTION, cidHashes, pkpIds);
        bytes32 before = keccak256(abi.encode(accountConfig.listActions(account, 0, 1000)));
        expectEvent();
        emit IGroupWrites.GroupMetadataUpdated(account, groupId, name, description);
        by(writer).updateGroupMetadata(account, groupId, name, description);
        expectEvent();
        emit IActionWrites.ActionMetadataUpdated(account, ACTION, name, description);
        by(writer).updateActionMetadata(account, ACTION, 0, name, description);
        uint256 index = 1 + random(actions.length - 1);
        if (!permitsAction[index]) {
            expectRevert(IErrors.ActionDoesNotExist.selector, account, groupId, actions[index]);
        }
        by(writer).updateActionMetadata(account, actions[index], groupId, name, description);
        _assertGroup(groupId);
        vm.assertEq(keccak256(abi.encode(accountConfig.listActions(account, 0, 1000))), before);
    }
}
