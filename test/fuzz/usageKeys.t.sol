// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IActionWrites } from "../../contracts/interfaces/IActionWrites.sol";
import { IErrors } from "../../contracts/interfaces/IErrors.sol";
import { IGroupWrites } from "../../contracts/interfaces/IGroupWrites.sol";
import { IUsageKeyWrites } from "../../contracts/interfaces/IUsageKeyWrites.sol";
import { IViewsFacet } from "../../contracts/interfaces/IViewsFacet.sol";
import { IWalletWrites } from "../../contracts/interfaces/IWalletWrites.sol";
import { Fingerprint } from "../utils/Fingerprint.sol";
import { Random } from "../utils/Random.sol";

/// @notice setUsageApiKey, updateUsageApiKeyMetadata, removeUsageApiKey, listApiKeys and the permission views.
contract UsageKeysFuzzTest is Fingerprint, Random {
    uint256 private constant LAST_GROUP = 300;
    uint256 private constant ACTIONS = 1000;

    /// Group ids around the ends of pages and words. Each group permits the action ACTIONS + id and the wallet of that
    /// number. The first group also permits the items of the set-up.
    uint256[] private ids = [
        1,
        2,
        3,
        31,
        32,
        62,
        63,
        64,
        65,
        93,
        94,
        95,
        96,
        126,
        127,
        128,
        129,
        191,
        192,
        193,
        254,
        255,
        256,
        257,
        299,
        300
    ];

    uint256 private managedKey;
    uint256 private securedKey;

    function setUp() public override {
        super.setUp();
        for (uint256 i; i < 2; ++i) {
            i == 0 ? enterSecured() : enterManaged();
            i == 0 ? securedKey = key : managedKey = key;
            addGroupsUpTo(LAST_GROUP);
            for (uint256 j; j < ids.length; ++j) {
                address pkpId = _walletOf(ids[j]);
                by(writer).addActionToGroup(account, ids[j], ACTIONS + ids[j]);
                by(writer).registerWalletDerivation(account, pkpId, pathOf(ACTIONS + ids[j]), "", "");
                by(writer).addPkpToGroup(account, ids[j], pkpId);
            }
        }
    }

    function _enter() private {
        random(2) == 0 ? enterManaged() : enterSecured();
    }

    function _walletOf(uint256 id) private pure returns (address) {
        return address(uint160(ACTIONS + id));
    }

    /// @notice Up to 50 entries in any order, with repetitions, and sometimes the wildcard.
    function _randomList() private returns (uint256[] memory values) {
        uint256 kind = random(8);
        uint256 length = kind == 0 ? 0 : kind < 6 ? random(6) : random(51);
        values = new uint256[](length);
        // A few neighbours, or any groups.
        uint256 spread = random(2) == 0 ? 3 : ids.length;
        uint256 first = random(ids.length - spread + 1);
        for (uint256 i; i < length; ++i) {
            values[i] = random(60) == 0 ? 0 : ids[first + random(spread)];
        }
    }

    function _randomKey() private returns (UsageKey memory k) {
        k = newKey(UNKNOWN);
        k.expiration = random(3) == 0 ? NOW + 1 + random(1 << 30) : 0;
        k.balance = random(type(uint256).max);
        (k.createGroups, k.deleteGroups, k.createPKPs) = (random(2) == 0, random(2) == 0, random(2) == 0);
        k.manageIPFSIdsInGroups = _randomList();
        k.addPkpToGroups = _randomList();
        k.removePkpFromGroups = _randomList();
        k.executeInGroups = _randomList();
    }

    function _contains(uint256[] memory values, uint256 value) private pure returns (bool) {
        for (uint256 i; i < values.length; ++i) {
            if (values[i] == value) return true;
        }
        return false;
    }

    /// @notice `[0]` with the wildcard, else ascending and without repetitions.
    function _normal(uint256[] memory values) private view returns (uint256[] memory sorted) {
        if (_contains(values, 0)) return list(0);
        sorted = new uint256[](values.length);
        uint256 count;
        for (uint256 i; i < ids.length; ++i) {
            if (_contains(values, ids[i])) sorted[count++] = ids[i];
        }
        // memory-safe: shortens an array that was made here.
        assembly ("memory-safe") {
            mstore(sorted, count)
        }
    }

    function _normalized(UsageKey memory k) private view returns (UsageKey memory) {
        k.manageIPFSIdsInGroups = _normal(k.manageIPFSIdsInGroups);
        k.addPkpToGroups = _normal(k.addPkpToGroups);
        k.removePkpFromGroups = _normal(k.removePkpFromGroups);
        k.executeInGroups = _normal(k.executeInGroups);
        return k;
    }

    function _grants(uint256[] memory normal, uint256 id) private pure returns (bool) {
        return _contains(normal, 0) || _contains(normal, id);
    }

    /// @notice The four views agree with the execute list of a key, for every group.
    function _assertRuns(uint256[] memory executes) private view {
        bool wildcard = _contains(executes, 0);
        for (uint256 i; i < ids.length; ++i) {
            uint256 cidHash = ACTIONS + ids[i];
            bool granted = _grants(executes, ids[i]);
            vm.assertEq(accountConfig.canExecuteAction(UNKNOWN, cidHash), granted, "canExecuteAction");
            assertCan(UNKNOWN, cidHash, _walletOf(ids[i]), granted, granted);
            address other = _walletOf(ids[(i + 1) % ids.length]);
            assertCan(UNKNOWN, cidHash, other, granted, false);
            vm.assertEq(
                accountConfig.canUseWalletInAction(UNKNOWN, cidHash, _walletOf(ids[i])), granted, "its wallet"
            );
            vm.assertFalse(
                accountConfig.canUseWalletInAction(UNKNOWN, cidHash, other), "another group's wallet"
            );
            IViewsFacet.Explanation memory e =
                accountConfig.explainExecution(UNKNOWN, cidHash, _walletOf(ids[i]));
            vm.assertEq(e.canExecute, granted);
            vm.assertEq(e.canUseWallet, granted);
            vm.assertEq(e.walletGroupId, granted ? ids[i] : 0);
            vm.assertEq(e.actionGroupId, granted && !wildcard ? ids[i] : 0);
        }
    }

    /// @notice A write through the key succeeds exactly when the key has the permission.
    function _assertWrites(bytes memory call, bool granted, string memory what) private {
        uint256 snapshot = vm.snapshotState();
        vm.prank(writer);
        (bool ok,) = address(accountConfig).call(call);
        vm.assertEq(ok, granted, what);
        vm.revertToState(snapshot);
    }

    /// Rule 4: after any history, a key equals its last arguments, in lists, views and writes.
    function testFuzz_KeyIsWhatItWasSetTo(uint256 seed_) external {
        seed = seed_;
        _enter();
        uint256 sets = 1 + random(4);
        UsageKey memory k;
        for (uint256 i; i < sets; ++i) {
            k = _randomKey();
            setKey(k);
            if (i + 1 < sets && random(3) == 0) by(writer).removeUsageApiKey(account, UNKNOWN);
        }
        k = _normalized(k);
        assertKey(k);
        _assertRuns(k.executeInGroups);
        uint256 id = ids[1 + random(ids.length - 1)];
        _assertWrites(
            abi.encodeCall(IActionWrites.addActionToGroup, (UNKNOWN, id, ACTION)),
            _grants(k.manageIPFSIdsInGroups, id),
            "addActionToGroup"
        );
        _assertWrites(
            abi.encodeCall(IActionWrites.removeActionFromGroup, (UNKNOWN, id, ACTIONS + id)),
            _grants(k.manageIPFSIdsInGroups, id),
            "removeActionFromGroup"
        );
        _assertWrites(
            abi.encodeCall(IWalletWrites.addPkpToGroup, (UNKNOWN, id, wallet)),
            _grants(k.addPkpToGroups, id),
            "addPkpToGroup"
        );
        _assertWrites(
            abi.encodeCall(IWalletWrites.removePkpFromGroup, (UNKNOWN, id, _walletOf(id))),
            _grants(k.removePkpFromGroups, id),
            "removePkpFromGroup"
        );
        _assertWrites(abi.encodeCall(IGroupWrites.removeGroup, (UNKNOWN, id)), k.deleteGroups, "removeGroup");
        _assertWrites(
            abi.encodeCall(IGroupWrites.addGroup, (UNKNOWN, "", "", list(), wallets())),
            k.createGroups,
            "addGroup"
        );
        _assertWrites(
            abi.encodeCall(IWalletWrites.registerWalletDerivation, (UNKNOWN, noWallet, pathOf(9), "", "")),
            k.createPKPs,
            "registerWalletDerivation"
        );
    }

    /// The event carries the arguments as they were given.
    function testFuzz_EventIsTheArguments(uint256 seed_, string calldata name, string calldata description)
        external
    {
        vm.assume(bytes(name).length <= 128 && bytes(description).length <= 1024);
        seed = seed_;
        _enter();
        UsageKey memory k = _randomKey();
        (k.name, k.description) = (name, description);
        expectEvent();
        emit IUsageKeyWrites.UsageApiKeySet(
            account,
            UNKNOWN,
            k.expiration,
            k.balance,
            name,
            description,
            IUsageKeyWrites.UsageApiKeyPermissions(
                k.createGroups,
                k.deleteGroups,
                k.createPKPs,
                k.manageIPFSIdsInGroups,
                k.addPkpToGroups,
                k.removePkpFromGroups,
                k.executeInGroups
            )
        );
        setKey(k);
    }

    /// A change of one key changes no other key, and a change of labels changes nothing.
    function testFuzz_OtherKeysAreLeftAlone(uint256 seed_, string calldata name, string calldata description)
        external
    {
        vm.assume(bytes(name).length <= 128 && bytes(description).length <= 1024);
        seed = seed_;
        _enter();
        UsageKey memory k = _randomKey();
        setKey(k);
        UsageKey memory other = _randomKey();
        other.usageApiKeyHash = uint256(keccak256("other usage key"));
        setKey(other);
        bytes32 before = keccak256(abi.encode(accountConfig.listApiKeys(account, 0, 20)));
        expectEvent();
        emit IUsageKeyWrites.UsageApiKeyMetadataUpdated(account, UNKNOWN, name, description);
        by(writer).updateUsageApiKeyMetadata(account, UNKNOWN, name, description);
        vm.assertEq(keccak256(abi.encode(accountConfig.listApiKeys(account, 0, 20))), before);

        UsageKey memory next = _randomKey();
        setKey(next);
        assertKey(_normalized(other));
        assertKey(_normalized(next));
        by(writer).removeUsageApiKey(account, other.usageApiKeyHash);
        assertKey(_normalized(next));
        vm.assertEq(usageKey(other.usageApiKeyHash).usageApiKeyHash, 0);
    }

    /// A removed key grants nothing in any view, and a later key under its hash inherits nothing.
    function testFuzz_RemovedKeyIsNothing(uint256 seed_) external {
        seed = seed_;
        _enter();
        setKey(_randomKey());
        by(writer).removeUsageApiKey(account, UNKNOWN);
        (uint256 master,,, bool isUsageKey,) = accountConfig.resolve(UNKNOWN);
        vm.assertEq(master, 0);
        vm.assertFalse(isUsageKey);
        _assertRuns(list());
        vm.assertEq(accountConfig.listApiKeys(account, 0, 20).length, 1);
        expectRevert(IErrors.UsageApiKeyDoesNotExist.selector, account, UNKNOWN);
        by(writer).removeUsageApiKey(account, UNKNOWN);
        setKey(newKey(UNKNOWN));
        assertKey(newKey(UNKNOWN));
        _assertRuns(list());
    }

    /// Rule 3: one id that is not a live group, anywhere in any list, reverts the call.
    function testFuzz_NoPermissionOnNoGroup(uint256 seed_, uint256 id) external {
        seed = seed_;
        _enter();
        uint256 removed = ids[random(ids.length)];
        by(writer).removeGroup(account, removed);
        if (id != 0 && id <= LAST_GROUP) id = removed;
        vm.assume(id != 0);
        UsageKey memory k = newKey(UNKNOWN);
        uint256[] memory values = _randomList();
        for (uint256 i; i < values.length; ++i) {
            if (values[i] == removed) values[i] = LAST_GROUP - 1 == removed ? LAST_GROUP : LAST_GROUP - 1;
        }
        if (values.length == 0) values = new uint256[](1);
        values[random(values.length)] = id;
        uint256 which = random(4);
        if (which == 0) k.manageIPFSIdsInGroups = values;
        if (which == 1) k.addPkpToGroups = values;
        if (which == 2) k.removePkpFromGroups = values;
        if (which == 3) k.executeInGroups = values;
        expectRevert(IErrors.GroupDoesNotExist.selector, account, id);
        setKey(k);
        vm.assertEq(accountConfig.allApiKeyHashesToMaster(UNKNOWN), 0);
    }

    /// A removed group disappears from every list and view, and no other group does.
    function testFuzz_RemovedGroupLeavesTheLists(uint256 seed_) external {
        seed = seed_;
        _enter();
        UsageKey memory k = _randomKey();
        k.executeInGroups = _randomList();
        setKey(k);
        k = _normalized(k);
        uint256 removed = ids[random(ids.length)];
        by(writer).removeGroup(account, removed);
        IUsageKeyWrites.UsageApiKeyPermissions memory p = usageKey(UNKNOWN).permissions;
        vm.assertEq(p.executeInGroups, _without(k.executeInGroups, removed));
        vm.assertEq(p.addPkpToGroups, _without(k.addPkpToGroups, removed));
        for (uint256 i; i < ids.length; ++i) {
            bool granted = ids[i] != removed && _grants(k.executeInGroups, ids[i]);
            vm.assertEq(
                accountConfig.canUseWalletInAction(UNKNOWN, ACTIONS + ids[i], _walletOf(ids[i])), granted
            );
        }
    }

    function _without(uint256[] memory values, uint256 value) private pure returns (uint256[] memory kept) {
        kept = new uint256[](values.length);
        uint256 count;
        for (uint256 i; i < values.length; ++i) {
            if (values[i] != value) kept[count++] = values[i];
        }
        // memory-safe: shortens an array that was made here.
        assembly ("memory-safe") {
            mstore(kept, count)
        }
    }

    /// Rule 5: a key works before its expiration and is refused from it on, for any second.
    function testFuzz_Expiration(uint40 expiration, uint40 time) external inBothModes {
        UsageKey memory k = almightyKey(UNKNOWN);
        k.expiration = expiration;
        setKey(k);
        vm.warp(time);
        bool alive = expiration == 0 || time < expiration;
        assertCan(UNKNOWN, ACTION, wallet, alive, alive);
        vm.assertEq(accountConfig.canExecuteAction(UNKNOWN, ACTION), alive);
        vm.assertEq(accountConfig.canUseWalletInAction(UNKNOWN, ACTION, wallet), alive);
        _assertWrites(
            abi.encodeCall(IGroupWrites.addGroup, (UNKNOWN, "", "", list(), wallets())), alive, "addGroup"
        );
        _assertWrites(
            abi.encodeCall(IActionWrites.addActionToGroup, (UNKNOWN, GROUP, NO_ACTION)),
            alive,
            "addActionToGroup"
        );
        (,,,, uint256 expiration_) = accountConfig.resolve(UNKNOWN);
        vm.assertEq(expiration_, expiration);
    }

    function testFuzz_ExpirationBeyondSeconds(uint256 expiration) external {
        vm.assume(expiration > type(uint40).max);
        UsageKey memory k = newKey(UNKNOWN);
        k.expiration = expiration;
        expectRevert(IErrors.ExpirationTooLarge.selector, expiration, type(uint40).max);
        setKey(k);
    }

    /// Any free hash can be a usage key, and resolves only to its account.
    function testFuzz_AnyUsageKeyHash(uint256 usageHash, uint8 known) external inBothModes {
        uint256[4] memory hashes = [MANAGED, SECURED, managedKey, securedKey];
        if (known < 128) usageHash = hashes[known % hashes.length];
        bool taken = accountConfig.allApiKeyHashesToMaster(usageHash) != 0;
        if (usageHash == 0) {
            expectRevert(IErrors.UsageApiKeyHashIsZero.selector);
        } else if (taken && usageHash != key) {
            expectRevert(IErrors.AccountAlreadyExists.selector, usageHash);
        }
        setKey(newKey(usageHash));
        if (usageHash == 0 || taken) return;
        (uint256 master, address adminWallet, bool managed, bool isUsageKey,) =
            accountConfig.resolve(usageHash);
        vm.assertEq(master, account);
        vm.assertEq(adminWallet, accountConfig.getAccountWalletAddress(account));
        vm.assertEq(managed, account == MANAGED);
        vm.assertTrue(isUsageKey);
        assertKey(newKey(usageHash));
    }
}
