// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IErrors } from "../interfaces/IErrors.sol";
import { AccountConfigStorage as S, KeyWord, MasterWord, Ref } from "./AccountConfigStorage.sol";
import { LibGrants } from "./LibGrants.sol";
import { LibGrantsAssembly } from "./LibGrantsAssembly.sol";
import { LibBit } from "solady/utils/LibBit.sol";

/// @title LibDrafts
/// @notice Checks the four lists of a usage key and writes them in the layout of LibGrants.
library LibDrafts {
    /// Four lists of 50 entries.
    uint256 private constant MAX_PAGES = 200;
    /// Bit 0 of each list.
    uint256 private constant LOWEST = 1 | (1 << 64) | (1 << 128) | (1 << 192);

    /// @notice The pages of a usage key's lists before they are written.
    struct Draft {
        uint256 wildcards;
        MasterWord master;
        /// One more than the page whose live groups are in `live`.
        uint256 livePage;
        uint256 live;
        /// The number of pages.
        uint256 count;
        /// The first page and its word. Most calls need no more.
        uint256 page;
        uint256 word;
        /// The pages, 16 per word, and their words, allocated for all pages with the second page.
        uint256[] pages;
        uint256[] words;
    }

    /// @notice Adds four lists when their groups are live and all in one page, the most frequent call.
    /// @param head The position of the first list's argument in the calldata.
    /// @return added False when nothing was added: `add` takes any lists and names the group that does not exist.
    function addOnePage(Draft memory d, Ref ref, uint256 head) internal view returns (bool added) {
        (uint256 word, uint256 page, bool found) = LibGrantsAssembly.onePage(head);
        if (!found) return false;
        uint256 wildcards;
        if (page == 0) {
            wildcards = word & LOWEST;
            word ^= wildcards;
        }
        if (word != 0) {
            if (page > S.MAX_GROUPS >> 6) return false;
            if (_union(word) & ~_liveIn(ref, S.loadMaster(ref), page) != 0) return false;
            (d.page, d.word, d.count) = (page, word, 1);
        }
        if (wildcards != 0) d.wildcards = _lists(wildcards, 0);
        return true;
    }

    /// @notice Adds a list to a draft. GroupDoesNotExist for the first id that is not a live group.
    function add(Draft memory d, uint256 accountHash, Ref ref, uint256 list, uint256[] calldata groupIds)
        internal
        view
    {
        // Unchecked: `i` is below a length, `list` below 4.
        unchecked {
            for (uint256 i; i < groupIds.length; ++i) {
                uint256 groupId = groupIds[i];
                if (groupId == 0) {
                    d.wildcards |= 1 << list;
                    continue;
                }
                uint256 bit = 1 << (groupId & 63);
                if (_live(d, ref, groupId >> 6) & bit == 0) {
                    revert IErrors.GroupDoesNotExist(accountHash, groupId);
                }
                _addTo(d, groupId >> 6, bit << (64 * list));
            }
        }
    }

    function _addTo(Draft memory d, uint256 page, uint256 bits) private pure {
        uint256 count = d.count;
        if (count == 0) (d.page, d.count) = (page, 1);
        if (d.page == page) {
            d.word |= bits;
            return;
        }
        if (count == 1) {
            (d.pages, d.words) = (new uint256[](MAX_PAGES / 16 + 1), new uint256[](MAX_PAGES));
            d.pages[0] = d.page;
        }
        uint256 place = LibGrants.placeOf(d.pages, count, page);
        d.words[place] |= bits;
        if (place < count) return;
        // Unchecked: there are at most MAX_PAGES pages, one per list entry.
        unchecked {
            d.pages[place >> 4] |= page << (LibGrants.PAGE_BITS * (place & 15));
            d.count = count + 1;
        }
    }

    /// @notice Returns the live groups of a page by `id & 63`.
    function _live(Draft memory d, Ref ref, uint256 page) private view returns (uint256 live) {
        // Unchecked: adds 1 to a number below 2²⁵⁰.
        unchecked {
            if (d.livePage == page + 1) return d.live;
            d.livePage = page + 1;
        }
        if (!S.exists(d.master)) d.master = S.loadMaster(ref);
        if (page <= S.MAX_GROUPS >> 6) live = _liveIn(ref, d.master, page);
        d.live = live;
    }

    function _liveIn(Ref ref, MasterWord master, uint256 page) private view returns (uint256) {
        uint256 live = S.liveWord(S.load(), ref, master, page >> 2);
        // Unchecked: at most 192.
        unchecked {
            return (live >> (64 * (page & 3))) & LibGrants.LIST_MASK;
        }
    }

    /// @notice Returns the groups that any of the four lists of a word has.
    function _union(uint256 word) private pure returns (uint256) {
        word |= word >> 128;
        return (word | (word >> 64)) & LibGrants.LIST_MASK;
    }

    /// @notice Returns a bit for each list of a word that has a group.
    function _lists(uint256 word, uint256 group) private pure returns (uint256) {
        word = (word >> group) & LOWEST;
        return (word | (word >> 63) | (word >> 126) | (word >> 189)) & 15;
    }

    /// @notice Writes the pages of a draft and returns the word of the key.
    /// @param index The index of the key.
    /// @param flags The granted ones of CREATE_GROUPS, DELETE_GROUPS and CREATE_PKPS.
    function save(Draft memory d, Ref ref, uint256 index, uint256 flags, uint256 expiration)
        internal
        returns (KeyWord)
    {
        uint256 bits = S.KIND_USAGE_KEY | (Ref.unwrap(ref) << S.REF_SHIFT) | (index << LibGrants.INDEX_SHIFT)
            | (expiration << LibGrants.EXPIRATION_SHIFT) | (d.wildcards << LibGrants.WILDCARDS_SHIFT) | flags;
        if (d.count == 0) return _key(bits, LibGrants.NONE, 0);
        if (d.count == 1) {
            uint256 union = _union(d.word);
            if (LibBit.isPo2(union)) {
                uint256 group = LibBit.ffs(union);
                uint256 where = (d.page << 6) | group | (_lists(d.word, group) << LibGrants.LISTS_SHIFT);
                return _key(bits, LibGrants.ONE, where);
            }
            LibGrants.slotOf(ref, index, 0).word = d.word;
            return _key(bits, LibGrants.PAIR, d.page | (d.page << LibGrants.PAGE_BITS));
        }
        if (d.count == 2) {
            (uint256 low, uint256 high) = (d.page, LibGrants.pageAt(d.pages, 1));
            (uint256 lowWord, uint256 highWord) = (d.word, d.words[1]);
            if (low > high) (low, high, lowWord, highWord) = (high, low, highWord, lowWord);
            LibGrants.slotOf(ref, index, 0).word = lowWord;
            LibGrants.slotOf(ref, index, 1).word = highWord;
            return _key(bits, LibGrants.PAIR, low | (high << LibGrants.PAGE_BITS));
        }
        return _key(bits, LibGrants.PAGES, _savePages(d, ref, index));
    }

    function _savePages(Draft memory d, Ref ref, uint256 index) private returns (uint256 where) {
        d.words[0] = d.word;
        uint256[] memory words = d.words;
        uint256 count = d.count;
        mapping(uint256 key => S.Word) storage grants = S.load().grants;
        uint256 keys = S.keyOf(ref, index << 64);
        // Unchecked: there are at most MAX_PAGES pages.
        unchecked {
            for (uint256 i; i < count; ++i) {
                uint256 page = LibGrants.pageAt(d.pages, i);
                if (page < LibGrants.NEAR_PAGES) where |= 1 << page;
            }
            uint256 first = LibBit.popCount(where);
            uint256 far;
            uint256 directory;
            for (uint256 i; i < count; ++i) {
                uint256 page = LibGrants.pageAt(d.pages, i);
                if (page < LibGrants.NEAR_PAGES) {
                    grants[keys | LibBit.popCount(where & ((1 << page) - 1))].word = words[i];
                    continue;
                }
                grants[keys | (first + far)].word = words[i];
                directory |= page << (LibGrants.PAGE_BITS * (far & 15));
                if (++far & 15 != 0 && first + far != count) continue;
                grants[keys | LibGrants.DIRECTORY | ((far - 1) >> 4)].word = directory;
                directory = 0;
            }
            where |= far << LibGrants.NEAR_PAGES;
        }
    }

    function _key(uint256 bits, uint256 mode, uint256 where) private pure returns (KeyWord) {
        return KeyWord.wrap(bits | (mode << LibGrants.MODE_SHIFT) | (where << LibGrants.WHERE_SHIFT));
    }
}
