// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { LibBit } from "solady/utils/LibBit.sol";

/// @notice Pages of 64 groups. The word of a page has four lists of 64 bits, one per list of a usage key. A word of a
/// directory has 16 numbers of pages.
library Pages {
    /// The pages that need no directory.
    uint256 internal constant NEAR = 44;
    /// The page of the last group id of 22 bits.
    uint256 internal constant LAST = (1 << 16) - 1;
    /// The position of the directory of a key, above all positions of its pages.
    uint256 internal constant DIRECTORY = 1 << 31;
    /// Bit 0 of each list.
    uint256 internal constant LOWEST = 1 | (1 << 64) | (1 << 128) | (1 << 192);

    uint256 private constant LIST_MASK = type(uint64).max;
    uint256 private constant PAGE_BITS = 16;
    uint256 private constant PAGE_MASK = (1 << PAGE_BITS) - 1;
    /// Bit 0 of each of the 16 pages in a word.
    uint256 private constant LANES = type(uint256).max / PAGE_MASK;
    uint256 private constant LANE_TOPS = LANES << (PAGE_BITS - 1);

    // ------------------------------------------------------------------------------------------------ numbers

    function pageOf(uint256 groupId) internal pure returns (uint256) {
        return groupId >> 6;
    }

    /// @notice Returns the word of 256 groups that has a page.
    function wordOf(uint256 page) internal pure returns (uint256) {
        return page >> 2;
    }

    function groupAt(uint256 page, uint256 bit) internal pure returns (uint256) {
        return (page << 6) | bit;
    }

    // -------------------------------------------------------------------------------------- the word of a page

    /// @notice Returns the bit of a group in a list.
    function bitOf(uint256 groupId, uint256 list_) internal pure returns (uint256) {
        return 1 << ((list_ << 6) | (groupId & 63));
    }

    function list(uint256 word, uint256 number) internal pure returns (uint256) {
        return (word >> (number << 6)) & LIST_MASK;
    }

    /// @notice Returns the word of a page from a list in each of its four places.
    function ofEqualLists(uint256 bits) internal pure returns (uint256) {
        // Unchecked: 64 bits times a bit of each list.
        unchecked {
            return bits * LOWEST;
        }
    }

    /// @notice Returns the word of a page that has one group.
    /// @param lists A bit per list.
    function ofGroup(uint256 groupId, uint256 lists) internal pure returns (uint256) {
        // Spreads the bits of the lists.
        lists = (lists & 1) | ((lists & 2) << 63) | ((lists & 4) << 126) | ((lists & 8) << 189);
        return lists << (groupId & 63);
    }

    /// @notice Returns the groups that any of the four lists has.
    function union(uint256 word) internal pure returns (uint256) {
        word |= word >> 128;
        return (word | (word >> 64)) & LIST_MASK;
    }

    /// @notice Returns a bit for each list that has a group.
    function listsOf(uint256 word, uint256 group) internal pure returns (uint256) {
        word = (word >> group) & LOWEST;
        return (word | (word >> 63) | (word >> 126) | (word >> 189)) & 15;
    }

    // --------------------------------------------------------------------------------------- words of 256 groups

    /// @notice Returns the groups of a page from a word of 256.
    function from(uint256 word, uint256 page) internal pure returns (uint256) {
        return (word >> ((page & 3) << 6)) & LIST_MASK;
    }

    /// @notice Returns the groups of a page at their place in a word of 256.
    function inWord(uint256 bits, uint256 page) internal pure returns (uint256) {
        return bits << ((page & 3) << 6);
    }

    // -------------------------------------------------------------------------- pages that need no directory

    /// @notice Returns a bit for each of the four pages of a word of 256 groups.
    /// @param near A bit per page.
    function present(uint256 near, uint256 word) internal pure returns (uint256) {
        return (near >> (word << 2)) & 15;
    }

    /// @notice Returns the number of pages below a page.
    function positionOf(uint256 near, uint256 page) internal pure returns (uint256) {
        // Unchecked: not 0.
        unchecked {
            return LibBit.popCount(near & ((1 << page) - 1));
        }
    }

    // ---------------------------------------------------------------------------------------------- directory

    /// @notice Returns the number of the word of a directory that has a place.
    function directoryWord(uint256 place) internal pure returns (uint256) {
        return place >> 4;
    }

    /// @notice True when a directory of `count` pages fills its words.
    function isFull(uint256 count) internal pure returns (bool) {
        return count & 15 == 0;
    }

    /// @notice Returns a page at its place in a word of a directory.
    function inLane(uint256 page, uint256 place) internal pure returns (uint256) {
        return page << ((place & 15) << 4);
    }

    /// @notice Returns the page of a word of a directory at a place.
    function inDirectory(uint256 word, uint256 place) internal pure returns (uint256) {
        return (word >> ((place & 15) << 4)) & PAGE_MASK;
    }

    /// @notice Returns a page of a directory.
    function pageAt(uint256[] memory directory, uint256 place) internal pure returns (uint256) {
        return inDirectory(directory[place >> 4], place);
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
                place = 16 * i + laneOf(lanes);
                // The places after the last one hold page 0.
                return place < count ? place : count;
            }
        }
        return count;
    }

    /// @notice Returns a bit for each page of a word of a directory that is in a word of 256 groups. See laneOf.
    function lanesOf(uint256 pages, uint256 word) internal pure returns (uint256) {
        // The lowest two bits of a page are its place in a word of 256 groups.
        return _lanes(pages & ~(3 * LANES), word << 2);
    }

    /// @notice Returns the place of the lowest bit of lanesOf.
    function laneOf(uint256 lanes) internal pure returns (uint256) {
        return LibBit.ffs(lanes) >> 4;
    }

    /// @notice Returns the highest bit of each of the 16 numbers of a word that equals `page`.
    function _lanes(uint256 word, uint256 page) private pure returns (uint256) {
        // Unchecked: the sum of two numbers of 15 bits does not reach the next number.
        unchecked {
            uint256 difference = word ^ (page * LANES);
            return ~(((difference & ~LANE_TOPS) + ~LANE_TOPS) | difference) & LANE_TOPS;
        }
    }
}
