// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { EntryWord } from "./EntryWord.sol";
import { GroupWord } from "./GroupWord.sol";
import { ItemKeys, ItemWord } from "./ItemWord.sol";
import { MasterWord } from "./MasterWord.sol";
import { Ref, Refs } from "./Ref.sol";
import { SparseSet } from "./SparseSet.sol";
import { EnumerableSet } from "@openzeppelin/contracts/utils/structs/EnumerableSet.sol";

/// @title AccountConfigStorage
/// @notice The storage struct of the diamond (ERC-7201, append-only) and its mapping keys. The files beside it have the layout of
/// each packed word, as a type that costs no gas: the compiler refuses one word in the place of another.
///
/// WORDS. Bit 0 is the lowest. "rest" is always the upper 129 bits of a hash, which a word and the 127 bits of its key put
/// together. Indices and group ids are never reused, so removed entries are masked instead of cleared.
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
        /// Items outside a group's windows, by ref, kind, version, group id and index / 128: OutsideWord.
        mapping(uint256 key => Word) groupItems;
        /// ItemWord by ref, kind and the lower 127 bits of the hash or address. Key 0 holds "every".
        mapping(uint256 key => Word) items;
        /// ItemKeys by ref, kind and (index - 1) / 2.
        mapping(uint256 key => Word) itemKeys;
        /// Groups outside an item's windows, by ref, kind, index and id / 256.
        mapping(uint256 key => Word) itemGroups;
        /// The wallet that a wallet's path was minted for, by ref and index, where it was not the writer at that time.
        mapping(uint256 key => address) mintedFor;
        /// Former writers by ref and number, see LibMinters.
        mapping(uint256 key => Word) minters;
        /// StaleGroups by ref, see LibMemberships.
        mapping(uint256 ref => Word) staleGroups;
        /// The owner of a path forever, see Paths.
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

    function load() internal pure returns (Layout storage $) {
        bytes32 slot = SLOT;
        // memory-safe: accesses no memory.
        assembly ("memory-safe") {
            $.slot := slot
        }
    }

    // --------------------------------------------------------------------------------------------------- words

    function loadEntry(uint256 hash) internal view returns (EntryWord) {
        return EntryWord.wrap(load().entries[hash].word);
    }

    function loadMaster(Ref ref) internal view returns (MasterWord) {
        return MasterWord.wrap(load().masters[Ref.unwrap(ref)].word);
    }

    /// @notice Returns the word at a key of `items`.
    function loadItem(uint256 key) internal view returns (ItemWord) {
        return ItemWord.wrap(load().items[key].word);
    }

    /// @notice Returns the live groups among the ids [256 · word, 256 · word + 255].
    function liveWord(Layout storage $, Ref ref, MasterWord master, uint256 word)
        internal
        view
        returns (uint256 bits)
    {
        if (word > master.lastWord()) return 0;
        SparseSet removedSet = master.removedGroups();
        uint256 removed = removedSet.inWindows(word);
        if (removedSet.mayHoldOutside(word)) removed |= $.removedGroups[ref.above(word)].word;
        bits = master.givenOut(word) & ~removed;
    }

    // ---------------------------------------------------------------------------------------------- mapping keys

    /// @notice Returns the key of a page of a usage key by its position, or of a directory word (Pages.DIRECTORY and its index).
    /// @param index The index of the usage key.
    function grantKey(Ref ref, uint256 index, uint256 position) internal pure returns (uint256) {
        return ref.above((index << 64) | position);
    }

    /// @param id A CID hash or an address.
    function itemKey(Ref ref, uint256 kind, uint256 id) internal pure returns (uint256) {
        return ref.above((kind << 127) | (id & Refs.LOW_127));
    }

    /// @param index At least 1.
    function itemKeysKey(Ref ref, uint256 kind, uint256 index) internal pure returns (uint256) {
        return ref.above((kind << 127) | ItemKeys.wordOf(index));
    }

    /// Words have at most 16 bits, indices 24: the fields do not overlap.
    function itemGroupsKey(Ref ref, uint256 kind, uint256 index, uint256 word)
        internal
        pure
        returns (uint256)
    {
        return ref.above((kind << 127) | (index << 32) | word);
    }

    /// Words have at most 15 bits, group ids 24, versions 15: the fields do not overlap.
    function groupItemsKey(Ref ref, uint256 kind, uint256 groupId, GroupWord group, uint256 word)
        internal
        pure
        returns (uint256)
    {
        return ref.above((kind << 127) | (group.version() << 62) | (groupId << 32) | word);
    }
}
