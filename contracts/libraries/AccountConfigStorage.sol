// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { LibSparseSet } from "./LibSparseSet.sol";
import { EnumerableSet } from "@openzeppelin/contracts/utils/structs/EnumerableSet.sol";

/// @title AccountConfigStorage
/// @notice The one storage struct of the diamond (ERC-7201, append-only) and the layout of its packed words.
///
/// WORDS. Bit 0 is the lowest; "rest" is always the upper 129 bits, so that a full hash is put together from a word and
/// the 127 bits of its key. Indices and group ids are never reused, hence what is removed is masked, never swept.
///
/// Account   (entries)  kind 2 | managed 1 | namespace 1 | admin 160 | keys 28 | actions 24 | wallets 24 | claimed 1
/// Alias     (entries)  kind 2 | … | ref 128 at bit 128
/// Usage key (entries)  kind 2 | creates groups, deletes groups, creates PKPs 3 | wildcards 4 | mode 2 | page 24 |
///                      version 24 | index 28 | expiration 40 | ref 128 at bit 128
/// Master    (masters)  removed groups: set 102 | groups 24 at 102 | exists 1 at 126 | rest of the hash at 127; or 1 when the
///                      account was evicted
/// Item      (items)    groups that permit it: set 102 | index 24 at 103 | rest at 127
///                      (rest: of the CID hash; or 33 bits of the address, then 96 bits of the path)
/// Group     (groups)   actions: set 102 | wallets: set 102 at 120 | version 15 at 240 | alive 1 at 255
///
/// A *set* is one of LibSparseSet: its first window of numbers stands in the word, the others in words of 256.
/// A *ref* names an account in 128 bits: the lower 127 bits of the master hash and the namespace bit (0: key hash, 1:
/// wallet identity). Two accounts with one ref would need a 127-bit second preimage; the second one is refused.
library AccountConfigStorage {
    /// @notice A packed word. A struct, so that its slot is computed once for reading and writing it.
    struct Word {
        uint256 word;
    }

    /// @custom:storage-location erc7201:latchkey.storage.AccountConfig
    struct Layout {
        /// Whatever a hash names: account, alias or usage key.
        mapping(uint256 hash => Word) entries;
        /// By ref. Zero: no account, which is also what an evicted account's keys find.
        mapping(uint256 ref => Word) masters;
        /// Removed groups outside of the master's window, by ref and id / 256.
        mapping(uint256 key => Word) removedGroups;
        /// Usage-key hashes by ref and index.
        mapping(uint256 key => uint256) usageKeys;
        /// Grants of a usage key by ref, index, version and page (64 groups): four lists of 64 bits.
        mapping(uint256 key => Word) grants;
        /// By ref and group id.
        mapping(uint256 key => Word) groups;
        /// Items outside of a group's window, by ref, kind, version, group id and index / 256.
        mapping(uint256 key => Word) groupItems;
        /// Actions and wallets by ref, kind and the lower 127 bits of hash or address; at 0 stands "every".
        mapping(uint256 key => Word) items;
        /// Item keys by ref, kind and index / 2: two halves of a set bit and 127 bits.
        mapping(uint256 key => Word) itemKeys;
        /// Groups outside of an item's window, by ref, kind, index and id / 256.
        mapping(uint256 key => Word) itemGroups;
        /// The wallet that a wallet's path was minted for, by ref and index; zero for a managed account's.
        mapping(uint256 key => address) mintedFor;
        /// The ref that owns a path for ever, with bit 128 set.
        mapping(uint256 path => uint256) pathOwners;
        uint128 accountCount;
        uint128 pkpCount;
        EnumerableSet.AddressSet apiPayers;
        address adminApiPayerAccount;
        address pricingOperator;
        address configOperator;
        mapping(uint256 item => uint256) pricing;
        EnumerableSet.StringSet nodeConfigurationKeys;
        mapping(string key => string) nodeConfiguration;
    }

    /// keccak256(abi.encode(uint256(keccak256("latchkey.storage.AccountConfig")) - 1)) & ~bytes32(uint256(0xff))
    bytes32 internal constant SLOT = 0xf88df543e5e95813ecb0251c097ee84f31da7b168b1af3612d75f0ed6598df00;

    uint256 internal constant KIND_MASK = 3;
    uint256 internal constant KIND_ACCOUNT = 1;
    uint256 internal constant KIND_ALIAS = 2;
    uint256 internal constant KIND_USAGE_KEY = 3;

    uint256 internal constant ACCOUNT_MANAGED = 1 << 2;
    uint256 internal constant ACCOUNT_NAMESPACE_SHIFT = 3;
    uint256 internal constant ACCOUNT_ADMIN_SHIFT = 4;
    uint256 internal constant ACCOUNT_KEYS_SHIFT = 164;
    uint256 internal constant ACCOUNT_ITEMS_SHIFT = 192; // actions, wallets 24 bits above
    /// The account's hash is the identity of a wallet that claimed it, so that no other account can take it.
    uint256 internal constant ACCOUNT_CLAIMED = 1 << 240;

    uint256 internal constant MAX_KEYS = (1 << 28) - 1;
    uint256 internal constant MAX_ITEMS = (1 << 24) - 1;
    uint256 internal constant MAX_GROUPS = (1 << 24) - 1;

    uint256 internal constant REF_SHIFT = 128;
    uint256 internal constant LOW_127 = (1 << 127) - 1;

    uint256 internal constant MASTER_GROUPS_SHIFT = 102;
    uint256 internal constant MASTER_EXISTS = 1 << 126;
    /// The whole word of an evicted account: its ref names nothing and is never given out again.
    uint256 internal constant MASTER_EVICTED = 1;

    function load() internal pure returns (Layout storage $) {
        bytes32 slot = SLOT;
        // memory-safe: touches no memory, names a constant slot.
        assembly ("memory-safe") {
            $.slot := slot
        }
    }

    /// @return The ref of an account by its master hash and namespace bit.
    function refOf(uint256 masterHash, uint256 namespace) internal pure returns (uint256) {
        return ((masterHash & LOW_127) << 1) | namespace;
    }

    /// @return A mapping key below a ref; `low` has to fit into 128 bits.
    function keyOf(uint256 ref, uint256 low) internal pure returns (uint256) {
        return (ref << REF_SHIFT) | low;
    }

    /// @return The master hash that a ref and its master word make up.
    function masterHashOf(uint256 ref, uint256 master) internal pure returns (uint256) {
        return (master & ~LOW_127) | (ref >> 1);
    }

    function groupCount(uint256 master) internal pure returns (uint256) {
        return (master >> MASTER_GROUPS_SHIFT) & MAX_GROUPS;
    }

    /// @return bits The live groups among the ids [256 · word, 256 · word + 255].
    function liveWord(Layout storage $, uint256 ref, uint256 master, uint256 word)
        internal
        view
        returns (uint256 bits)
    {
        uint256 count = groupCount(master);
        // Unchecked: the shift is of a difference that is not negative; 1 << 256 is 0, and 0 - 1 all ones.
        unchecked {
            if (count >> 8 < word) return 0;
            bits = count >> 8 == word ? (2 << (count & 255)) - 1 : type(uint256).max;
        }
        if (word == 0) bits ^= 1; // ids begin with 1
        uint256 removed = LibSparseSet.window(master, word);
        if (LibSparseSet.mayHoldOutside(master, word)) removed |= $.removedGroups[keyOf(ref, word)].word;
        bits &= ~removed;
    }
}
