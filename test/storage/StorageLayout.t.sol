// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IErrors } from "../../contracts/interfaces/IErrors.sol";
import { IUsageKeyWrites } from "../../contracts/interfaces/IUsageKeyWrites.sol";
import { IViewsFacet } from "../../contracts/interfaces/IViewsFacet.sol";
import { StorageAccess } from "./StorageAccess.sol";

/// @notice Every field in storage, of the structs and of the packed words. Whole words are compared after writes; then each
/// field is set to another value, and the views must return it.
contract StorageLayoutTest is StorageAccess {
    function test_NothingOutsideTheNamespaces() external view {
        for (uint256 slot; slot < 64; ++slot) {
            vm.assertEq(load(slot), 0);
        }
    }

    // -------------------------------------------------------------------------------------------------- diamond

    function test_Routes() external {
        bytes4 selector = accountConfig.owner.selector;
        uint256 slot = uint256(keccak256(abi.encode(selector, DIAMOND + ROUTES)));
        uint256 position = load(slot) >> 160;
        vm.assertEq(
            load(slot),
            put(ROUTE_FACET, uint160(accountConfig.facetAddress(selector))) | put(ROUTE_POSITION, position)
        );
        // Eight selectors per word.
        uint256 word = load(uint256(keccak256(abi.encode(DIAMOND + SELECTORS))) + position / 8);
        vm.assertEq(bytes32(bytes4(uint32(word >> (32 * (position % 8))))), bytes32(selector));
        vm.assertEq(load(DIAMOND + SELECTORS), selectorsOf("IAccountConfig").length);

        store(slot, ROUTE_FACET, uint160(stranger));
        vm.assertEq(accountConfig.facetAddress(selector), stranger);
    }

    function test_SelectorCount() external {
        store(DIAMOND + SELECTORS, 1);
        vm.assertEq(accountConfig.facets().length, 1);
    }

    function test_Owner() external {
        vm.assertEq(load(DIAMOND + OWNER), uint160(owner));
        store(DIAMOND + OWNER, uint160(stranger));
        vm.assertEq(accountConfig.owner(), stranger);
    }

    function test_PendingOwner() external {
        by(owner).transferOwnership(newAdmin);
        vm.assertEq(load(DIAMOND + PENDING_OWNER), uint160(newAdmin));
        store(DIAMOND + PENDING_OWNER, uint160(stranger));
        vm.assertEq(accountConfig.pendingOwner(), stranger);
    }

    // ------------------------------------------------------------------------------------------------- settings

    function test_Counts() external {
        vm.assertEq(load(CONFIG + COUNTS), put(COUNT_ACCOUNTS, 2) | put(COUNT_PKPS, 4));
        store(CONFIG + COUNTS, COUNT_ACCOUNTS, type(uint128).max);
        vm.assertEq(accountConfig.accountCount(), type(uint128).max);
        vm.assertEq(accountConfig.pkpCount(), 4);
        store(CONFIG + COUNTS, COUNT_PKPS, 77);
        vm.assertEq(accountConfig.pkpCount(), 77);
    }

    function test_ApiPayers() external {
        uint256 values = uint256(keccak256(abi.encode(CONFIG + API_PAYERS)));
        vm.assertEq(load(CONFIG + API_PAYERS), 2);
        vm.assertEq(load(values), uint160(payer));
        vm.assertEq(load(values + 1), uint160(otherPayer));
        store(values + 1, uint160(stranger));
        vm.assertEq(accountConfig.api_payers(), list(payer, stranger));
        store(CONFIG + API_PAYERS, 1);
        vm.assertEq(accountConfig.api_payers(), list(payer));
    }

    function test_ApiPayerPositions() external {
        uint256 slot = slotAt(API_PAYERS + 1, uint160(otherPayer));
        vm.assertEq(load(slot), 2);
        store(slot, 0);
        vm.assertTrue(by(otherPayer).accountExistsAndIsMutable(MANAGED));
        by(owner).freezePayers();
        expectNoAccess(MANAGED, otherPayer);
        by(otherPayer).addGroup(MANAGED, NAME, DESCRIPTION, list(), wallets());
    }

    function test_ActivePayers() external {
        uint256 slot = slotAt(ACTIVE_PAYERS, uint160(otherPayer));
        vm.assertEq(load(slot), 1);
        store(slot, 0);
        vm.assertFalse(by(otherPayer).accountExistsAndIsMutable(MANAGED));
        store(slotAt(ACTIVE_PAYERS, uint160(stranger)), 1);
        vm.assertTrue(by(stranger).accountExistsAndIsMutable(MANAGED));
    }

    function test_Brake() external {
        by(owner).setGuardian(address(0x11));
        by(owner).freezePayers();
        by(owner).setConversionLimit(9);
        by(owner).convertToChainSecuredAccount(MANAGED, newAdmin);
        uint256 flags = put(BRAKE_FROZEN, 1) | put(BRAKE_LIMITED, 1);
        vm.assertEq(load(CONFIG + BRAKE), put(BRAKE_GUARDIAN, 0x11) | flags | put(BRAKE_PER_DAY, 9));
        // The day and the number of all payers in earlier versions.
        vm.assertEq(load(CONFIG + BRAKE_OF_DAY), 0);
        uint256 slot = slotAt(CONVERSIONS, uint160(owner));
        vm.assertEq(load(slot), (NOW / 1 days) << 64 | 1);
        store(slot, (NOW / 1 days) << 64 | 5);
        vm.assertEq(accountConfig.conversionsToday(owner), 5);
        store(slot, (NOW / 1 days - 1) << 64 | 5);
        vm.assertEq(accountConfig.conversionsToday(owner), 0);
        store(CONFIG + BRAKE, BRAKE_PER_DAY, 7);
        vm.assertEq(accountConfig.conversionLimit(), 7);
    }

    function test_ConsentRequired() external {
        vm.assertEq(load(CONFIG + CONSENT_REQUIRED), 0);
        by(owner).setConsentRequired(true);
        vm.assertEq(load(CONFIG + CONSENT_REQUIRED), 1);
        store(CONFIG + CONSENT_REQUIRED, 0);
        vm.assertFalse(accountConfig.consentRequired());
    }

    function test_Nonces() external {
        by(admin).cancelNonce(SECURED, 0x103);
        uint256 byAccount = slotAt(ACCOUNT_NONCES, refOf(SECURED));
        uint256 slot = uint256(keccak256(abi.encode(1, byAccount)));
        vm.assertEq(load(slot), 8);
        store(slot, 4);
        vm.assertTrue(accountConfig.isNonceUsed(SECURED, 0x102));
        vm.assertFalse(accountConfig.isNonceUsed(SECURED, 0x103));
        // The nonces of signers in earlier versions.
        vm.assertEq(load(uint256(keccak256(abi.encode(1, slotAt(NONCES, uint160(admin)))))), 0);
    }

    /// The nonces of a wallet without an account are below the ref of the account that it may open.
    function test_NoncesOfAWallet() external {
        by(stranger).cancelNonce(identity(stranger), 3);
        uint256 ref = lower127(identity(stranger)) << 1 | 1;
        vm.assertEq(load(uint256(keccak256(abi.encode(0, slotAt(ACCOUNT_NONCES, ref))))), 8);
    }

    function test_Givers() external {
        enterSecured();
        by(admin).transferChainSecuredAccountOwnership(SECURED, newAdmin);
        uint256 slot = slotAt(GIVERS, refOf(SECURED));
        vm.assertEq(load(slot), uint160(admin));
        store(slot, uint160(stranger));
        vm.assertEq(accountConfig.accountState(SECURED).giver, stranger);
        by(newAdmin).acceptAccount(SECURED);
        vm.assertEq(load(slot), uint160(stranger));
        vm.assertEq(accountConfig.accountState(SECURED).giver, address(0));
    }

    function test_AddressesOfRoles() external {
        by(owner).setPricingOperator(address(0x11));
        by(owner).setConfigOperator(address(0x22));
        by(owner).setAdminApiPayerAccount(address(0x33));
        vm.assertEq(load(CONFIG + PRICING_OPERATOR), 0x11);
        vm.assertEq(load(CONFIG + CONFIG_OPERATOR), 0x22);
        vm.assertEq(load(CONFIG + ADMIN_API_PAYER), 0x33);
        store(CONFIG + PRICING_OPERATOR, 1);
        store(CONFIG + CONFIG_OPERATOR, 2);
        store(CONFIG + ADMIN_API_PAYER, 3);
        vm.assertEq(accountConfig.pricingOperator(), address(1));
        vm.assertEq(accountConfig.configOperator(), address(2));
        vm.assertEq(accountConfig.adminApiPayerAccount(), address(3));
    }

    function test_Pricing() external {
        by(owner).setPricing(7, 77);
        vm.assertEq(load(slotAt(PRICING, 7)), 77);
        store(slotAt(PRICING, 8), 88);
        vm.assertEq(accountConfig.getPricing(8), 88);
    }

    function test_NodeConfiguration() external {
        by(owner).setNodeConfiguration("key", "value");
        // A short string ends with twice its length.
        uint256 key_ = uint256(keccak256(abi.encode(CONFIG + NODE_CONFIGURATION_KEYS)));
        uint256 value = uint256(keccak256(abi.encodePacked("key", CONFIG + NODE_CONFIGURATION)));
        vm.assertEq(load(CONFIG + NODE_CONFIGURATION_KEYS), 1);
        vm.assertEq(bytes32(load(key_)), bytes32("key") | bytes32(uint256(6)));
        vm.assertEq(bytes32(load(value)), bytes32("value") | bytes32(uint256(10)));
        uint256 position = uint256(keccak256(abi.encodePacked("key", CONFIG + NODE_CONFIGURATION_KEYS + 1)));
        vm.assertEq(load(position), 1);

        store(value, uint256(bytes32("other") | bytes32(uint256(10))));
        vm.assertEq(accountConfig.nodeConfigurationValue("key"), "other");
        vm.assertEq(accountConfig.nodeConfigurationValues()[0].value, "other");
        store(key_, uint256(bytes32("new") | bytes32(uint256(6))));
        vm.assertEq(accountConfig.nodeConfigurationValues()[0].key, "new");
        store(CONFIG + NODE_CONFIGURATION_KEYS, 0);
        vm.assertEq(accountConfig.nodeConfigurationValues().length, 0);
    }

    // ------------------------------------------------------------------------------------------------- accounts

    function test_Account() external inBothModes {
        uint256 word =
            put(KIND, IS_ACCOUNT) | put(ACCOUNT_KEYS, 1) | put(ACCOUNT_ACTIONS, 2) | put(ACCOUNT_WALLETS, 2);
        word |= account == MANAGED
            ? put(ACCOUNT_MANAGED, 1) | put(ACCOUNT_ADMIN, uint160(accountKeyAddress))
            : put(ACCOUNT_NAMESPACE, 1) | put(ACCOUNT_ADMIN, uint160(admin)) | put(ACCOUNT_CLAIMED, 1);
        uint256 slot = slotAt(ENTRIES, account);
        vm.assertEq(load(slot), word);

        store(slot, ACCOUNT_ADMIN, type(uint160).max);
        vm.assertEq(accountConfig.getAccountWalletAddress(account), address(type(uint160).max));
        store(slot, ACCOUNT_MANAGED, account == MANAGED ? 0 : 1);
        (,, bool managed,,) = accountConfig.resolve(account);
        vm.assertEq(managed, account != MANAGED);
        store(slot, ACCOUNT_KEYS, (1 << 22) - 1);
        store(slot, ACCOUNT_ACTIONS, (1 << 22) - 2);
        store(slot, ACCOUNT_WALLETS, (1 << 22) - 3);
        (uint256 keys, uint256 groups, uint256 pkps, uint256 actions) = accountConfig.listSizes(account);
        vm.assertEq(keys, (1 << 22) - 1);
        vm.assertEq(groups, 2);
        vm.assertEq(pkps, (1 << 22) - 3);
        vm.assertEq(actions, (1 << 22) - 2);
        // Another namespace: the account has another ref, which has no entries.
        store(slot, ACCOUNT_NAMESPACE, account == MANAGED ? 1 : 0);
        (, groups,,) = accountConfig.listSizes(account);
        vm.assertEq(groups, 0);
        store(slot, KIND, IS_ALIAS);
        vm.assertEq(accountConfig.allApiKeyHashesToMaster(account), 0);
    }

    /// A wallet evicts an account that was opened under its identity, but not one that a wallet has claimed.
    function test_AccountClaimed() external {
        uint256 hash = identity(stranger);
        by(payer).newAccount(hash, true, NAME, DESCRIPTION, accountKeyAddress);
        store(slotAt(ENTRIES, hash), ACCOUNT_CLAIMED, 1);
        expectRevert(IErrors.AccountAlreadyExists.selector, hash);
        by(stranger).newChainSecuredAccount(NAME, DESCRIPTION);
        store(slotAt(ENTRIES, hash), ACCOUNT_CLAIMED, 0);
        by(stranger).newChainSecuredAccount(NAME, DESCRIPTION);
    }

    function test_Alias() external {
        convert();
        uint256 slot = slotAt(ENTRIES, identity(newAdmin));
        vm.assertEq(load(slot), put(KIND, IS_ALIAS) | put(REF, refOf(MANAGED)));
        store(slot, REF, refOf(SECURED));
        vm.assertEq(accountConfig.allApiKeyHashesToMaster(identity(newAdmin)), SECURED);
        store(slot, KIND, IS_USAGE_KEY);
        (,,, bool isUsageKey,) = accountConfig.resolve(identity(newAdmin));
        vm.assertTrue(isUsageKey);
    }

    function test_PendingAccount() external {
        enterSecured();
        uint256 slot = slotAt(ENTRIES, SECURED);
        uint256 aliasSlot = slotAt(ENTRIES, identity(newAdmin));
        uint256 before = load(slot) & ~(uint256(type(uint160).max) << 4);
        by(admin).transferChainSecuredAccountOwnership(SECURED, newAdmin);
        vm.assertEq(load(slot), before | put(ACCOUNT_ADMIN, uint160(newAdmin)) | put(ACCOUNT_PENDING, 1));
        uint256 settled = put(KIND, IS_ALIAS) | put(REF, refOf(SECURED));
        vm.assertEq(load(aliasSlot), settled | put(ALIAS_PENDING, 1));
        by(newAdmin).updateGroupMetadata(SECURED, GROUP, NAME, DESCRIPTION);
        vm.assertEq(load(slot), before | put(ACCOUNT_ADMIN, uint160(newAdmin)));
        vm.assertEq(load(aliasSlot), settled);
    }

    /// The identity has the last account that waits for the wallet.
    function test_AliasOfTwoAccounts() external {
        by(stranger).newChainSecuredAccount(NAME, DESCRIPTION);
        by(stranger).transferChainSecuredAccountOwnership(identity(stranger), newAdmin);
        by(admin).transferChainSecuredAccountOwnership(SECURED, newAdmin);
        uint256 word = put(KIND, IS_ALIAS) | put(ALIAS_PENDING, 1) | put(REF, refOf(SECURED));
        vm.assertEq(load(slotAt(ENTRIES, identity(newAdmin))), word);
    }

    function test_AccountKeys() external {
        uint256 slot = slotAt(ENTRIES, MANAGED);
        uint256 before = load(slot);
        rotate(MANAGED, UNKNOWN);
        before = before & ~(uint256(type(uint160).max) << 4) | put(ACCOUNT_ROTATED, 1);
        vm.assertEq(load(slot), before | put(ACCOUNT_ADMIN, uint160(addressOfKey(UNKNOWN))));
        uint256 word = put(KIND, IS_ALIAS) | put(ALIAS_ACCOUNT_KEY, 1) | put(REF, refOf(MANAGED));
        vm.assertEq(load(slotAt(ENTRIES, UNKNOWN)), word);
        rotate(UNKNOWN, NO_ACTION);
        vm.assertEq(load(slotAt(ENTRIES, UNKNOWN)), word | put(ALIAS_VOID, 1));
        vm.assertEq(load(slotAt(ENTRIES, NO_ACTION)), word);
    }

    function test_RetiredAccount() external {
        retire(MANAGED);
        retire(SECURED);
        uint256 word = put(KIND, IS_ALIAS) | put(ALIAS_VOID, 1);
        vm.assertEq(
            load(slotAt(ENTRIES, MANAGED)), word | put(ALIAS_ACCOUNT_KEY, 1) | put(REF, refOf(MANAGED))
        );
        vm.assertEq(load(slotAt(ENTRIES, SECURED)), word | put(REF, refOf(SECURED)));
        vm.assertEq(load(slotAt(MASTERS, refOf(MANAGED))), 2);
        vm.assertEq(load(slotAt(MASTERS, refOf(SECURED))), 2);
    }

    /// The entry of a removed key keeps its account and loses all else.
    function test_RemovedUsageKey() external inBothModes {
        uint256 slot = slotAt(ENTRIES, key);
        by(writer).removeUsageApiKey(account, key);
        uint256 word = put(KIND, IS_ALIAS) | put(ALIAS_VOID, 1) | put(ALIAS_ACCOUNT_KEY, 1);
        vm.assertEq(load(slot), word | put(ALIAS_REMOVED_KEY, 1) | put(REF, refOf(account)));
        store(slot, ALIAS_REMOVED_KEY, 0);
        expectRevert(IErrors.AccountAlreadyExists.selector, key);
        setKey(newKey(key));
    }

    function test_EvictedAccount() external {
        uint256 squatted = identity(stranger);
        by(payer).newAccount(squatted, true, NAME, DESCRIPTION, accountKeyAddress);
        by(stranger).newChainSecuredAccount(NAME, DESCRIPTION);
        vm.assertEq(load(slotAt(MASTERS, lower127(squatted) << 1)), 1);
    }

    /// The word of an account that an earlier version retired.
    function test_RetiredAccountWithTheGap() external {
        setKey(newKey(UNKNOWN));
        by(payer).removeAllUsageApiKeys(MANAGED);
        retire(MANAGED);
        vm.store(
            address(accountConfig), bytes32(slotAt(MASTERS, refOf(MANAGED))), bytes32(uint256(2 | 2 << 8))
        );
        vm.assertEq(accountConfig.allApiKeyHashesToMaster(MANAGED), 0);
        vm.assertEq(accountConfig.allApiKeyHashesToMaster(UNKNOWN), 0);
        enterSecured();
        expectRevert(IErrors.AccountAlreadyExists.selector, UNKNOWN);
        setKey(newKey(UNKNOWN));
    }

    function test_Master() external inBothModes {
        uint256 slot = slotAt(MASTERS, refOf(account));
        vm.assertEq(
            load(slot), put(MASTER_GROUPS, 2) | put(MASTER_EXISTS, 1) | put(MASTER_REST, account >> 127)
        );
        store(slot, MASTER_GROUPS, MAX_GROUPS);
        (, uint256 groups,,) = accountConfig.listSizes(account);
        vm.assertEq(groups, MAX_GROUPS);
        store(slot, MASTER_REST, 7);
        vm.assertEq(accountConfig.allApiKeyHashesToMaster(key), 7 << 127 | lower127(account));
        // An evicted account's keys name nothing.
        store(slot, 0);
        vm.assertEq(accountConfig.allApiKeyHashesToMaster(key), 0);
    }

    function test_MasterExists() external {
        // Groups and rest may all be zero.
        store(slotAt(MASTERS, refOf(MANAGED)), put(MASTER_EXISTS, 1));
        vm.assertEq(accountConfig.allApiKeyHashesToMaster(key), lower127(MANAGED));
    }

    function test_RemovedGroups() external inBothModes {
        addGroupsUpTo(300);
        uint256 slot = slotAt(MASTERS, refOf(account));
        uint256 others = put(MASTER_GROUPS, 300) | put(MASTER_EXISTS, 1) | put(MASTER_REST, account >> 127);
        by(writer).removeGroup(account, 100);
        by(writer).removeGroup(account, 102);
        uint256 word = others | put(SET_BLOCK, 3) | put(SET_WINDOW, 1 << 4 | 1 << 6);
        vm.assertEq(load(slot), word);
        by(writer).removeGroup(account, 2);
        word |= put(SET_SECOND, 1 << 2);
        vm.assertEq(load(slot), word);
        by(writer).removeGroup(account, 200);
        by(writer).removeGroup(account, 299);
        vm.assertEq(load(slot), word | put(SET_OUTSIDE, 3));
        vm.assertEq(load(slotAt(REMOVED_GROUPS, below(0))), 1 << 200);
        vm.assertEq(load(slotAt(REMOVED_GROUPS, below(1))), 1 << 43);

        // Ids 1 to 300, except the removed ones.
        store(slot, others | put(SET_BLOCK, 1) | put(SET_WINDOW, (1 << 32) - 1));
        vm.assertEq(accountConfig.listGroups(account, 0, 110), _without(range(1, 110), 32, 63));
        store(slot, others | put(SET_SECOND_BLOCK, 8) | put(SET_SECOND, (1 << 32) - 1));
        vm.assertEq(accountConfig.listGroups(account, 0, 1000), _without(range(1, 300), 256, 287));
        store(slot, others | put(SET_OUTSIDE, 2));
        store(slotAt(REMOVED_GROUPS, below(1)), type(uint256).max << 4);
        vm.assertEq(accountConfig.listGroups(account, 0, 1000), range(1, 259));
        store(slot, others | put(SET_OUTSIDE, 1));
        store(slotAt(REMOVED_GROUPS, below(0)), ~uint256(7));
        vm.assertEq(accountConfig.listGroups(account, 0, 1000), _without(range(1, 300), 3, 255));
    }

    /// @return rest `values`, except those from `first` to `last`.
    function _without(uint256[] memory values, uint256 first, uint256 last)
        private
        pure
        returns (uint256[] memory rest)
    {
        rest = new uint256[](values.length - (last - first + 1));
        uint256 count;
        for (uint256 i; i < values.length; ++i) {
            if (values[i] < first || values[i] > last) rest[count++] = values[i];
        }
    }

    // ----------------------------------------------------------------------------------------------- usage keys

    /// @notice A key with index 1 that grants group 128 to execute, 129 in two lists, 130 to remove from.
    function _setPagedKey() private returns (uint256 slot) {
        addGroupsUpTo(200);
        UsageKey memory k = newKey(UNKNOWN);
        (k.createGroups, k.createPKPs, k.expiration) = (true, true, 0x1234567890);
        k.manageIPFSIdsInGroups = list(129);
        k.addPkpToGroups = list(0);
        k.removePkpFromGroups = list(130);
        k.executeInGroups = list(128, 129);
        setKey(k);
        return slotAt(ENTRIES, UNKNOWN);
    }

    function _grants() private pure returns (uint256) {
        return put(GRANTS_MANAGE, 1 << 1) | put(GRANTS_REMOVE, 1 << 2) | put(GRANTS_EXECUTE, 3);
    }

    function _permissions() private view returns (IUsageKeyWrites.UsageApiKeyPermissions memory) {
        return usageKey(UNKNOWN).permissions;
    }

    function test_UsageKey() external inBothModes {
        uint256 slot = _setPagedKey();
        vm.assertEq(
            load(slot),
            put(KIND, IS_USAGE_KEY) | put(KEY_CREATES_GROUPS, 1) | put(KEY_CREATES_PKPS, 1)
                | put(KEY_WILDCARDS, 1 << 1) | put(KEY_MODE, MODE_PAIR) | put(KEY_LOW_PAGE, 2)
                | put(KEY_HIGH_PAGE, 2) | put(KEY_INDEX, 1) | put(KEY_EXPIRATION, 0x1234567890)
                | put(REF, refOf(account))
        );
        store(slot, KEY_CREATES_GROUPS, 0);
        vm.assertFalse(_permissions().createGroups);
        store(slot, KEY_DELETES_GROUPS, 1);
        vm.assertTrue(_permissions().deleteGroups);
        store(slot, KEY_CREATES_PKPS, 0);
        vm.assertFalse(_permissions().createPKPs);
        store(slot, KEY_EXPIRATION, type(uint40).max);
        vm.assertEq(usageKey(UNKNOWN).expiration, type(uint40).max);
        store(slot, REF, refOf(account == MANAGED ? SECURED : MANAGED));
        vm.assertEq(accountConfig.allApiKeyHashesToMaster(UNKNOWN), account == MANAGED ? SECURED : MANAGED);
        store(slot, KIND, IS_ALIAS);
        (,,, bool isUsageKey,) = accountConfig.resolve(UNKNOWN);
        vm.assertFalse(isUsageKey);
    }

    function test_UsageKeyWildcards() external {
        uint256 slot = _setPagedKey();
        store(slot, KEY_WILDCARDS, 0);
        vm.assertEq(_permissions().addPkpToGroups, list());
        store(slot, KEY_WILDCARDS, 1);
        vm.assertEq(_permissions().manageIPFSIdsInGroups, list(0));
        store(slot, KEY_WILDCARDS, 2);
        vm.assertEq(_permissions().manageIPFSIdsInGroups, list(129));
        vm.assertEq(_permissions().addPkpToGroups, list(0));
        store(slot, KEY_WILDCARDS, 4);
        vm.assertEq(_permissions().removePkpFromGroups, list(0));
        store(slot, KEY_WILDCARDS, 8);
        vm.assertEq(_permissions().executeInGroups, list(0));
        vm.assertEq(_permissions().removePkpFromGroups, list(130));
    }

    function test_UsageKeysByIndex() external {
        _setPagedKey();
        vm.assertEq(load(slotAt(USAGE_KEYS, below(0))), key);
        vm.assertEq(load(slotAt(USAGE_KEYS, below(1))), UNKNOWN);
        store(slotAt(USAGE_KEYS, below(0)), 0);
        IViewsFacet.UsageApiKey[] memory keys = accountConfig.listApiKeys(MANAGED, 0, 20);
        vm.assertEq(keys.length, 1);
        vm.assertEq(keys[0].usageApiKeyHash, UNKNOWN);
    }

    function test_GrantsInOnePage() external inBothModes {
        uint256 slot = _setPagedKey();
        uint256 page = slotAt(GRANTS, below(grantsKey(1, 0)));
        vm.assertEq(load(page), _grants());
        store(slot, KEY_WILDCARDS, 0);
        store(page, GRANTS_MANAGE, 1 << 3);
        store(page, GRANTS_ADD, 1 << 4);
        store(page, GRANTS_REMOVE, 1 << 5);
        store(page, GRANTS_EXECUTE, 1 << 6);
        vm.assertEq(_permissions().manageIPFSIdsInGroups, list(131));
        vm.assertEq(_permissions().addPkpToGroups, list(132));
        vm.assertEq(_permissions().removePkpFromGroups, list(133));
        vm.assertEq(_permissions().executeInGroups, list(134));

        // Position and index make up the key of the grants' word.
        store(slotAt(GRANTS, below(grantsKey(1, 1))), GRANTS_EXECUTE, 1 << 7);
        store(slot, KEY_LOW_PAGE, 1);
        vm.assertEq(_permissions().executeInGroups, list(70, 135));
        store(slotAt(GRANTS, below(grantsKey(9, 0))), GRANTS_EXECUTE, 1 << 9);
        store(slot, KEY_HIGH_PAGE, 1);
        store(slot, KEY_INDEX, 9);
        vm.assertEq(_permissions().executeInGroups, list(73));
        store(slot, KEY_MODE, 0);
        vm.assertEq(_permissions().executeInGroups, list());
    }

    /// One group needs no word but that of the key.
    function test_GrantsOfOneGroup() external inBothModes {
        uint256 slot = _setPagedKey();
        UsageKey memory k = newKey(UNKNOWN);
        k.executeInGroups = list(129);
        k.addPkpToGroups = list(129, 129);
        setKey(k);
        uint256 others = put(KIND, IS_USAGE_KEY) | put(KEY_INDEX, 1) | put(REF, refOf(account));
        vm.assertEq(
            load(slot),
            others | put(KEY_MODE, MODE_ONE) | put(KEY_GROUP, 129) | put(KEY_LISTS, 1 << 1 | 1 << 3)
        );
        for (uint256 i; i < 4; ++i) {
            store(slot, others | put(KEY_MODE, MODE_ONE) | put(KEY_GROUP, 130 + i) | put(KEY_LISTS, 1 << i));
            IUsageKeyWrites.UsageApiKeyPermissions memory p = _permissions();
            vm.assertEq(p.manageIPFSIdsInGroups, i == 0 ? list(130) : list());
            vm.assertEq(p.addPkpToGroups, i == 1 ? list(131) : list());
            vm.assertEq(p.removePkpFromGroups, i == 2 ? list(132) : list());
            vm.assertEq(p.executeInGroups, i == 3 ? list(133) : list());
        }
    }

    /// The word of the key has both pages.
    function test_GrantsInTwoPages() external inBothModes {
        uint256 slot = _setPagedKey();
        store(slotAt(MASTERS, refOf(account)), MASTER_GROUPS, 400_000);
        UsageKey memory k = newKey(UNKNOWN);
        k.executeInGroups = list(64 * 4095 + 63, 1);
        setKey(k);
        vm.assertEq(_permissions().executeInGroups, list(1, 64 * 4095 + 63));
        k.executeInGroups = list(129, 64 * 4097);
        setKey(k);
        assertKey(k);
        uint256 others =
            put(KIND, IS_USAGE_KEY) | put(KEY_INDEX, 1) | put(REF, refOf(account)) | put(KEY_MODE, MODE_PAIR);
        vm.assertEq(load(slot), others | put(KEY_LOW_PAGE, 2) | put(KEY_HIGH_PAGE, 4097));
        vm.assertEq(load(slotAt(GRANTS, below(grantsKey(1, 0)))), put(GRANTS_EXECUTE, 2));
        vm.assertEq(load(slotAt(GRANTS, below(grantsKey(1, 1)))), put(GRANTS_EXECUTE, 1));
        store(slot, KEY_HIGH_PAGE, 4095);
        vm.assertEq(_permissions().executeInGroups, list(129, 64 * 4095));
        // The pages at both ends.
        store(slotAt(MASTERS, refOf(account)), MASTER_GROUPS, MAX_GROUPS);
        k.executeInGroups = list(1, MAX_GROUPS);
        setKey(k);
        assertKey(k);
    }

    /// Pages below 44 have a bit in the word of the key, which tells their positions.
    function test_GrantsInSeveralPages() external inBothModes {
        uint256 slot = _setPagedKey();
        by(writer).addGroup(account, "", "", list(), wallets());
        UsageKey memory k = newKey(UNKNOWN);
        k.executeInGroups = list(1, 64, 129);
        setKey(k);
        uint256 others = put(KIND, IS_USAGE_KEY) | put(KEY_INDEX, 1) | put(REF, refOf(account))
            | put(KEY_MODE, MODE_PAGES);
        vm.assertEq(load(slot), others | put(KEY_NEAR_PAGES, 1 | 1 << 1 | 1 << 2));
        vm.assertEq(load(slotAt(GRANTS, below(grantsKey(1, 0)))), put(GRANTS_EXECUTE, 2));
        vm.assertEq(load(slotAt(GRANTS, below(grantsKey(1, 1)))), put(GRANTS_EXECUTE, 1));
        vm.assertEq(load(slotAt(GRANTS, below(grantsKey(1, 2)))), put(GRANTS_EXECUTE, 2));
        store(slot, KEY_NEAR_PAGES, 1 << 2 | 1 << 3);
        vm.assertEq(_permissions().executeInGroups, list(129, 192));
    }

    /// The numbers of further pages are in a directory. Other pages take the place of earlier ones.
    function test_GrantsInFarPages() external inBothModes {
        uint256 slot = _setPagedKey();
        store(slotAt(MASTERS, refOf(account)), MASTER_GROUPS, 17_000);
        UsageKey memory k = newKey(UNKNOWN);
        k.executeInGroups = list(16_500, 1, 2816);
        setKey(k);
        vm.assertEq(_permissions().executeInGroups, list(1, 2816, 16_500));
        uint256 others = put(KIND, IS_USAGE_KEY) | put(KEY_INDEX, 1) | put(REF, refOf(account))
            | put(KEY_MODE, MODE_PAGES) | put(KEY_NEAR_PAGES, 1);
        vm.assertEq(load(slot), others | put(KEY_FAR_PAGES, 2));
        vm.assertEq(load(slotAt(GRANTS, below(grantsKey(1, 0)))), put(GRANTS_EXECUTE, 2));
        vm.assertEq(load(slotAt(GRANTS, below(grantsKey(1, 1)))), put(GRANTS_EXECUTE, 1 << 52));
        vm.assertEq(load(slotAt(GRANTS, below(grantsKey(1, 2)))), put(GRANTS_EXECUTE, 1));
        uint256 directory = slotAt(GRANTS, below(grantsKey(1, GRANTS_DIRECTORY)));
        vm.assertEq(load(directory), 257 | 44 << 16);
        store(directory, 257 | 45 << 16);
        vm.assertEq(_permissions().executeInGroups, list(1, 2880, 16_500));
        store(slot, KEY_FAR_PAGES, 1);
        vm.assertEq(_permissions().executeInGroups, list(1, 16_500));
        store(slot, KEY_FAR_PAGES, 0);
        vm.assertEq(_permissions().executeInGroups, list(1));
        k.executeInGroups = list(3000, 4000, 5000);
        setKey(k);
        assertKey(k);
        vm.assertEq(load(slot), others & ~put(KEY_NEAR_PAGES, 1) | put(KEY_FAR_PAGES, 3));
        vm.assertEq(load(directory), 46 | 62 << 16 | 78 << 32);
    }

    function test_FirstUsageKey() external inBothModes {
        setKey(newKey(UNKNOWN));
        uint256 slot = slotAt(ENTRIES, account);
        store(slot, ACCOUNT_FIRST_KEY, 1);
        vm.assertEq(accountConfig.allApiKeyHashesToMaster(key), 0);
        vm.assertEq(accountConfig.allApiKeyHashesToMaster(UNKNOWN), account);
        vm.assertEq(accountConfig.listApiKeys(account, 0, 20).length, 1);
        assertCan(key, ACTION, wallet, false, false);
        by(writer).removeAllUsageApiKeys(account);
        vm.assertEq(load(slot) >> 186 & ((1 << 22) - 1), 2);
    }

    function test_RotatedHash() external inBothModes {
        uint256 word = load(slotAt(ENTRIES, key));
        by(writer).rotateUsageApiKey(account, key, UNKNOWN);
        vm.assertEq(
            load(slotAt(ENTRIES, key)), put(KIND, IS_ALIAS) | 1 << 3 | 1 << 4 | put(REF, refOf(account))
        );
        vm.assertEq(load(slotAt(ENTRIES, UNKNOWN)), word);
        vm.assertEq(load(slotAt(USAGE_KEYS, below(0))), UNKNOWN);
    }

    // --------------------------------------------------------------------------------------------------- groups

    function test_Group() external inBothModes {
        uint256 slot = slotAt(GROUPS, below(GROUP));
        vm.assertEq(
            load(slot), put(SET_WINDOW, 1 << 1) | put(WALLETS + SET_WINDOW, 1 << 1) | put(GROUP_ALIVE, 1)
        );
        vm.assertEq(load(slotAt(GROUPS, below(EMPTY_GROUP))), put(GROUP_ALIVE, 1));
        by(writer).addActionToGroup(account, GROUP, 0);
        by(writer).addPkpToGroup(account, GROUP, looseWallet);
        vm.assertEq(load(slot), put(SET_WINDOW, 3) | put(WALLETS + SET_WINDOW, 6) | put(GROUP_ALIVE, 1));

        store(slot, SET_WINDOW, 1 << 2);
        assertGroup(GROUP, list(LOOSE_ACTION), list(wallet, looseWallet));
        store(slot, WALLETS + SET_WINDOW, 1);
        assertGroup(GROUP, list(LOOSE_ACTION), list(address(0)));
        store(slot, 0);
        expectRevert(IErrors.GroupDoesNotExist.selector, account, GROUP);
        accountConfig.listGroupContents(account, GROUP);
        store(slot, GROUP_ALIVE, 1);
        assertGroup(GROUP, list(), wallets());
        store(slot, GROUP_EVERY, 1);
        store(slot, SET_OUTSIDE, 1);
        assertGroup(GROUP, list(0), wallets());
        store(slot, WALLETS + GROUP_EVERY, 1);
        store(slot, WALLETS + SET_OUTSIDE, 1);
        assertGroup(GROUP, list(0), list(address(0)));
        // A number that a window covers is never outside.
        store(slot, SET_BLOCK, 5);
        store(slot, SET_SECOND_BLOCK, 6);
        by(writer).removeActionFromGroup(account, GROUP, 0);
        assertGroup(GROUP, list(), list(address(0)));
    }

    /// Items outside the window, in words of 128 by version, which are a list.
    function test_GroupItems() external inBothModes {
        for (uint256 i = 3; i <= 290; ++i) {
            by(writer).addAction(account, "", "", i);
            by(writer).registerWalletDerivation(account, address(uint160(i)), pathOf(i), "", "");
        }
        uint256 slot = slotAt(GROUPS, below(EMPTY_GROUP));
        by(writer).addActionToGroup(account, EMPTY_GROUP, 260);
        by(writer).addActionToGroup(account, EMPTY_GROUP, 200);
        by(writer).addPkpToGroup(account, EMPTY_GROUP, address(100));
        by(writer).addPkpToGroup(account, EMPTY_GROUP, address(270));
        by(writer).addActionToGroup(account, EMPTY_GROUP, 70);
        by(writer).addPkpToGroup(account, EMPTY_GROUP, address(290));
        vm.assertEq(
            load(slot),
            put(SET_BLOCK, 8) | put(SET_WINDOW, 1 << 4) | put(SET_SECOND_BLOCK, 6) | put(SET_SECOND, 1 << 8)
                | put(SET_OUTSIDE, 1) | put(GROUP_FIRST, 1) | put(WALLETS + GROUP_FIRST, 3)
                | put(WALLETS + SET_BLOCK, 3) | put(WALLETS + SET_WINDOW, 1 << 4)
                | put(WALLETS + SET_SECOND_BLOCK, 8) | put(WALLETS + SET_SECOND, 1 << 14)
                | put(WALLETS + SET_OUTSIDE, 2) | put(GROUP_ALIVE, 1)
        );
        uint256 actions = slotAt(GROUP_ITEMS, below(groupItemsKey(OF_ACTION, 0, EMPTY_GROUP, 0)));
        uint256 pkps = slotAt(GROUP_ITEMS, below(groupItemsKey(OF_WALLET, 0, EMPTY_GROUP, 2)));
        vm.assertEq(load(actions), put(OUTSIDE_MEMBERS, 1 << 70) | put(OUTSIDE_LINKED, 1));
        vm.assertEq(load(pkps), put(OUTSIDE_MEMBERS, 1 << (290 - 256)) | put(OUTSIDE_LINKED, 1));
        uint256 snapshot = vm.snapshotState();
        by(writer).addActionToGroup(account, EMPTY_GROUP, 130);
        by(writer).addPkpToGroup(account, EMPTY_GROUP, address(40));
        vm.assertEq(load(slot) & put(GROUP_FIRST, 7), put(GROUP_FIRST, 2));
        vm.assertEq(
            load(slotAt(GROUP_ITEMS, below(groupItemsKey(OF_ACTION, 0, EMPTY_GROUP, 1)))),
            put(OUTSIDE_MEMBERS, 1 << 2) | put(OUTSIDE_NEXT, 1) | put(OUTSIDE_LINKED, 1)
        );
        vm.assertEq(
            load(slotAt(GROUP_ITEMS, below(groupItemsKey(OF_WALLET, 0, EMPTY_GROUP, 0)))),
            put(OUTSIDE_MEMBERS, 1 << 40) | put(OUTSIDE_NEXT, 3) | put(OUTSIDE_LINKED, 1)
        );
        vm.revertToState(snapshot);

        store(actions, 1 << 71);
        store(pkps, 1 << 15);
        assertGroup(EMPTY_GROUP, list(71, 200, 260), list(address(100), address(270), address(271)));
        store(slot, SET_BLOCK, 2);
        store(slot, WALLETS + SET_BLOCK, 1);
        assertGroup(EMPTY_GROUP, list(68, 71, 200), list(address(36), address(270), address(271)));
        store(slot, SET_SECOND, 0);
        store(slot, WALLETS + SET_SECOND_BLOCK, 2);
        assertGroup(EMPTY_GROUP, list(68, 71), list(address(36), address(78), address(271)));
        store(slot, WALLETS + SET_SECOND, 0);
        store(slot, SET_WINDOW, 1 << 31);
        store(slot, WALLETS + SET_WINDOW, 1 << 31);
        assertGroup(EMPTY_GROUP, list(71, 95), list(address(63), address(271)));
        store(slot, SET_OUTSIDE, 0);
        assertGroup(EMPTY_GROUP, list(95), list(address(63), address(271)));
        store(slot, WALLETS + SET_OUTSIDE, 0);
        assertGroup(EMPTY_GROUP, list(95), list(address(63)));
        store(slot, SET_OUTSIDE, 1);
        store(slotAt(GROUP_ITEMS, below(groupItemsKey(OF_ACTION, 9, EMPTY_GROUP, 1))), 1 << (202 - 128));
        store(slot, GROUP_VERSION, 9);
        assertGroup(EMPTY_GROUP, list(95, 202), list(address(63)));
    }

    // ---------------------------------------------------------------------------------------------------- items

    function test_Action() external inBothModes {
        uint256 slot = slotAt(ITEMS, below(itemKey(OF_ACTION, ACTION)));
        vm.assertEq(
            load(slot), put(SET_WINDOW, 1 << GROUP) | put(ITEM_INDEX, 1) | put(ACTION_REST, ACTION >> 127)
        );
        store(slot, ACTION_REST, 7);
        vm.assertEq(
            accountConfig.listActions(account, 0, 1000), list(7 << 127 | lower127(ACTION), LOOSE_ACTION)
        );
        store(slot, ACTION_REST, ACTION >> 127);
        assertCan(key, ACTION, wallet, true, true);
        // The group permits the item of index 1.
        store(slot, ITEM_INDEX, 2);
        assertCan(key, ACTION, wallet, false, false);
        store(slot, ITEM_INDEX, 1);
        store(slot, SET_WINDOW, 1 << EMPTY_GROUP);
        assertCan(key, ACTION, wallet, false, false);
    }

    function test_Wallet() external inBothModes {
        uint256 id = uint160(wallet);
        uint256 slot = slotAt(ITEMS, below(itemKey(OF_WALLET, id)));
        uint256 mintedForSlot = slotAt(MINTED_FOR, below(1));
        vm.assertEq(
            load(slot),
            put(SET_WINDOW, 1 << GROUP) | put(ITEM_INDEX, 1) | put(WALLET_REST, id >> 127)
                | put(WALLET_PATH, 1)
        );
        vm.assertEq(load(mintedForSlot), 0);
        store(slot, WALLET_PATH, type(uint96).max);
        vm.assertEq(
            accountConfig.getWalletDerivation(account, wallet),
            uint256(uint160(mintedFor)) << 96 | type(uint96).max
        );
        store(slot, ITEM_MINTED_ELSEWHERE, 1);
        store(mintedForSlot, 3);
        vm.assertEq(accountConfig.getWalletDerivation(account, wallet), 3 << 96 | type(uint96).max);
        assertCan(key, ACTION, wallet, true, true);
        store(slot, ITEM_INDEX, 2);
        assertCan(key, ACTION, wallet, true, false);
        store(slot, ITEM_INDEX, 1);
        store(slot, SET_WINDOW, 0);
        assertCan(key, ACTION, wallet, true, false);
        store(slot, WALLET_REST, 7);
        vm.assertEq(accountConfig.listPkps(account, 0, 1)[0].pkpId, address(uint160(7 << 127 | lower127(id))));
    }

    /// Groups outside the window, in words of 256.
    function test_ItemGroups() external inBothModes {
        addGroupsUpTo(300);
        uint256 slot = slotAt(ITEMS, below(itemKey(OF_ACTION, LOOSE_ACTION)));
        by(writer).addActionToGroup(account, 260, LOOSE_ACTION);
        by(writer).addActionToGroup(account, 64, LOOSE_ACTION);
        by(writer).addActionToGroup(account, 95, LOOSE_ACTION);
        by(writer).addActionToGroup(account, 100, LOOSE_ACTION);
        by(writer).addPkpToGroup(account, 260, wallet);
        by(writer).addPkpToGroup(account, 290, wallet);
        vm.assertEq(
            load(slot),
            put(SET_BLOCK, 8) | put(SET_WINDOW, 1 << 4) | put(SET_SECOND_BLOCK, 2)
                | put(SET_SECOND, 1 | 1 << 31) | put(SET_OUTSIDE, 1) | put(ITEM_INDEX, 2)
                | put(ACTION_REST, LOOSE_ACTION >> 127)
        );
        uint256 first = slotAt(ITEM_GROUPS, below(itemGroupsKey(OF_ACTION, 2, 0)));
        uint256 ofWallet = slotAt(ITEM_GROUPS, below(itemGroupsKey(OF_WALLET, 1, 1)));
        vm.assertEq(load(first), 1 << 100);
        vm.assertEq(load(ofWallet), 1 << (290 - 256));

        UsageKey memory k = newKey(key);
        k.executeInGroups = list(95, 100, 260);
        setKey(k);
        _assertGroups(95, 260);
        store(slot, SET_SECOND, 0);
        _assertGroups(100, 260);
        store(first, 0);
        _assertGroups(260, 260);
        store(slot, SET_BLOCK, 7);
        _assertGroups(0, 0);
        store(slot, SET_BLOCK, 0);
        store(slot, SET_SECOND_BLOCK, 8);
        store(slot, SET_SECOND, 1 << 4);
        _assertGroups(260, 260);
        store(slot, SET_SECOND, 0);
        store(slotAt(ITEM_GROUPS, below(itemGroupsKey(OF_ACTION, 2, 1))), 1 << 4);
        _assertGroups(0, 0);
        store(slot, SET_OUTSIDE, 2);
        _assertGroups(260, 260);
    }

    /// @notice The groups that let `key` run LOOSE_ACTION, and use `wallet` in it.
    function _assertGroups(uint256 actionGroup, uint256 walletGroup) private view {
        IViewsFacet.Explanation memory e = accountConfig.explainExecution(key, LOOSE_ACTION, wallet);
        vm.assertEq(e.actionGroupId, actionGroup);
        vm.assertEq(e.walletGroupId, walletGroup);
    }

    function test_ItemKeys() external inBothModes {
        uint256 keys = slotAt(ITEM_KEYS, below(itemKeysKey(OF_ACTION, 0)));
        uint256 ofWallet = slotAt(ITEM_KEYS, below(itemKeysKey(OF_WALLET, 0)));
        vm.assertEq(
            load(keys),
            put(ODD_ITEM_SET, 1) | put(ODD_ITEM_KEY, lower127(ACTION)) | put(EVEN_ITEM_SET, 1)
                | put(EVEN_ITEM_KEY, lower127(LOOSE_ACTION))
        );
        vm.assertEq(
            load(ofWallet),
            put(ODD_ITEM_SET, 1) | put(ODD_ITEM_KEY, lower127(uint160(wallet))) | put(EVEN_ITEM_SET, 1)
                | put(EVEN_ITEM_KEY, lower127(uint160(looseWallet)))
        );

        store(keys, ODD_ITEM_KEY, lower127(LOOSE_ACTION));
        vm.assertEq(accountConfig.listActions(account, 0, 1000), list(LOOSE_ACTION, LOOSE_ACTION));
        store(keys, EVEN_ITEM_KEY, lower127(ACTION));
        vm.assertEq(accountConfig.listActions(account, 0, 1000), list(LOOSE_ACTION, ACTION));
        store(keys, ODD_ITEM_SET, 0);
        vm.assertEq(accountConfig.listActions(account, 0, 1000), list(ACTION));
        store(keys, EVEN_ITEM_SET, 0);
        vm.assertEq(accountConfig.listActions(account, 0, 1000), list());
        store(ofWallet, ODD_ITEM_KEY, lower127(uint160(looseWallet)));
        vm.assertEq(accountConfig.listPkps(account, 0, 1)[0].pkpId, looseWallet);
        // Items 3 and 4 have the second word.
        by(writer).addAction(account, "", "", UNKNOWN);
        vm.assertEq(
            load(slotAt(ITEM_KEYS, below(itemKeysKey(OF_ACTION, 1)))),
            put(ODD_ITEM_SET, 1) | put(ODD_ITEM_KEY, lower127(UNKNOWN))
        );
    }

    function test_PathOwner() external inBothModes {
        uint256 slot = slotAt(PATH_OWNERS, pathOf(1));
        vm.assertEq(
            load(slot),
            put(PATH_REF, refOf(account)) | put(PATH_OWNED, 1) | put(PATH_WALLET, lower127(uint160(wallet)))
        );
        store(slot, PATH_REF, refOf(account == MANAGED ? SECURED : MANAGED));
        vm.assertEq(accountConfig.getPathOwnerMaster(pathOf(1)), account == MANAGED ? SECURED : MANAGED);
        // Ref 0, of an evicted account, still owns it.
        store(slot, put(PATH_OWNED, 1));
        vm.assertEq(accountConfig.getPathOwnerMaster(pathOf(1)), 0);
        by(writer).removeWalletDerivation(account, wallet);
        expectRevert(IErrors.DerivationPathAlreadyRegistered.selector, pathOf(1));
        by(writer).registerWalletDerivation(account, wallet, pathOf(1), "", "");
    }
}
