// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { LibSparseSet, SparseSet } from "./LibSparseSet.sol";
import { EnumerableSet } from "@openzeppelin/contracts/utils/structs/EnumerableSet.sol";

// The layout of an item and a group, for assembly, which takes constants of a file only.
uint256 constant ITEM_INDEX_SHIFT = 104;
uint256 constant ITEM_INDEX_MASK = 0x3fffff;
uint256 constant ITEM_REST_SHIFT = 127;
uint256 constant ADDRESS_REST_MASK = (1 << 33) - 1;
uint256 constant GROUP_KIND_SHIFT = 120;

// Types that cost no gas: the compiler refuses one word or reference in the place of another. The layout of each is below.

/// @notice Names an account in 128 bits.
type Ref is uint256;
/// @notice A word of `entries` whose kind is not known yet.
type EntryWord is uint256;
/// @notice An account, 0 for no account.
type AccountWord is uint256;
/// @notice A usage key, 0 for no usage key.
type KeyWord is uint256;
/// @notice The master hash and the removed groups of an account.
type MasterWord is uint256;
/// @notice An action or a wallet of an account, 0 for an unknown one.
type ItemWord is uint256;
/// @notice The members of a group, 0 for no group.
type GroupWord is uint256;

/// @title AccountConfigStorage
/// @notice The storage struct of the diamond (ERC-7201, append-only) and the layout of its packed words.
///
/// WORDS. Bit 0 is the lowest. "rest" is always the upper 129 bits of a hash, which a word and the 127 bits of its key put
/// together. Indices and group ids are never reused, so removed entries are masked instead of cleared.
///
/// Account   (entries)  kind 2 | managed 1 | namespace 1 | admin 160 | keys 22 | first key 22 | actions 22 | wallets 22 |
///                      claimed 1 | pending 1 | rotated 1
/// Alias     (entries)  kind 2 | pending 1 | void 1 | account key 1 | removed key 1 | … | ref 128 at bit 128
/// Usage key (entries)  kind 2 | creates groups, deletes groups, creates PKPs 3 | wildcards 4 | mode 2 | where 52 |
///                      index 22 | expiration 40 | ref 128 at bit 128
/// Master    (masters)  removed groups: set 102 | groups 22 at 102 | exists 1 at 126 | rest of the hash at 127; or 1 when the
///                      account was evicted, 2 when it was retired (bits 8 to 29 may be set too: a gap)
/// Item      (items)    groups that permit it: set 102 | minted elsewhere 1 at 103 | index 22 at 104 | rest at 127
///                      (rest: of the CID hash; or 33 bits of the address, then 96 bits of the path)
/// Group     (groups)   actions: set 102 | first word outside 16 | every outside 1 | wallets: the same at 120 |
///                      version 15 at 240 | alive 1 at 255
///
/// A *set* is a SparseSet: two windows of its numbers are in the word, the other numbers in words of 256.
/// A *ref* names an account in 128 bits: the lower 127 bits of the master hash and the namespace bit (0: key hash, 1:
/// wallet identity). Two accounts with one ref would need a second preimage of 127 bits, and the second one is refused.
library AccountConfigStorage {
    /// @notice A packed word. A struct, so that its slot is computed once for reading and writing it.
    struct Word {
        uint256 word;
    }

    /// @custom:storage-location erc7201:latchkey.storage.AccountConfig
    struct Layout {
        /// EntryWord of an account, alias or usage key.
        mapping(uint256 hash => Word) entries;
        /// MasterWord by ref. 0: no account, which the keys of an evicted account find too.
        mapping(uint256 ref => Word) masters;
        /// Removed groups outside the master's windows, by ref and id / 256.
        mapping(uint256 key => Word) removedGroups;
        /// Usage-key hashes by ref and index.
        mapping(uint256 key => uint256) usageKeys;
        /// Grants of a usage key by ref, index and position: four lists of 64 bits for a page of 64 groups. See LibGrants.
        mapping(uint256 key => Word) grants;
        /// GroupWord by ref and group id.
        mapping(uint256 key => Word) groups;
        /// Items outside a group's windows, by ref, kind, version, group id and index / 128. See LibGroups.
        mapping(uint256 key => Word) groupItems;
        /// ItemWord by ref, kind and the lower 127 bits of the hash or address. Key 0 holds "every".
        mapping(uint256 key => Word) items;
        /// Item keys by ref, kind and (index - 1) / 2: two halves of a set bit and 127 bits.
        mapping(uint256 key => Word) itemKeys;
        /// Groups outside an item's windows, by ref, kind, index and id / 256.
        mapping(uint256 key => Word) itemGroups;
        /// The wallet that a wallet's path was minted for, by ref and index, where it was not the writer at that time.
        mapping(uint256 key => address) mintedFor;
        /// Former writers by ref and number, see LibMinters.
        mapping(uint256 key => Word) minters;
        /// The ids of two groups by ref, see LibMemberships.
        mapping(uint256 ref => Word) staleGroups;
        /// The ref that owns a path forever, with bit 128 set, and the lower 127 bits of its wallet above.
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
        /// Unused: the nonces of signers in earlier versions.
        mapping(address signer => mapping(uint256 word => uint256)) nonces;
        /// True for the api payers while they are not frozen, so that a write reads one slot for both.
        mapping(address payer => bool) activePayers;
        address guardian;
        bool payersFrozen;
        bool conversionsLimited;
        uint64 conversionsPerDay;
        /// Unused: the day and number of the conversions of all payers in earlier versions.
        uint64 conversionDay;
        uint64 conversionsOnDay;
        /// Conversions that count against the limit, by caller. See LibRoles.
        mapping(address caller => uint256) conversions;
        bool consentRequired;
        /// A bit per used nonce, by ref and nonce / 256.
        mapping(uint256 ref => mapping(uint256 word => uint256)) accountNonces;
        /// The previous admin of an account that was transferred, by ref. It counts while the account waits for the new one.
        mapping(uint256 ref => address) givers;
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
    uint256 internal constant ACCOUNT_FIRST_KEY_SHIFT = 186;
    uint256 internal constant ACCOUNT_ITEMS_SHIFT = 208; // actions
    uint256 internal constant ACCOUNT_ITEMS_BITS = 22; // wallets above the actions
    /// The account's hash is the identity of a wallet that claimed it. No other account can take it.
    uint256 internal constant ACCOUNT_CLAIMED = 1 << 252;
    /// The admin wallet got the account by a transfer and has not accepted it yet.
    uint256 internal constant ACCOUNT_PENDING = 1 << 253;
    /// The account key was rotated: the master hash is the name of the account in events, and no credential.
    uint256 internal constant ACCOUNT_ROTATED = 1 << 254;

    /// The identity of a wallet that has chosen no account. It names nothing; the account is the last one that waits for it.
    uint256 internal constant ALIAS_PENDING = 1 << 2;
    /// The hash names nothing and is never used again.
    uint256 internal constant ALIAS_VOID = 1 << 3;
    /// The hash is or was that of an account key, or was that of a usage key, and gives way to a wallet whose identity it is.
    uint256 internal constant ALIAS_ACCOUNT_KEY = 1 << 4;
    /// The hash was that of a usage key that was removed. Its account alone may set it again.
    uint256 internal constant ALIAS_REMOVED_KEY = 1 << 5;

    uint256 internal constant MAX_KEYS = (1 << 22) - 1;
    uint256 internal constant MAX_ITEMS = (1 << 22) - 1;
    uint256 internal constant MAX_GROUPS = (1 << 22) - 1;

    uint256 internal constant REF_SHIFT = 128;
    uint256 internal constant LOW_127 = (1 << 127) - 1;

    /// The kinds of items.
    uint256 internal constant ACTION = 0;
    uint256 internal constant WALLET = 1;

    uint256 internal constant MASTER_GROUPS_SHIFT = 102;
    uint256 internal constant MASTER_EXISTS = 1 << 126;
    /// The whole word of an evicted account: its ref names nothing and is never used again.
    uint256 internal constant MASTER_EVICTED = 1;
    /// The whole word of a retired account.
    uint256 internal constant MASTER_RETIRED = 2;

    function load() internal pure returns (Layout storage $) {
        bytes32 slot = SLOT;
        // memory-safe: accesses no memory.
        assembly ("memory-safe") {
            $.slot := slot
        }
    }

    /// @notice Returns the ref of an account by its master hash and namespace bit.
    function refOf(uint256 masterHash, uint256 namespace) internal pure returns (Ref) {
        return Ref.wrap(((masterHash & LOW_127) << 1) | namespace);
    }

    /// @notice Returns the ref in the word of an alias or usage key.
    function refIn(EntryWord entry) internal pure returns (Ref) {
        return Ref.wrap(EntryWord.unwrap(entry) >> REF_SHIFT);
    }

    function kindOf(EntryWord entry) internal pure returns (uint256) {
        return EntryWord.unwrap(entry) & KIND_MASK;
    }

    /// @notice Returns an entry of the kind KIND_ACCOUNT.
    function asAccount(EntryWord entry) internal pure returns (AccountWord) {
        return AccountWord.wrap(EntryWord.unwrap(entry));
    }

    /// @notice Returns an entry of the kind KIND_USAGE_KEY.
    function asUsageKey(EntryWord entry) internal pure returns (KeyWord) {
        return KeyWord.wrap(EntryWord.unwrap(entry));
    }

    /// @notice Returns a mapping key below a ref. `low` must fit into 128 bits.
    function keyOf(Ref ref, uint256 low) internal pure returns (uint256) {
        return (Ref.unwrap(ref) << REF_SHIFT) | low;
    }

    function exists(AccountWord header) internal pure returns (bool) {
        return AccountWord.unwrap(header) != 0;
    }

    function exists(KeyWord usageKey) internal pure returns (bool) {
        return KeyWord.unwrap(usageKey) != 0;
    }

    /// @notice False for an evicted account.
    function exists(MasterWord master) internal pure returns (bool) {
        return MasterWord.unwrap(master) & MASTER_EXISTS != 0;
    }

    /// @notice True when `bits` of the word of an account are set.
    function has(AccountWord header, uint256 bits) internal pure returns (bool) {
        return AccountWord.unwrap(header) & bits != 0;
    }

    function loadEntry(uint256 hash) internal view returns (EntryWord) {
        return EntryWord.wrap(load().entries[hash].word);
    }

    function loadMaster(Ref ref) internal view returns (MasterWord) {
        return MasterWord.wrap(load().masters[Ref.unwrap(ref)].word);
    }

    /// @notice Returns the master hash that a ref and its master word put together.
    function masterHashOf(Ref ref, MasterWord master) internal pure returns (uint256) {
        return (MasterWord.unwrap(master) & ~LOW_127) | (Ref.unwrap(ref) >> 1);
    }

    function groupCount(MasterWord master) internal pure returns (uint256) {
        return (MasterWord.unwrap(master) >> MASTER_GROUPS_SHIFT) & MAX_GROUPS;
    }

    function removedGroups(MasterWord master) internal pure returns (SparseSet) {
        return SparseSet.wrap(MasterWord.unwrap(master));
    }

    /// @notice Returns the live groups among the ids [256 · word, 256 · word + 255].
    function liveWord(Layout storage $, Ref ref, MasterWord master, uint256 word)
        internal
        view
        returns (uint256 bits)
    {
        uint256 count = groupCount(master);
        // Unchecked: the shifted difference is not negative; 1 << 256 is 0, and 0 - 1 is all ones.
        unchecked {
            if (count >> 8 < word) return 0;
            bits = count >> 8 == word ? (2 << (count & 255)) - 1 : type(uint256).max;
        }
        if (word == 0) bits ^= 1; // ids start at 1
        SparseSet removedSet = removedGroups(master);
        uint256 removed = LibSparseSet.inWindows(removedSet, word);
        if (LibSparseSet.mayHoldOutside(removedSet, word)) removed |= $.removedGroups[keyOf(ref, word)].word;
        bits &= ~removed;
    }
}
