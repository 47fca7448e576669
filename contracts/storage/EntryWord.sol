// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { AccountWord } from "./AccountWord.sol";
import { KeyWord } from "./KeyWord.sol";
import { Kinds } from "./Kinds.sol";
import { Ref, Refs } from "./Ref.sol";

/// @notice A word of `entries`: an account, a usage key, or an alias: kind 2 | pending 1 | void 1 | account key 1 |
/// removed key 1 | … | ref 128 at bit 128. 0 for a hash that was never used.
type EntryWord is uint256;

using EntryWords for EntryWord global;

library EntryWords {
    uint256 private constant KIND_MASK = 3;

    // The flags of an alias.
    /// The identity of a wallet that has chosen no account. It names nothing; the account is the last one that waits for it.
    uint256 internal constant PENDING = 1 << 2;
    /// The hash names nothing and is never used again.
    uint256 internal constant VOID = 1 << 3;
    /// The hash is or was the hash of an account key, or was the hash of a usage key. It gives way to a wallet whose identity it is.
    uint256 internal constant ACCOUNT_KEY = 1 << 4;
    /// The hash of a removed usage key. Only its account may set it again.
    uint256 internal constant REMOVED_KEY = 1 << 5;

    function aliasOf(Ref account, uint256 flags) internal pure returns (EntryWord) {
        return EntryWord.wrap(account.above(Kinds.ALIAS | flags));
    }

    function kind(EntryWord entry) internal pure returns (uint256) {
        return EntryWord.unwrap(entry) & KIND_MASK;
    }

    function exists(EntryWord entry) internal pure returns (bool) {
        return EntryWord.unwrap(entry) != 0;
    }

    /// @notice Returns the ref in an alias or usage key.
    function ref(EntryWord entry) internal pure returns (Ref) {
        return Refs.ofUpper(EntryWord.unwrap(entry));
    }

    /// @notice True for an alias with one of the flags.
    function isAlias(EntryWord entry, uint256 flags) internal pure returns (bool) {
        return kind(entry) == Kinds.ALIAS && has(entry, flags);
    }

    /// @notice True when an alias has one of the flags.
    function has(EntryWord entry, uint256 flags) internal pure returns (bool) {
        return EntryWord.unwrap(entry) & flags != 0;
    }

    /// @notice Returns an entry of the kind ACCOUNT.
    function asAccount(EntryWord entry) internal pure returns (AccountWord) {
        return AccountWord.wrap(EntryWord.unwrap(entry));
    }

    /// @notice Returns an entry of the kind USAGE_KEY.
    function asUsageKey(EntryWord entry) internal pure returns (KeyWord) {
        return KeyWord.wrap(EntryWord.unwrap(entry));
    }
}
