// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IErrors } from "../../contracts/interfaces/IErrors.sol";
import { IUsageKeyWrites } from "../../contracts/interfaces/IUsageKeyWrites.sol";
import { LabelGuards } from "../utils/LabelGuards.sol";
import { MasterGuards } from "../utils/WriteGuards.sol";

contract SetUsageApiKeyTest is MasterGuards, LabelGuards {
    uint256 private constant KEY = uint256(keccak256("new usage key"));

    function writeAs(address caller, uint256 apiKeyHash) internal override {
        UsageKey memory k = newKey(KEY);
        k.accountApiKeyHash = apiKeyHash;
        setKeyAs(caller, k);
    }

    function label(string memory name, string memory description) internal override {
        UsageKey memory k = newKey(KEY);
        (k.name, k.description) = (name, description);
        setKey(k);
    }

    /// Two groups in each list, a different pair per list.
    function _fullKey() private view returns (UsageKey memory k) {
        k = newKey(KEY);
        k.expiration = NOW + 1000;
        k.balance = 123;
        k.createGroups = true;
        k.createPKPs = true;
        k.manageIPFSIdsInGroups = list(3, 4);
        k.addPkpToGroups = list(4, 5);
        k.removePkpFromGroups = list(5, 6);
        k.executeInGroups = list(1, 6);
    }

    function _expectSet(UsageKey memory k) private {
        expectEvent();
        emit IUsageKeyWrites.UsageApiKeySet(
            account, k.usageApiKeyHash, k.expiration, k.balance, k.name, k.description, _permissions(k)
        );
    }

    function _permissions(UsageKey memory k)
        private
        pure
        returns (IUsageKeyWrites.UsageApiKeyPermissions memory)
    {
        return IUsageKeyWrites.UsageApiKeyPermissions(
            k.createGroups,
            k.deleteGroups,
            k.createPKPs,
            k.manageIPFSIdsInGroups,
            k.addPkpToGroups,
            k.removePkpFromGroups,
            k.executeInGroups
        );
    }

    function test_NewKeyWithoutPermissions() external inBothModes {
        _expectSet(newKey(KEY));
        setKey(newKey(KEY));
        assertEvents(1);
        assertKey(newKey(KEY));
        (uint256 master,, bool managed, bool isUsageKey, uint256 expiration) = accountConfig.resolve(KEY);
        vm.assertEq(master, account);
        vm.assertEq(managed, account == MANAGED);
        vm.assertTrue(isUsageKey);
        vm.assertEq(expiration, 0);
        (uint256 keys,,,) = accountConfig.listSizes(account);
        vm.assertEq(keys, 2);
        assertCan(KEY, ACTION, wallet, false, false);
    }

    function test_NewKeyWithEveryField() external inBothModes {
        addGroupsUpTo(6);
        UsageKey memory k = _fullKey();
        _expectSet(k);
        setKey(k);
        assertEvents(1);
        assertKey(k);
        assertCan(KEY, ACTION, wallet, true, true);
    }

    function test_EventCarriesTheMasterHash() external {
        convert();
        UsageKey memory k = newKey(KEY);
        k.accountApiKeyHash = identity(newAdmin);
        _expectSet(k);
        setKey(k);
    }

    /// The event carries the lists as given, the state their meaning.
    function test_ListsInAnyOrderAndWithDuplicates() external inBothModes {
        addGroupsUpTo(300);
        UsageKey memory k = newKey(KEY);
        k.executeInGroups = list(300, 1, 300);
        k.addPkpToGroups = list(5, 0, 7);
        _expectSet(k);
        setKey(k);
        k.executeInGroups = list(1, 300);
        k.addPkpToGroups = list(0);
        assertKey(k);
    }

    /// Rule 3: every list honours the wildcard, which also grants groups added later.
    function test_WildcardInEveryList() external inBothModes {
        setKey(almightyKey(KEY));
        assertKey(almightyKey(KEY));
        by(writer).addGroup(account, NAME, DESCRIPTION, list(), wallets());
        by(writer).addActionToGroup(KEY, 3, LOOSE_ACTION);
        by(writer).addPkpToGroup(KEY, 3, looseWallet);
        assertCan(KEY, LOOSE_ACTION, looseWallet, true, true);
        by(writer).removePkpFromGroup(KEY, 3, looseWallet);
        by(writer).removeActionFromGroup(KEY, 3, LOOSE_ACTION);
        assertCan(KEY, LOOSE_ACTION, looseWallet, true, false);
    }

    /// Each list grants its own permission and no other.
    function test_WildcardOfOneListIsNoOther() external inBothModes {
        UsageKey memory k = newKey(KEY);
        k.manageIPFSIdsInGroups = list(0);
        setKey(k);
        expectRevert(IErrors.NotAllowedToAddPkpToGroup.selector, KEY, GROUP);
        by(writer).addPkpToGroup(KEY, GROUP, looseWallet);
        expectRevert(IErrors.NotAllowedToRemovePkpFromGroup.selector, KEY, GROUP);
        by(writer).removePkpFromGroup(KEY, GROUP, wallet);
        assertCan(KEY, ACTION, wallet, false, false);
        k = newKey(KEY);
        k.executeInGroups = list(0);
        setKey(k);
        expectRevert(IErrors.NotAllowedToManageIPFSIdsInGroup.selector, KEY, GROUP);
        by(writer).addActionToGroup(KEY, GROUP, LOOSE_ACTION);
        assertCan(KEY, ACTION, wallet, true, true);
    }

    // ------------------------------------------------------------------------------------- rule 4: replacement

    function test_ReplacementEqualsTheArguments() external inBothModes {
        addGroupsUpTo(6);
        setKey(_fullKey());
        UsageKey memory k = newKey(KEY);
        k.deleteGroups = true;
        k.addPkpToGroups = list(1);
        k.executeInGroups = list(2);
        _expectSet(k);
        setKey(k);
        assertEvents(1);
        assertKey(k);
        assertCan(KEY, ACTION, wallet, false, false);
        (uint256 keys,,,) = accountConfig.listSizes(account);
        vm.assertEq(keys, 2);
    }

    function test_WildcardIsReplaced() external inBothModes {
        setKey(almightyKey(KEY));
        setKey(newKey(KEY));
        assertKey(newKey(KEY));
        assertCan(KEY, ACTION, wallet, false, false);
        UsageKey memory k = newKey(KEY);
        k.executeInGroups = list(EMPTY_GROUP);
        setKey(k);
        assertKey(k);
        assertCan(KEY, ACTION, wallet, false, false);
    }

    function test_ExpirationIsReplaced() external inBothModes {
        UsageKey memory k = almightyKey(KEY);
        k.expiration = NOW;
        setKey(k);
        assertCan(KEY, ACTION, wallet, false, false);
        k.expiration = 0;
        setKey(k);
        assertKey(k);
        assertCan(KEY, ACTION, wallet, true, true);
    }

    function test_RemovedKeyComesBackWithTheNewPermissionsOnly() external inBothModes {
        addGroupsUpTo(300);
        UsageKey memory k = newKey(KEY);
        k.executeInGroups = list(1, 100, 300);
        k.manageIPFSIdsInGroups = list(1, 300);
        setKey(k);
        by(writer).removeUsageApiKey(account, KEY);
        setKey(newKey(KEY));
        assertKey(newKey(KEY));
        assertCan(KEY, ACTION, wallet, false, false);
        k = newKey(KEY);
        k.executeInGroups = list(100, 300);
        setKey(k);
        assertKey(k);
        assertCan(KEY, ACTION, wallet, false, false);
    }

    /// Rule 20.
    function test_RevertGiven_RemovedKeyOfAnotherAccount() external {
        by(payer).removeUsageApiKey(MANAGED, key);
        uint256 usageHash = key;
        enterSecured();
        expectRevert(IErrors.AccountAlreadyExists.selector, usageHash);
        setKey(newKey(usageHash));
    }

    // ------------------------------------------------------------------------------------------------- limits

    function test_ExpirationInThePastIsDeadAtOnce() external inBothModes {
        UsageKey memory k = almightyKey(KEY);
        k.expiration = 1;
        setKey(k);
        assertKey(k);
        assertCan(KEY, ACTION, wallet, false, false);
        expectRevert(IErrors.UsageApiKeyExpired.selector, KEY);
        by(writer).addActionToGroup(KEY, GROUP, LOOSE_ACTION);
    }

    function test_LatestExpiration() external inBothModes {
        UsageKey memory k = almightyKey(KEY);
        k.expiration = type(uint40).max;
        k.balance = type(uint256).max;
        setKey(k);
        assertKey(k);
        assertCan(KEY, ACTION, wallet, true, true);
    }

    function test_RevertWhen_ExpirationIsTooLate() external {
        UsageKey memory k = newKey(KEY);
        k.expiration = uint256(type(uint40).max) + 1;
        expectRevert(IErrors.ExpirationTooLarge.selector, 1 << 40, (1 << 40) - 1);
        setKey(k);
    }

    function test_RevertWhen_HashIsZero() external {
        expectRevert(IErrors.UsageApiKeyHashIsZero.selector);
        setKey(newKey(0));
    }

    function test_FiftyEntriesInEachList() external inBothModes {
        addGroupsUpTo(400);
        UsageKey memory k = newKey(KEY);
        k.manageIPFSIdsInGroups = range(1, 50);
        k.addPkpToGroups = range(60, 50);
        k.removePkpFromGroups = range(250, 50);
        k.executeInGroups = range(351, 50);
        setKey(k);
        assertKey(k);
    }

    function test_RevertWhen_ListIsTooLong() external {
        for (uint256 i; i < 4; ++i) {
            UsageKey memory k = newKey(KEY);
            _setList(k, i, new uint256[](51));
            expectRevert(IErrors.TooManyUsageApiKeyEntries.selector, 51, 50);
            setKey(k);
        }
    }

    function _setList(UsageKey memory k, uint256 i, uint256[] memory groupIds) private pure {
        if (i == 0) k.manageIPFSIdsInGroups = groupIds;
        if (i == 1) k.addPkpToGroups = groupIds;
        if (i == 2) k.removePkpFromGroups = groupIds;
        if (i == 3) k.executeInGroups = groupIds;
    }

    // ------------------------------------------------------------------------------------------------- groups

    /// Rule 3: a permission on a group that does not exist (yet) is refused.
    function test_RevertGiven_NoGroupInAList() external inBothModes {
        uint256[6] memory ids = [NO_GROUP, 95, 256, 1 << 30, GROUP | uint256(1) << 255, type(uint256).max];
        for (uint256 i; i < 4; ++i) {
            for (uint256 j; j < ids.length; ++j) {
                UsageKey memory k = newKey(KEY);
                _setList(k, i, list(GROUP, ids[j]));
                expectRevert(IErrors.GroupDoesNotExist.selector, account, ids[j]);
                setKey(k);
            }
        }
        vm.assertEq(accountConfig.allApiKeyHashesToMaster(KEY), 0);
    }

    function test_RevertGiven_NoGroupBesideTheWildcard() external inBothModes {
        UsageKey memory k = newKey(KEY);
        k.executeInGroups = list(0, NO_GROUP);
        expectRevert(IErrors.GroupDoesNotExist.selector, account, NO_GROUP);
        setKey(k);
    }

    function test_RevertGiven_GroupRemoved() external inBothModes {
        by(writer).removeGroup(account, GROUP);
        UsageKey memory k = newKey(KEY);
        k.executeInGroups = list(GROUP);
        expectRevert(IErrors.GroupDoesNotExist.selector, account, GROUP);
        setKey(k);
    }

    function test_RevertGiven_GroupOfAnotherAccountOnly() external {
        enterSecured();
        addGroupsUpTo(5);
        enterManaged();
        UsageKey memory k = newKey(KEY);
        k.executeInGroups = list(5);
        expectRevert(IErrors.GroupDoesNotExist.selector, MANAGED, 5);
        setKey(k);
    }

    function test_GroupErrorCarriesTheHashAsGiven() external {
        convert();
        UsageKey memory k = newKey(KEY);
        k.accountApiKeyHash = identity(newAdmin);
        k.executeInGroups = list(NO_GROUP);
        expectRevert(IErrors.GroupDoesNotExist.selector, identity(newAdmin), NO_GROUP);
        setKey(k);
    }

    // ---------------------------------------------------------------------------------------- hashes in use

    /// A usage key on an account's own hash would turn the account key into a usage key, or lock the account.
    function test_RevertGiven_HashIsTheOwnAccount() external inBothModes {
        expectRevert(IErrors.AccountAlreadyExists.selector, account);
        setKey(almightyKey(account));
        (,,, bool isUsageKey,) = accountConfig.resolve(account);
        vm.assertFalse(isUsageKey);
    }

    function test_RevertGiven_HashIsAnotherAccount() external {
        expectRevert(IErrors.AccountAlreadyExists.selector, SECURED);
        setKey(almightyKey(SECURED));
        enterSecured();
        expectRevert(IErrors.AccountAlreadyExists.selector, MANAGED);
        setKey(almightyKey(MANAGED));
    }

    function test_RevertGiven_HashIsAnAlias() external {
        convert();
        expectRevert(IErrors.AccountAlreadyExists.selector, identity(newAdmin));
        setKey(almightyKey(identity(newAdmin)));
        enterSecured();
        expectRevert(IErrors.AccountAlreadyExists.selector, identity(newAdmin));
        setKey(almightyKey(identity(newAdmin)));
    }

    /// An account that takes over another account's key would decide what that key may do.
    function test_RevertGiven_HashIsAnotherAccountsUsageKey() external {
        uint256 managedKey = key;
        enterSecured();
        expectRevert(IErrors.AccountAlreadyExists.selector, managedKey);
        setKey(almightyKey(managedKey));
        enterManaged();
        assertCan(key, ACTION, wallet, true, true);
        assertCan(key, NO_ACTION, wallet, false, false);
    }

    /// Rule 2: an api payer that acts through a scoped key cannot extend that key.
    function test_RevertGiven_ScopedKeyRewritesItself() external inBothModes {
        UsageKey memory k = almightyKey(key);
        k.accountApiKeyHash = key;
        expectRevert(IErrors.NotMasterAccount.selector, key);
        setKey(k);
        assertCan(key, NO_ACTION, wallet, false, false);
    }
}
