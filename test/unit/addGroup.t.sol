// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IActionWrites } from "../../contracts/interfaces/IActionWrites.sol";
import { IErrors } from "../../contracts/interfaces/IErrors.sol";
import { IGroupWrites } from "../../contracts/interfaces/IGroupWrites.sol";
import { LabelGuards } from "../utils/LabelGuards.sol";
import { PermissionGuards } from "../utils/WriteGuards.sol";

contract AddGroupTest is PermissionGuards, LabelGuards {
    function writeAs(address caller, uint256 apiKeyHash) internal override {
        by(caller).addGroup(apiKeyHash, NAME, DESCRIPTION, list(), wallets());
    }

    function label(string memory name, string memory description) internal override {
        by(payer).addGroup(MANAGED, name, description, list(), wallets());
    }

    function grant(UsageKey memory k) internal pure override {
        k.createGroups = true;
    }

    function withhold(UsageKey memory k) internal pure override {
        k.createGroups = false;
    }

    function notAllowed() internal view override returns (bytes memory) {
        return abi.encodeWithSelector(IErrors.NotAllowedToCreateGroup.selector, key);
    }

    function test_AddEmptyGroup() external inBothModes {
        expectEvent();
        emit IGroupWrites.GroupAdded(account, 3, NAME, DESCRIPTION, list(), wallets());
        uint256 groupId = by(writer).addGroup(account, NAME, DESCRIPTION, list(), wallets());
        assertEvents(1);
        vm.assertEq(groupId, 3);
        vm.assertEq(accountConfig.listGroups(account, 0, 10), list(1, 2, 3));
        assertGroup(3, list(), wallets());
    }

    function test_AddGroupWithContents() external inBothModes {
        expectEvent();
        emit IActionWrites.ActionAdded(account, NO_ACTION, "", "");
        expectEvent();
        emit IGroupWrites.GroupAdded(
            account, 3, NAME, DESCRIPTION, list(NO_ACTION, ACTION), list(looseWallet, wallet)
        );
        by(writer).addGroup(account, NAME, DESCRIPTION, list(NO_ACTION, ACTION), list(looseWallet, wallet));
        assertEvents(2);
        assertGroup(3, list(ACTION, NO_ACTION), list(wallet, looseWallet));
        vm.assertEq(accountConfig.listActions(account, 0, 10), list(ACTION, LOOSE_ACTION, NO_ACTION));
        UsageKey memory k = newKey(key);
        k.executeInGroups = list(3);
        setKey(k);
        assertCan(key, NO_ACTION, looseWallet, true, true);
        assertCan(key, LOOSE_ACTION, wallet, false, false);
    }

    function test_ActionAndWalletZeroPermitEvery() external inBothModes {
        by(writer).addGroup(account, NAME, DESCRIPTION, list(0), list(address(0)));
        assertGroup(3, list(0), list(address(0)));
        UsageKey memory k = newKey(key);
        k.executeInGroups = list(3);
        setKey(k);
        assertCan(key, NO_ACTION, looseWallet, true, true);
        assertCan(key, NO_ACTION, noWallet, true, false);
    }

    function test_SameMemberTwice() external inBothModes {
        by(writer).addGroup(account, NAME, DESCRIPTION, list(NO_ACTION, NO_ACTION), list(wallet, wallet));
        assertEvents(2);
        assertGroup(3, list(NO_ACTION), list(wallet));
        vm.assertEq(accountConfig.listActions(account, 0, 10), list(ACTION, LOOSE_ACTION, NO_ACTION));
    }

    /// Known entries whose bytes are shifted copies of each other, or that have all bits set that key the storage.
    function test_EntriesThatLookAlike() external {
        uint256[4] memory ids = [uint256(5), 0x100, 0x500, (1 << 127) - 1];
        for (uint256 i; i < ids.length; ++i) {
            by(payer).addAction(MANAGED, "", "", ids[i]);
            by(payer).registerWalletDerivation(MANAGED, address(uint160(ids[i])), pathOf(10 + i), "", "");
        }
        uint256 groupId = NO_GROUP;
        for (uint256 i; i < ids.length; ++i) {
            for (uint256 j = i + 1; j < ids.length; ++j) {
                uint256[] memory pair = list(ids[i], ids[j]);
                address[] memory pkpIds = list(address(uint160(ids[i])), address(uint160(ids[j])));
                by(payer).addGroup(MANAGED, "", "", pair, pkpIds);
                assertGroup(groupId++, pair, pkpIds);
                uint256[] memory turned = list(ids[j], ids[i]);
                by(payer).addGroup(MANAGED, "", "", turned, list(pkpIds[1], pkpIds[0]));
                assertGroup(groupId++, pair, pkpIds);
            }
        }
        by(payer).addGroup(MANAGED, "", "", list(6), wallets());
        assertGroup(groupId, list(6), wallets());
        expectRevert(IErrors.PkpDoesNotExist.selector, MANAGED, groupId + 1, address(6));
        by(payer).addGroup(MANAGED, "", "", list(), list(address(6)));
    }

    function test_TenEntriesOfEach() external {
        address[] memory pkpIds = new address[](10);
        for (uint256 i; i < 10; ++i) {
            pkpIds[i] = address(uint160(1000 + i));
            by(payer).registerWalletDerivation(MANAGED, pkpIds[i], pathOf(1000 + i), NAME, DESCRIPTION);
        }
        by(payer).addGroup(MANAGED, NAME, DESCRIPTION, range(1000, 10), pkpIds);
        assertGroup(3, range(1000, 10), pkpIds);
    }

    function test_IdsStartAtOneInEveryAccount() external {
        by(stranger).newChainSecuredAccount(NAME, DESCRIPTION);
        vm.assertEq(by(stranger).addGroup(identity(stranger), NAME, DESCRIPTION, list(), wallets()), 1);
    }

    function test_IdsAreNeverReused() external inBothModes {
        by(writer).removeGroup(account, EMPTY_GROUP);
        vm.assertEq(by(writer).addGroup(account, NAME, DESCRIPTION, list(), wallets()), 3);
        by(writer).removeGroup(account, 3);
        vm.assertEq(by(writer).addGroup(account, NAME, DESCRIPTION, list(), wallets()), 4);
        vm.assertEq(accountConfig.listGroups(account, 0, 10), list(1, 4));
    }

    /// Only wildcards cover a new group.
    function test_NewGroupIsGrantedByWildcardsOnly() external inBothModes {
        uint256 wild = uint256(keccak256("wild"));
        setKey(almightyKey(wild));
        by(writer).addGroup(account, NAME, DESCRIPTION, list(LOOSE_ACTION), list(looseWallet));
        assertCan(wild, LOOSE_ACTION, looseWallet, true, true);
        assertCan(key, LOOSE_ACTION, looseWallet, false, false);
    }

    function test_ThousandGroups() external {
        addGroupsUpTo(1000);
        vm.assertEq(accountConfig.listGroups(MANAGED, 0, 1000), range(1, 1000));
        vm.assertEq(by(payer).addGroup(MANAGED, NAME, DESCRIPTION, list(ACTION), list(wallet)), 1001);
        UsageKey memory k = newKey(key);
        k.executeInGroups = list(1001);
        setKey(k);
        assertCan(key, ACTION, wallet, true, true);
        assertCan(key, LOOSE_ACTION, wallet, false, false);
    }

    /// A key that may create groups gets no access that its lists do not grant.
    function test_RevertGiven_UsageKeyFillsTheGroupWithoutTheWildcards() external inBothModes {
        UsageKey memory k = newKey(key);
        k.createGroups = true;
        k.manageIPFSIdsInGroups = list(GROUP, EMPTY_GROUP);
        k.addPkpToGroups = list(GROUP, EMPTY_GROUP);
        setKey(k);
        expectRevert(IErrors.NotAllowedToManageIPFSIdsInGroup.selector, key, 0);
        by(writer).addGroup(key, NAME, DESCRIPTION, list(ACTION), wallets());
        expectRevert(IErrors.NotAllowedToAddPkpToGroup.selector, key, 0);
        by(writer).addGroup(key, NAME, DESCRIPTION, list(), list(wallet));
    }

    function test_GivenUsageKeyWithTheWildcards() external inBothModes {
        UsageKey memory k = newKey(key);
        k.createGroups = true;
        k.manageIPFSIdsInGroups = list(0);
        k.addPkpToGroups = list(0);
        setKey(k);
        expectEvent();
        emit IGroupWrites.GroupAdded(account, 3, NAME, DESCRIPTION, list(ACTION), list(wallet));
        by(writer).addGroup(key, NAME, DESCRIPTION, list(ACTION), list(wallet));
        assertEvents(1);
    }

    /// Rule 7: a group holds wallets of its own account only.
    function test_RevertGiven_ForeignWallet() external {
        enterSecured();
        by(admin).registerWalletDerivation(SECURED, noWallet, pathOf(3), NAME, DESCRIPTION);
        expectRevert(IErrors.PkpDoesNotExist.selector, MANAGED, 3, noWallet);
        by(payer).addGroup(MANAGED, NAME, DESCRIPTION, list(), list(noWallet));
    }

    function test_RevertGiven_NoWallet() external inBothModes {
        expectRevert(IErrors.PkpDoesNotExist.selector, account, 3, noWallet);
        by(writer).addGroup(account, NAME, DESCRIPTION, list(NO_ACTION), list(wallet, noWallet));
        vm.assertEq(accountConfig.listActions(account, 0, 10), list(ACTION, LOOSE_ACTION));
        vm.assertEq(accountConfig.listGroups(account, 0, 10), list(1, 2));
    }

    /// 127 bits of a hash or address key the storage. Others with the same bits are not mistaken for known ones.
    function test_RevertGiven_EntriesShareTheLowerBits() external {
        by(payer).addAction(MANAGED, NAME, DESCRIPTION, 1 << 127 | 7);
        by(payer).registerWalletDerivation(MANAGED, address(1 << 127 | 7), pathOf(3), NAME, DESCRIPTION);
        expectRevert(IErrors.IdCollision.selector, 7);
        by(payer).addGroup(MANAGED, NAME, DESCRIPTION, list(7), wallets());
        expectRevert(IErrors.IdCollision.selector, 1 << 201 | 7);
        by(payer).addGroup(MANAGED, NAME, DESCRIPTION, list(1 << 201 | 7), wallets());
        expectRevert(IErrors.PkpDoesNotExist.selector, MANAGED, NO_GROUP, address(7));
        by(payer).addGroup(MANAGED, NAME, DESCRIPTION, list(), list(address(7)));
        expectRevert(IErrors.PkpDoesNotExist.selector, MANAGED, NO_GROUP, address(1 << 151 | 7));
        by(payer).addGroup(MANAGED, NAME, DESCRIPTION, list(), list(address(1 << 151 | 7)));
    }

    function test_RevertWhen_TooManyEntries() external {
        expectRevert(IErrors.TooManyGroupEntries.selector, 11, 10);
        by(payer).addGroup(MANAGED, NAME, DESCRIPTION, range(1, 11), wallets());
        expectRevert(IErrors.TooManyGroupEntries.selector, 11, 10);
        by(payer).addGroup(MANAGED, NAME, DESCRIPTION, list(), new address[](11));
    }
}
