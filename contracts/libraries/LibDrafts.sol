// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IErrors } from "../interfaces/IErrors.sol";
import { AccountConfigStorage as S, KeyWord, Ref } from "./AccountConfigStorage.sol";
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
        /// One more than the page whose live groups are in `live`.
        uint256 livePage;
        uint256 live;
        /// The number of pages.
        uint256 count;
        /// The first page and its word. Most calls need no more.
        uint256 page;
        uint256 word;
        /// The other pages and their words, allocated for all pages with the second page.
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
            if (page > S.MAX_GROUPS >> 6 || _union(word) & ~_liveIn(ref, page) != 0) return false;
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
        if (count == 1) (d.pages, d.words) = (new uint256[](MAX_PAGES), new uint256[](MAX_PAGES));
        // Unchecked: there are at most MAX_PAGES pages, one per list entry.
        unchecked {
            for (uint256 i = 1; i < count; ++i) {
                if (d.pages[i] == page) {
                    d.words[i] |= bits;
                    return;
                }
            }
            (d.pages[count], d.words[count]) = (page, bits);
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
        if (page <= S.MAX_GROUPS >> 6) live = _liveIn(ref, page);
        d.live = live;
    }

    function _liveIn(Ref ref, uint256 page) private view returns (uint256) {
        uint256 live = S.liveWord(S.load(), ref, S.loadMaster(ref), page >> 2);
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
    /// @param old The previous word of the key, 0 for a new key.
    /// @param flags The granted ones of CREATE_GROUPS, DELETE_GROUPS and CREATE_PKPS.
    function save(Draft memory d, Ref ref, KeyWord old, uint256 index, uint256 flags, uint256 expiration)
        internal
        returns (KeyWord)
    {
        uint256 version = LibGrants.versionOf(old);
        uint256 bits = S.KIND_USAGE_KEY | (Ref.unwrap(ref) << S.REF_SHIFT) | (index << LibGrants.INDEX_SHIFT)
            | (expiration << LibGrants.EXPIRATION_SHIFT) | (d.wildcards << LibGrants.WILDCARDS_SHIFT) | flags;
        if (d.count == 0) return _key(bits, LibGrants.NONE, 0, version);
        if (d.count == 1) {
            uint256 union = _union(d.word);
            if (LibBit.isPo2(union)) {
                uint256 group = LibBit.ffs(union);
                uint256 where = (d.page << 6) | group | (_lists(d.word, group) << LibGrants.LISTS_SHIFT);
                return _key(bits, LibGrants.ONE, where, version);
            }
            LibGrants.slotOf(ref, index, version, d.page).word = d.word;
            return _key(bits, LibGrants.PAIR, d.page, version);
        }
        (d.pages[0], d.words[0]) = (d.page, d.word);
        if (d.count == 2) {
            (uint256 low, uint256 high) = (d.pages[0], d.pages[1]);
            if (low > high) (low, high) = (high, low);
            if (high - low <= LibGrants.MAX_DISTANCE) {
                LibGrants.slotOf(ref, index, version, d.pages[0]).word = d.words[0];
                LibGrants.slotOf(ref, index, version, d.pages[1]).word = d.words[1];
                uint256 where = low | ((high - low) << LibGrants.DISTANCE_SHIFT);
                return _key(bits, LibGrants.PAIR, where, version);
            }
        }
        return _savePages(d, ref, bits, index, version);
    }

    function _savePages(Draft memory d, Ref ref, uint256 bits, uint256 index, uint256 version)
        private
        returns (KeyWord)
    {
        uint256 where;
        for (uint256 i; i < d.count; ++i) {
            uint256 page = d.pages[i];
            where |= page < LibGrants.NEAR_PAGES ? 1 << page : LibGrants.HAS_DIRECTORY;
        }
        if (where & LibGrants.HAS_DIRECTORY != 0) {
            // No word of the directory may be one of an earlier call.
            if (version == LibGrants.MAX_VERSION) {
                revert IErrors.TooManyUsageApiKeyUpdates(LibGrants.MAX_VERSION);
            }
            ++version;
        }
        for (uint256 i; i < d.count; ++i) {
            uint256 page = d.pages[i];
            LibGrants.slotOf(ref, index, version, page).word = d.words[i];
            if (page < LibGrants.NEAR_PAGES) continue;
            LibGrants.slotOf(ref, index, version, LibGrants.DIRECTORY | (page >> 8)).word |= 1 << (page & 255);
        }
        return _key(bits, LibGrants.PAGES, where, version);
    }

    function _key(uint256 bits, uint256 mode, uint256 where, uint256 version) private pure returns (KeyWord) {
        return KeyWord.wrap(
            bits | (mode << LibGrants.MODE_SHIFT) | (where << LibGrants.WHERE_SHIFT)
                | (version << LibGrants.VERSION_SHIFT)
        );
    }
}
