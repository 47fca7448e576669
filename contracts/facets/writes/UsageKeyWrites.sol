// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IErrors } from "../../interfaces/IErrors.sol";
import { IUsageKeyWrites } from "../../interfaces/IUsageKeyWrites.sol";
import {
    AccountConfigStorage as S,
    AccountWord,
    EntryWord,
    KeyWord,
    Ref
} from "../../libraries/AccountConfigStorage.sol";
import { LibAccounts } from "../../libraries/LibAccounts.sol";
import { LibAuthority } from "../../libraries/LibAuthority.sol";
import { LibDrafts } from "../../libraries/LibDrafts.sol";
import { LibEventsAssembly } from "../../libraries/LibEventsAssembly.sol";
import { LibGrants } from "../../libraries/LibGrants.sol";
import { LibGrantsAssembly } from "../../libraries/LibGrantsAssembly.sol";
import { LibLimits } from "../../libraries/LibLimits.sol";

/// @notice Usage keys, see IUsageKeyWrites.
abstract contract UsageKeyWrites is IUsageKeyWrites {
    /// The position of the first list in the calldata of setUsageApiKey.
    uint256 private constant LISTS = 0x124;

    /// @inheritdoc IUsageKeyWrites
    function setUsageApiKey(
        uint256 accountApiKeyHash,
        uint256 usageApiKeyHash,
        uint256 expiration,
        uint256, /* balance: emitted */
        string calldata name,
        string calldata description,
        bool createGroups,
        bool deleteGroups,
        bool createPKPs,
        uint256[] calldata manageIPFSIdsInGroups,
        uint256[] calldata addPkpToGroups,
        uint256[] calldata removePkpFromGroups,
        uint256[] calldata executeInGroups
    ) external {
        LibLimits.labels(name, description);
        LibLimits.keyEntries(
            manageIPFSIdsInGroups.length,
            addPkpToGroups.length,
            removePkpFromGroups.length,
            executeInGroups.length
        );
        if (usageApiKeyHash == 0) revert IErrors.UsageApiKeyHashIsZero();
        LibLimits.expiration(expiration);
        (uint256 masterHash, Ref ref, AccountWord header) = LibAuthority.authorizeMaster(accountApiKeyHash);

        LibDrafts.Draft memory draft;
        if (!LibDrafts.addOnePage(draft, ref, LISTS)) {
            LibDrafts.add(draft, accountApiKeyHash, ref, LibGrants.MANAGE_ACTIONS, manageIPFSIdsInGroups);
            LibDrafts.add(draft, accountApiKeyHash, ref, LibGrants.ADD_PKP, addPkpToGroups);
            LibDrafts.add(draft, accountApiKeyHash, ref, LibGrants.REMOVE_PKP, removePkpFromGroups);
            LibDrafts.add(draft, accountApiKeyHash, ref, LibGrants.EXECUTE, executeInGroups);
        }
        uint256 flags = LibGrantsAssembly.flags(createGroups, deleteGroups, createPKPs);

        S.Layout storage $ = S.load();
        S.Word storage slot = $.entries[usageApiKeyHash];
        EntryWord entry = EntryWord.wrap(slot.word);
        uint256 index;
        if (LibAccounts.isKeyOf(ref, header, entry)) {
            index = LibGrants.indexOf(S.asUsageKey(entry));
        } else if (LibAccounts.isFreeFor(ref, header, entry)) {
            index = LibAccounts.usageKeyCount(header);
            if (index == S.MAX_KEYS) revert IErrors.TooManyUsageApiKeys(accountApiKeyHash, S.MAX_KEYS);
            uint256 word = AccountWord.unwrap(header) + (1 << S.ACCOUNT_KEYS_SHIFT);
            LibAccounts.saveHeader(masterHash, AccountWord.wrap(word));
            $.usageKeys[S.keyOf(ref, index)] = usageApiKeyHash;
        } else {
            // The hash is or was one of an account, an alias, another account's key or a rotated key.
            revert IErrors.AccountAlreadyExists(usageApiKeyHash);
        }
        slot.word = KeyWord.unwrap(LibDrafts.save(draft, ref, index, flags, expiration));
        LibEventsAssembly.usageApiKeySet(masterHash);
    }

    /// @inheritdoc IUsageKeyWrites
    function setUsageApiKeyExpiration(uint256 accountApiKeyHash, uint256 usageApiKeyHash, uint256 expiration)
        external
    {
        LibLimits.expiration(expiration);
        (uint256 masterHash, Ref ref, AccountWord header) = LibAuthority.authorizeMaster(accountApiKeyHash);
        S.Word storage slot = _requireUsageKey(accountApiKeyHash, ref, header, usageApiKeyHash);
        slot.word = KeyWord.unwrap(LibGrants.withExpiration(KeyWord.wrap(slot.word), expiration));
        emit UsageApiKeyExpirationSet(masterHash, usageApiKeyHash, expiration);
    }

    /// @inheritdoc IUsageKeyWrites
    function rotateUsageApiKey(uint256 accountApiKeyHash, uint256 usageApiKeyHash, uint256 newUsageApiKeyHash)
        external
    {
        if (newUsageApiKeyHash == 0) revert IErrors.UsageApiKeyHashIsZero();
        (uint256 masterHash, Ref ref, AccountWord header) = LibAuthority.authorizeMaster(accountApiKeyHash);
        S.Word storage slot = _requireUsageKey(accountApiKeyHash, ref, header, usageApiKeyHash);
        S.Layout storage $ = S.load();
        S.Word storage newSlot = $.entries[newUsageApiKeyHash];
        if (!LibAccounts.isFreeFor(ref, header, EntryWord.wrap(newSlot.word))) {
            revert IErrors.AccountAlreadyExists(newUsageApiKeyHash);
        }
        uint256 word = slot.word;
        newSlot.word = word;
        $.usageKeys[S.keyOf(ref, LibGrants.indexOf(KeyWord.wrap(word)))] = newUsageApiKeyHash;
        LibAccounts.endUsageKey(usageApiKeyHash, ref, 0);
        emit UsageApiKeyRotated(masterHash, usageApiKeyHash, newUsageApiKeyHash);
    }

    /// @inheritdoc IUsageKeyWrites
    function updateUsageApiKeyMetadata(
        uint256 accountApiKeyHash,
        uint256 usageApiKeyHash,
        string calldata name,
        string calldata description
    ) external {
        LibLimits.labels(name, description);
        (uint256 masterHash, Ref ref, AccountWord header) = LibAuthority.authorizeMaster(accountApiKeyHash);
        _requireUsageKey(accountApiKeyHash, ref, header, usageApiKeyHash);
        emit UsageApiKeyMetadataUpdated(masterHash, usageApiKeyHash, name, description);
    }

    /// @inheritdoc IUsageKeyWrites
    function removeUsageApiKey(uint256 accountApiKeyHash, uint256 usageApiKeyHash) external {
        (uint256 masterHash, Ref ref, AccountWord header) = LibAuthority.authorizeMaster(accountApiKeyHash);
        S.Word storage slot = _requireUsageKey(accountApiKeyHash, ref, header, usageApiKeyHash);
        delete S.load().usageKeys[S.keyOf(ref, LibGrants.indexOf(KeyWord.wrap(slot.word)))];
        LibAccounts.endUsageKey(usageApiKeyHash, ref, S.ALIAS_REMOVED_KEY);
        emit UsageApiKeyRemoved(masterHash, usageApiKeyHash);
    }

    /// @inheritdoc IUsageKeyWrites
    function removeAllUsageApiKeys(uint256 accountApiKeyHash) external {
        (uint256 masterHash,, AccountWord header) = LibAuthority.authorizeMaster(accountApiKeyHash);
        uint256 count = LibAccounts.usageKeyCount(header);
        uint256 word = AccountWord.unwrap(header) & ~(S.MAX_KEYS << S.ACCOUNT_FIRST_KEY_SHIFT)
            | (count << S.ACCOUNT_FIRST_KEY_SHIFT);
        LibAccounts.saveHeader(masterHash, AccountWord.wrap(word));
        emit AllUsageApiKeysRemoved(masterHash);
    }

    /// @return slot The slot of the usage key's word.
    function _requireUsageKey(uint256 accountHash, Ref ref, AccountWord header, uint256 usageHash)
        private
        view
        returns (S.Word storage slot)
    {
        slot = S.load().entries[usageHash];
        if (!LibAccounts.isKeyOf(ref, header, EntryWord.wrap(slot.word))) {
            revert IErrors.UsageApiKeyDoesNotExist(accountHash, usageHash);
        }
    }
}
