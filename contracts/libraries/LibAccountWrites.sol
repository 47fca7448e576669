// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IErrors } from "../interfaces/IErrors.sol";
import { AccountConfigStorage as S } from "../storage/AccountConfigStorage.sol";
import { AccountWord, AccountWords } from "../storage/AccountWord.sol";
import { EntryWord, EntryWords } from "../storage/EntryWord.sol";
import { MasterWord, MasterWords } from "../storage/MasterWord.sol";
import { Ref, Refs } from "../storage/Ref.sol";

/// @title LibAccountWrites
/// @notice Opens accounts, ends them, and changes which hashes name them.
library LibAccountWrites {
    /// @notice Opens an account under a hash that is unused, or that its wallet has just claimed.
    function create(uint256 masterHash, uint256 namespace, address admin, bool managed) internal {
        S.Layout storage $ = S.load();
        S.Word storage master = $.masters[Ref.unwrap(Refs.create(masterHash, namespace))];
        // Another hash with the same lower 127 bits. It cannot be found for a given account, see Ref.
        if (master.word != 0) revert IErrors.AccountAlreadyExists(masterHash);
        save(masterHash, AccountWords.create(namespace, admin, managed));
        master.word = MasterWord.unwrap(MasterWords.create(masterHash));
        ++$.accountCount;
    }

    /// @notice Ends the hash of a usage key. It names nothing, and no other account ever uses it.
    /// @param flag REMOVED_KEY when this account may set it again, otherwise 0.
    function endUsageKey(uint256 hash, Ref ref, uint256 flag) internal {
        setAlias(hash, EntryWords.VOID | EntryWords.ACCOUNT_KEY | flag, ref);
    }

    function setAlias(uint256 hash, uint256 flags, Ref ref) internal {
        S.load().entries[hash].word = EntryWord.unwrap(EntryWords.aliasOf(ref, flags));
    }

    /// @notice Makes `newHash` the account key of a managed account instead of `hash`, which never names anything again.
    /// @param header The account with the address of the new key.
    function rotate(uint256 hash, uint256 newHash, uint256 masterHash, Ref ref, AccountWord header) internal {
        if (hash == masterHash) header = header.rotated();
        else S.load().entries[hash].word |= EntryWords.VOID;
        save(masterHash, header);
        setAlias(newHash, EntryWords.ACCOUNT_KEY, ref);
    }

    /// @notice Ends an account for good. Nothing of it resolves, and none of its hashes and paths is used again.
    function retire(uint256 masterHash, Ref ref, AccountWord header) internal {
        S.load().masters[Ref.unwrap(ref)].word = MasterWords.RETIRED;
        // The hash gives way to a wallet whose identity it is, unless that wallet had claimed it.
        uint256 flags = header.isClaimed() ? 0 : EntryWords.ACCOUNT_KEY;
        setAlias(masterHash, flags | EntryWords.VOID, ref);
    }

    /// @notice Stores the account word.
    function save(uint256 masterHash, AccountWord header) internal {
        S.load().entries[masterHash].word = AccountWord.unwrap(header);
    }
}
