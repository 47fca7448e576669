// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IErrors } from "../interfaces/IErrors.sol";
import { AccountConfigStorage as S } from "../storage/AccountConfigStorage.sol";
import { Bits } from "../storage/Bits.sol";
import { KeyWord, KeyWords } from "../storage/KeyWord.sol";
import { Pages } from "../storage/Pages.sol";
import { Ref } from "../storage/Ref.sol";
import { LibGrants } from "./LibGrants.sol";
import { LibGrantsAssembly } from "./LibGrantsAssembly.sol";
import { LibBit } from "solady/utils/LibBit.sol";

/// @title LibDrafts
/// @notice Checks the four lists of a usage key and writes them in the layout of LibGrants.
library LibDrafts {
    /// Four lists of 50 entries.
    uint256 private constant MAX_PAGES = 200;

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
            wildcards = word & Pages.LOWEST;
            word ^= wildcards;
        }
        if (word != 0) {
            if (page > Pages.LAST) return false;
            if (Pages.union(word) & ~_liveIn(ref, page) != 0) return false;
            (d.page, d.word, d.count) = (page, word, 1);
        }
        if (wildcards != 0) d.wildcards = Pages.listsOf(wildcards, 0);
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
                    d.wildcards |= Bits.bitOf(list);
                    continue;
                }
                uint256 page = Pages.pageOf(groupId);
                if (_live(d, ref, page) & Pages.bitOf(groupId, 0) == 0) {
                    revert IErrors.GroupDoesNotExist(accountHash, groupId);
                }
                _addTo(d, page, Pages.bitOf(groupId, list));
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
        uint256 place = Pages.placeOf(d.pages, count, page);
        d.words[place] |= bits;
        if (place < count) return;
        // Unchecked: there are at most MAX_PAGES pages, one per list entry.
        unchecked {
            d.pages[Pages.directoryWord(place)] |= Pages.inLane(page, place);
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
        if (page <= Pages.LAST) live = _liveIn(ref, page);
        d.live = live;
    }

    function _liveIn(Ref ref, uint256 page) private view returns (uint256) {
        return Pages.from(S.liveWord(S.load(), ref, S.loadMaster(ref), Pages.wordOf(page)), page);
    }

    /// @notice Writes the pages of a draft and returns the word of the key.
    /// @param index The index of the key.
    /// @param flags CREATE_GROUPS, DELETE_GROUPS and CREATE_PKPS, as granted.
    function save(Draft memory d, Ref ref, uint256 index, uint256 flags, uint256 expiration)
        internal
        returns (KeyWord)
    {
        KeyWord usageKey = KeyWords.create(ref, index, expiration, d.wildcards, flags);
        if (d.count == 0) return usageKey;
        if (d.count > 2) {
            (uint256 near, uint256 far) = _savePages(d, ref, index);
            return usageKey.withPages(near, far);
        }
        (uint256 low, uint256 high, uint256 lowWord) = (d.page, d.page, d.word);
        if (d.count == 1) {
            uint256 union = Pages.union(lowWord);
            if (LibBit.isPo2(union)) {
                uint256 group = LibBit.ffs(union);
                return usageKey.withOne(Pages.groupAt(low, group), Pages.listsOf(lowWord, group));
            }
        } else {
            uint256 highWord = d.words[1];
            high = Pages.pageAt(d.pages, 1);
            if (low > high) (low, high, lowWord, highWord) = (high, low, highWord, lowWord);
            LibGrants.slotOf(ref, index, 1).word = highWord;
        }
        LibGrants.slotOf(ref, index, 0).word = lowWord;
        return usageKey.withPair(low, high);
    }

    /// @return near A bit for each page that needs no directory.
    /// @return far The number of the others.
    function _savePages(Draft memory d, Ref ref, uint256 index) private returns (uint256 near, uint256 far) {
        d.words[0] = d.word;
        uint256[] memory words = d.words;
        uint256 count = d.count;
        mapping(uint256 key => S.Word) storage grants = S.load().grants;
        uint256 keys = S.grantKey(ref, index, 0);
        // Unchecked: there are at most MAX_PAGES pages.
        unchecked {
            for (uint256 i; i < count; ++i) {
                uint256 page = Pages.pageAt(d.pages, i);
                if (page < Pages.NEAR) near |= Bits.bitOf(page);
            }
            uint256 first = LibBit.popCount(near);
            uint256 directory;
            for (uint256 i; i < count; ++i) {
                uint256 page = Pages.pageAt(d.pages, i);
                if (page < Pages.NEAR) {
                    grants[keys | Pages.positionOf(near, page)].word = words[i];
                    continue;
                }
                grants[keys | (first + far)].word = words[i];
                directory |= Pages.inLane(page, far);
                if (!Pages.isFull(++far) && first + far != count) continue;
                grants[keys | Pages.DIRECTORY | Pages.directoryWord(far - 1)].word = directory;
                directory = 0;
            }
        }
    }
}
