// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { AccountConfigStorage as S, KeyWord, Ref } from "./AccountConfigStorage.sol";
import { LibBit } from "solady/utils/LibBit.sol";

/// @title LibGrants
/// @notice The permissions of a usage key: flags, wildcards and a single group in its word, other group lists as bitmaps in
/// pages of 64 groups × 4 lists.
///
/// MODES, with their use of the field *where* (52 bits):
/// - None: no lists.
/// - One: a single group, with a bit for each list that grants it (group 24 | lists 4).
/// - Pair: all groups are in one page or two (lower page 16 | higher page 16, twice the same for one page).
/// - Pages: any pages. A bit for each of the first 44 pages that exist, and the number of the others (8 bits at 44).
/// A wildcard is read first and grants all groups, whatever the pages hold.
///
/// The words of a key's pages are at its positions 0, 1, …: first those of the pages in *where*, in their order, then the others
/// in the order of a directory, which has 16 of their numbers per word. So other pages take the place of earlier ones, and cost
/// no new slots. No grant of an earlier call is reached: a call writes every position that its *where* names, and an index is
/// never given to another key.
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
    uint256 private constant WHERE_MASK = (1 << 52) - 1;
    uint256 internal constant INDEX_SHIFT = 63;
    uint256 internal constant EXPIRATION_SHIFT = 85;

    uint256 internal constant GROUP_MASK = (1 << 24) - 1;
    uint256 internal constant LISTS_SHIFT = 24;
    uint256 internal constant PAGE_BITS = 16;
    uint256 private constant PAGE_MASK = (1 << PAGE_BITS) - 1;
    /// The pages that need no directory.
    uint256 internal constant NEAR_PAGES = 44;
    uint256 internal constant NEAR_MASK = (1 << NEAR_PAGES) - 1;
    /// Above all positions.
    uint256 internal constant DIRECTORY = 1 << 31;
    uint256 internal constant LIST_MASK = type(uint64).max;

    /// Bit 0 of each of the 16 pages in a word.
    uint256 private constant LANES = type(uint256).max / PAGE_MASK;
    uint256 private constant LANE_TOPS = LANES << (PAGE_BITS - 1);

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

    /// @notice Returns the slot of a page by its position, or of a directory word (DIRECTORY and its index).
    function slotOf(Ref ref, uint256 index, uint256 position) internal view returns (S.Word storage) {
        return S.load().grants[S.keyOf(ref, (index << 64) | position)];
    }

    /// @notice Returns the directory of a key: 16 pages per word, as many words as it needs.
    function directoryOf(Ref ref, KeyWord usageKey) internal view returns (uint256[] memory directory) {
        if (modeOf(usageKey) != PAGES) return directory;
        uint256 index = indexOf(usageKey);
        // Unchecked: at most 13 words.
        unchecked {
            directory = new uint256[]((farCount(usageKey) + 15) >> 4);
            for (uint256 i; i < directory.length; ++i) {
                directory[i] = slotOf(ref, index, DIRECTORY | i).word;
            }
        }
    }

    /// @notice Returns the number of pages in the directory, in mode Pages.
    function farCount(KeyWord usageKey) internal pure returns (uint256) {
        return whereOf(usageKey) >> NEAR_PAGES;
    }

    /// @notice Returns a page of a directory.
    function pageAt(uint256[] memory directory, uint256 place) internal pure returns (uint256) {
        // Unchecked: at most 240.
        unchecked {
            return (directory[place >> 4] >> (PAGE_BITS * (place & 15))) & PAGE_MASK;
        }
    }

    /// @notice Returns the place of a page among the first `count` of a directory, `count` when it is not there.
    function placeOf(uint256[] memory directory, uint256 count, uint256 page)
        internal
        pure
        returns (uint256 place)
    {
        // Unchecked: numbers of pages.
        unchecked {
            for (uint256 i; 16 * i < count; ++i) {
                uint256 lanes = _lanes(directory[i], page);
                if (lanes == 0) continue;
                place = 16 * i + (LibBit.ffs(lanes) >> 4);
                // The places after the last one hold page 0.
                return place < count ? place : count;
            }
        }
        return count;
    }

    /// @notice Returns the highest bit of each of the 16 numbers of a word that equals `page`.
    function _lanes(uint256 word_, uint256 page) private pure returns (uint256) {
        // Unchecked: the sum of two numbers of 15 bits does not reach the next number.
        unchecked {
            uint256 difference = word_ ^ (page * LANES);
            return ~(((difference & ~LANE_TOPS) + ~LANE_TOPS) | difference) & LANE_TOPS;
        }
    }

    /// @notice True when `groupId` is granted, 0 for the wildcard. The group need not be live.
    function has(Ref ref, KeyWord usageKey, uint256 list, uint256 groupId) internal view returns (bool) {
        if (hasWildcard(usageKey, list)) return true;
        if (groupId == 0 || groupId > S.MAX_GROUPS) return false;
        uint256[] memory directory;
        if (groupId >> 6 >= NEAR_PAGES) directory = directoryOf(ref, usageKey);
        return (word(ref, usageKey, list, groupId >> 8, directory) >> (groupId & 255)) & 1 != 0;
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
        return (where & PAGE_MASK, where >> PAGE_BITS);
    }

    /// @notice Returns the granted groups among the ids [256 · index, 256 · index + 255], all ones for a wildcard.
    /// @param directory That of the key, of any length for the pages that need none.
    function word(Ref ref, KeyWord usageKey, uint256 list, uint256 index, uint256[] memory directory)
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
            if (low >> 2 == index) bits = _list(ref, usageKey, list, 0) << (64 * (low & 3));
            if (high != low && high >> 2 == index) {
                bits |= _list(ref, usageKey, list, 1) << (64 * (high & 3));
            }
        } else if (mode == PAGES) {
            // Unchecked: `index` is below 2¹⁶, and positions are below 256.
            unchecked {
                uint256 near = where & NEAR_MASK;
                if (4 * index >= NEAR_PAGES) {
                    return _farWord(ref, usageKey, list, index, directory, LibBit.popCount(near));
                }
                uint256 present = (near >> (4 * index)) & 15;
                if (present == 0) return 0;
                uint256 position = LibBit.popCount(near & ((1 << (4 * index)) - 1));
                mapping(uint256 key => S.Word) storage grants = S.load().grants;
                uint256 key = S.keyOf(ref, (indexOf(usageKey) << 64) | position);
                list *= 64;
                for (uint256 shift; present != 0; present >>= 1) {
                    if (present & 1 != 0) bits |= ((grants[key++].word >> list) & LIST_MASK) << shift;
                    shift += 64;
                }
            }
        }
    }

    /// @param first The position of the first page of the directory.
    function _farWord(
        Ref ref,
        KeyWord usageKey,
        uint256 list,
        uint256 index,
        uint256[] memory directory,
        uint256 first
    ) private view returns (uint256 bits) {
        // Unchecked: as in `word`.
        unchecked {
            for (uint256 i; i < directory.length; ++i) {
                uint256 pages = directory[i];
                // The lowest two bits of a page are its place in a word of 256 groups.
                for (uint256 lanes = _lanes(pages & ~(3 * LANES), 4 * index); lanes != 0; lanes &= lanes - 1) {
                    uint256 lane = LibBit.ffs(lanes) >> 4;
                    uint256 page = pages >> (PAGE_BITS * lane);
                    bits |= _list(ref, usageKey, list, first + 16 * i + lane) << (64 * (page & 3));
                }
            }
        }
    }

    function _list(Ref ref, KeyWord usageKey, uint256 list, uint256 position) private view returns (uint256) {
        return (slotOf(ref, indexOf(usageKey), position).word >> (64 * list)) & LIST_MASK;
    }
}
