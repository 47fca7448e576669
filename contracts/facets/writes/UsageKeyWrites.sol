// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IErrors } from "../../interfaces/IErrors.sol";
import { IUsageKeyWrites } from "../../interfaces/IUsageKeyWrites.sol";
import { LibAccountWrites } from "../../libraries/LibAccountWrites.sol";
import { LibAccounts } from "../../libraries/LibAccounts.sol";
import { LibAuthority } from "../../libraries/LibAuthority.sol";
import { LibDrafts } from "../../libraries/LibDrafts.sol";
import { LibEventsAssembly } from "../../libraries/LibEventsAssembly.sol";
import { LibLimits } from "../../libraries/LibLimits.sol";
import { AccountConfigStorage as S } from "../../storage/AccountConfigStorage.sol";
import { AccountWord, AccountWords } from "../../storage/AccountWord.sol";
import { EntryWord, EntryWords } from "../../storage/EntryWord.sol";
import { KeyWord, KeyWords } from "../../storage/KeyWord.sol";
import { Ref } from "../../storage/Ref.sol";

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
            LibDrafts.add(draft, accountApiKeyHash, ref, KeyWords.MANAGE_ACTIONS, manageIPFSIdsInGroups);
            LibDrafts.add(draft, accountApiKeyHash, ref, KeyWords.ADD_PKP, addPkpToGroups);
            LibDrafts.add(draft, accountApiKeyHash, ref, KeyWords.REMOVE_PKP, removePkpFromGroups);
            LibDrafts.add(draft, accountApiKeyHash, ref, KeyWords.EXECUTE, executeInGroups);
        }
        uint256 flags = KeyWords.flags(createGroups, deleteGroups, createPKPs);

        S.Layout storage $ = S.load();
        S.Word storage slot = $.entries[usageApiKeyHash];
        EntryWord entry = EntryWord.wrap(slot.word);
        uint256 index;
        if (LibAccounts.isKeyOf(ref, header, entry)) {
            index = entry.asUsageKey().index();
        } else if (LibAccounts.isFreeFor(ref, header, entry)) {
            index = header.keyCount();
            if (index == AccountWords.MAX_KEYS) {
                revert IErrors.TooManyUsageApiKeys(accountApiKeyHash, AccountWords.MAX_KEYS);
            }
            LibAccountWrites.save(masterHash, header.withKey());
            $.usageKeys[ref.above(index)] = usageApiKeyHash;
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
        slot.word = KeyWord.unwrap(KeyWord.wrap(slot.word).withExpiration(expiration));
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
        $.usageKeys[ref.above(KeyWord.wrap(word).index())] = newUsageApiKeyHash;
        LibAccountWrites.endUsageKey(usageApiKeyHash, ref, 0);
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
        delete S.load().usageKeys[ref.above(KeyWord.wrap(slot.word).index())];
        LibAccountWrites.endUsageKey(usageApiKeyHash, ref, EntryWords.REMOVED_KEY);
        emit UsageApiKeyRemoved(masterHash, usageApiKeyHash);
    }

    /// @inheritdoc IUsageKeyWrites
    function removeAllUsageApiKeys(uint256 accountApiKeyHash) external {
        (uint256 masterHash,, AccountWord header) = LibAuthority.authorizeMaster(accountApiKeyHash);
        LibAccountWrites.save(masterHash, header.withoutKeys());
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
