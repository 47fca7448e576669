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
import { LibGrants } from "../../libraries/LibGrants.sol";
import { LibLimits } from "../../libraries/LibLimits.sol";

/// @notice Usage keys, see IAccountConfig.
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
            // A key of another account, or an account's own hash: taking it would take what it may do.
            revert IErrors.AccountAlreadyExists(usageApiKeyHash);
        }
        slot.word = KeyWord.unwrap(LibGrants.save(draft, ref, old, index, flags, expiration));
        _emitUsageApiKeySet(masterHash);
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

    /// @notice Emits UsageApiKeySet with the arguments of setUsageApiKey, copied as they stand in the calldata: encoding
    /// them by way of memory costs a few thousand gas. Only for setUsageApiKey, whose decoder has checked them all.
    function _emitUsageApiKeySet(uint256 masterHash) private {
        bytes32 topic = UsageApiKeySet.selector;
        // memory-safe: writes behind the free memory pointer only.
        assembly ("memory-safe") {
            /// Copies the string whose offset stands at `argument` and pads it with zeros.
            function copyString(to, argument) -> end {
                let from := add(4, calldataload(argument))
                let length := calldataload(from)
                end := add(add(to, 32), and(add(length, 31), not(31)))
                mstore(sub(end, 32), 0)
                calldatacopy(to, from, add(length, 32))
            }

            let data := mload(0x40)
            calldatacopy(data, 0x44, 0x40) // expiration, balance
            mstore(add(data, 0x40), 0xa0)
            let end := copyString(add(data, 0xa0), 0x84) // name
            mstore(add(data, 0x60), sub(end, data))
            end := copyString(end, 0xa4) // description
            mstore(add(data, 0x80), sub(end, data))
            let permissions := end
            calldatacopy(permissions, 0xc4, 0x60) // createGroups, deleteGroups, createPKPs
            end := add(permissions, 0xe0)
            for { let i := 0 } lt(i, 0x80) { i := add(i, 0x20) } {
                mstore(add(add(permissions, 0x60), i), sub(end, permissions))
                let from := add(4, calldataload(add(0x124, i))) // the four lists
                let size := shl(5, add(calldataload(from), 1))
                calldatacopy(end, from, size)
                end := add(end, size)
            }
            log3(data, sub(end, data), topic, masterHash, calldataload(0x24))
        }
    }

    /// @return slot Where the word of the usage key stands.
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
