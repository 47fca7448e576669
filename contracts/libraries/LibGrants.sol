// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { AccountConfigStorage as S, KeyWord, Ref } from "./AccountConfigStorage.sol";

/// @title LibGrants
/// @notice The permissions of a usage key: flags, wildcards and a single group in its word, other group lists as bitmaps in
/// pages of 64 groups × 4 lists.
///
/// MODES, with their use of the field *where* (28 bits):
/// - None: no lists.
/// - One: a single group, with a bit for each list that grants it (group 24 | lists 4).
/// - Pair: all groups are in one page or two (lower page 16 | distance of the other page 12, 0 for one page).
/// - Pages: any pages. A bit for each of the first 24 pages that exist, and bit 24 when a directory (one bit per page, 256 pages
///   per word) holds the others.
/// A wildcard is read first and grants all groups, whatever the pages hold.
/// Pages are overwritten in place. No mode can reach grants of an earlier call: the word of a page that exists was written by
/// the call that set it, a directory is written under a new `version`, and an index is never given to another key.
library LibGrants {
    uint256 internal constant CREATE_GROUPS = 1 << 2;
    uint256 internal constant DELETE_GROUPS = 1 << 3;
    uint256 internal constant CREATE_PKPS = 1 << 4;

    uint256 internal constant MANAGE_ACTIONS = 0;
    uint256 internal constant ADD_PKP = 1;
    uint256 internal constant REMOVE_PKP = 2;
    uint256 internal constant EXECUTE = 3;

    uint256 internal constant NONE = 0;
    uint256 internal constant ONE = 1;
    uint256 internal constant PAIR = 2;
    uint256 internal constant PAGES = 3;

    uint256 internal constant WILDCARDS_SHIFT = 5;
    uint256 internal constant MODE_SHIFT = 9;
    uint256 internal constant WHERE_SHIFT = 11;
    uint256 private constant WHERE_MASK = (1 << 28) - 1;
    uint256 internal constant VERSION_SHIFT = 39;
    uint256 internal constant MAX_VERSION = (1 << 24) - 1;
    uint256 internal constant INDEX_SHIFT = 63;
    uint256 internal constant EXPIRATION_SHIFT = 85;

    uint256 internal constant GROUP_MASK = (1 << 24) - 1;
    uint256 internal constant LISTS_SHIFT = 24;
    uint256 internal constant PAGE_MASK = (1 << 16) - 1;
    uint256 internal constant DISTANCE_SHIFT = 16;
    uint256 internal constant MAX_DISTANCE = (1 << 12) - 1;
    /// The pages that need no directory.
    uint256 internal constant NEAR_PAGES = 24;
    uint256 internal constant HAS_DIRECTORY = 1 << NEAR_PAGES;
    uint256 internal constant DIRECTORY = 1 << 31;
    uint256 internal constant LIST_MASK = type(uint64).max;

    function indexOf(KeyWord usageKey) internal pure returns (uint256) {
        return (KeyWord.unwrap(usageKey) >> INDEX_SHIFT) & S.MAX_KEYS;
    }

    function expirationOf(KeyWord usageKey) internal pure returns (uint256) {
        return (KeyWord.unwrap(usageKey) >> EXPIRATION_SHIFT) & type(uint40).max;
    }

    function isExpired(KeyWord usageKey) internal view returns (bool) {
        uint256 expiration = expirationOf(usageKey);
        return expiration != 0 && block.timestamp >= expiration;
    }

    /// @param expiration Unix seconds in 40 bits, 0 for no expiry.
    function withExpiration(KeyWord usageKey, uint256 expiration) internal pure returns (KeyWord) {
        uint256 others = KeyWord.unwrap(usageKey) & ~(uint256(type(uint40).max) << EXPIRATION_SHIFT);
        return KeyWord.wrap(others | (expiration << EXPIRATION_SHIFT));
    }

    /// @param flag CREATE_GROUPS, DELETE_GROUPS or CREATE_PKPS.
    function hasFlag(KeyWord usageKey, uint256 flag) internal pure returns (bool) {
        return KeyWord.unwrap(usageKey) & flag != 0;
    }

    function hasWildcard(KeyWord usageKey, uint256 list) internal pure returns (bool) {
        return (KeyWord.unwrap(usageKey) >> (WILDCARDS_SHIFT + list)) & 1 != 0;
    }

    function modeOf(KeyWord usageKey) internal pure returns (uint256) {
        return (KeyWord.unwrap(usageKey) >> MODE_SHIFT) & 3;
    }

    function whereOf(KeyWord usageKey) internal pure returns (uint256) {
        return (KeyWord.unwrap(usageKey) >> WHERE_SHIFT) & WHERE_MASK;
    }

    function versionOf(KeyWord usageKey) internal pure returns (uint256) {
        return (KeyWord.unwrap(usageKey) >> VERSION_SHIFT) & MAX_VERSION;
    }

    /// @notice Returns the slot of a page, or of a directory word (DIRECTORY and its index).
    function slotOf(Ref ref, KeyWord usageKey, uint256 page) internal view returns (S.Word storage) {
        return slotOf(ref, indexOf(usageKey), versionOf(usageKey), page);
    }

    function slotOf(Ref ref, uint256 index, uint256 version, uint256 page)
        internal
        view
        returns (S.Word storage)
    {
        return S.load().grants[S.keyOf(ref, (index << 64) | (version << 32) | page)];
    }

    /// @notice True when `groupId` is granted, 0 for the wildcard. The group need not be live.
    function has(Ref ref, KeyWord usageKey, uint256 list, uint256 groupId) internal view returns (bool) {
        if (hasWildcard(usageKey, list)) return true;
        if (groupId == 0 || groupId > S.MAX_GROUPS) return false;
        return (word(ref, usageKey, list, groupId >> 8) >> (groupId & 255)) & 1 != 0;
    }

    /// @notice Returns the words of 256 ids that the lists may hold groups of, for a key without the wildcard: `from`, then
    /// every `step` up to `last`.
    /// @param start The first word to search.
    /// @param end The last word of the account.
    function words(KeyWord usageKey, uint256 start, uint256 end)
        internal
        pure
        returns (uint256 from, uint256 last, uint256 step)
    {
        uint256 mode = modeOf(usageKey);
        if (mode == PAGES) return (start, end, 1);
        if (mode == NONE) return (1, 0, 1);
        uint256 where = whereOf(usageKey);
        if (mode == ONE) {
            from = (where & GROUP_MASK) >> 8;
            return (from, from, 1);
        }
        (uint256 low, uint256 high) = pairIn(where);
        (from, last) = (low >> 2, high >> 2);
        if (from < start) from = last;
        // Unchecked: `last` is not below `from`.
        unchecked {
            step = from == last ? 1 : last - from;
        }
    }

    /// @notice Returns the pages of mode Pair, twice the same for one page.
    function pairIn(uint256 where) internal pure returns (uint256 low, uint256 high) {
        low = where & PAGE_MASK;
        // Unchecked: 16 bits and 12 bits.
        unchecked {
            high = low + (where >> DISTANCE_SHIFT);
        }
    }

    /// @notice Returns the granted groups among the ids [256 · index, 256 · index + 255], all ones for a wildcard.
    function word(Ref ref, KeyWord usageKey, uint256 list, uint256 index)
        internal
        view
        returns (uint256 bits)
    {
        if (hasWildcard(usageKey, list)) return type(uint256).max;
        uint256 mode = modeOf(usageKey);
        uint256 where = whereOf(usageKey);
        if (mode == ONE) {
            uint256 groupId = where & GROUP_MASK;
            if (groupId >> 8 == index && (where >> (LISTS_SHIFT + list)) & 1 != 0) {
                bits = 1 << (groupId & 255);
            }
        } else if (mode == PAIR) {
            (uint256 low, uint256 high) = pairIn(where);
            if (low >> 2 == index) bits = _list(ref, usageKey, list, low) << (64 * (low & 3));
            if (high != low && high >> 2 == index) {
                bits |= _list(ref, usageKey, list, high) << (64 * (high & 3));
            }
        } else if (mode == PAGES) {
            uint256 present = presentPages(ref, usageKey, index);
            if (present == 0) return 0;
            mapping(uint256 key => S.Word) storage grants = S.load().grants;
            uint256 key = S.keyOf(ref, (indexOf(usageKey) << 64) | (versionOf(usageKey) << 32) | (4 * index));
            list *= 64;
            // Unchecked: the lowest two bits of `key` are 0, and `shift` is at most 192.
            unchecked {
                for (uint256 shift; present != 0; present >>= 1) {
                    if (present & 1 != 0) bits |= ((grants[key].word >> list) & LIST_MASK) << shift;
                    ++key;
                    shift += 64;
                }
            }
        }
    }

    function _list(Ref ref, KeyWord usageKey, uint256 list, uint256 page) private view returns (uint256) {
        return (slotOf(ref, usageKey, page).word >> (64 * list)) & LIST_MASK;
    }

    /// @notice Returns a bit for each of the four pages of the ids [256 · index, 256 · index + 255], in mode Pages.
    function presentPages(Ref ref, KeyWord usageKey, uint256 index) internal view returns (uint256) {
        uint256 where = whereOf(usageKey);
        if (4 * index < NEAR_PAGES) return (where >> (4 * index)) & 15;
        if (where & HAS_DIRECTORY == 0) return 0;
        return (slotOf(ref, usageKey, DIRECTORY | (index >> 6)).word >> (4 * (index & 63))) & 15;
    }
}
