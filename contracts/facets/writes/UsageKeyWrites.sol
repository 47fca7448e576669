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
import { LibEventsAssembly } from "../../libraries/LibEventsAssembly.sol";
import { LibGrants } from "../../libraries/LibGrants.sol";
import { LibLimits } from "../../libraries/LibLimits.sol";

/// @notice Usage keys, see IUsageKeyWrites.
abstract contract UsageKeyWrites is IUsageKeyWrites {
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
        LibLimits.keyEntries(manageIPFSIdsInGroups.length);
        LibLimits.keyEntries(addPkpToGroups.length);
        LibLimits.keyEntries(removePkpFromGroups.length);
        LibLimits.keyEntries(executeInGroups.length);
        if (usageApiKeyHash == 0) revert IErrors.UsageApiKeyHashIsZero();
        if (expiration > type(uint40).max) {
            revert IErrors.ExpirationTooLarge(expiration, type(uint40).max);
        }
        (uint256 masterHash, Ref ref, AccountWord header) = LibAccounts.authorizeMaster(accountApiKeyHash);

        LibGrants.Draft memory draft;
        LibGrants.draft(draft, accountApiKeyHash, ref, LibGrants.MANAGE_ACTIONS, manageIPFSIdsInGroups);
        LibGrants.draft(draft, accountApiKeyHash, ref, LibGrants.ADD_PKP, addPkpToGroups);
        LibGrants.draft(draft, accountApiKeyHash, ref, LibGrants.REMOVE_PKP, removePkpFromGroups);
        LibGrants.draft(draft, accountApiKeyHash, ref, LibGrants.EXECUTE, executeInGroups);
        uint256 flags = (createGroups ? LibGrants.CREATE_GROUPS : 0)
            | (deleteGroups ? LibGrants.DELETE_GROUPS : 0) | (createPKPs ? LibGrants.CREATE_PKPS : 0);

        S.Layout storage $ = S.load();
        S.Word storage slot = $.entries[usageApiKeyHash];
        EntryWord entry = EntryWord.wrap(slot.word);
        KeyWord old;
        uint256 index;
        if (LibAccounts.isFree(entry)) {
            index = LibAccounts.usageKeyCount(header);
            if (index == S.MAX_KEYS) revert IErrors.TooManyUsageApiKeys(accountApiKeyHash, S.MAX_KEYS);
            uint256 word = AccountWord.unwrap(header) + (1 << S.ACCOUNT_KEYS_SHIFT);
            LibAccounts.saveHeader(masterHash, AccountWord.wrap(word));
            $.usageKeys[S.keyOf(ref, index)] = usageApiKeyHash;
        } else if (_belongsTo(ref, entry)) {
            old = S.asUsageKey(entry);
            index = LibGrants.indexOf(old);
        } else {
            // The hash of another account's key, or of an account: replacing it would remove its permissions.
            revert IErrors.AccountAlreadyExists(usageApiKeyHash);
        }
        slot.word = KeyWord.unwrap(LibGrants.save(draft, ref, old, index, flags, expiration));
        LibEventsAssembly.usageApiKeySet(masterHash);
    }

    /// @inheritdoc IUsageKeyWrites
    function updateUsageApiKeyMetadata(
        uint256 accountApiKeyHash,
        uint256 usageApiKeyHash,
        string calldata name,
        string calldata description
    ) external {
        LibLimits.labels(name, description);
        (uint256 masterHash, Ref ref,) = LibAccounts.authorizeMaster(accountApiKeyHash);
        _requireUsageKey(accountApiKeyHash, ref, usageApiKeyHash);
        emit UsageApiKeyMetadataUpdated(masterHash, usageApiKeyHash, name, description);
    }

    /// @inheritdoc IUsageKeyWrites
    function removeUsageApiKey(uint256 accountApiKeyHash, uint256 usageApiKeyHash) external {
        (uint256 masterHash, Ref ref,) = LibAccounts.authorizeMaster(accountApiKeyHash);
        S.Word storage slot = _requireUsageKey(accountApiKeyHash, ref, usageApiKeyHash);
        delete S.load().usageKeys[S.keyOf(ref, LibGrants.indexOf(KeyWord.wrap(slot.word)))];
        slot.word = 0;
        emit UsageApiKeyRemoved(masterHash, usageApiKeyHash);
    }

    /// @return slot The slot of the usage key's word.
    function _requireUsageKey(uint256 accountHash, Ref ref, uint256 usageHash)
        private
        view
        returns (S.Word storage slot)
    {
        slot = S.load().entries[usageHash];
        if (!_belongsTo(ref, EntryWord.wrap(slot.word))) {
            revert IErrors.UsageApiKeyDoesNotExist(accountHash, usageHash);
        }
    }

    function _belongsTo(Ref ref, EntryWord entry) private pure returns (bool) {
        return S.kindOf(entry) == S.KIND_USAGE_KEY && Ref.unwrap(S.refIn(entry)) == Ref.unwrap(ref);
    }
}
