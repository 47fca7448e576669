// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { AccountConfigStorage as S } from "../storage/AccountConfigStorage.sol";
import { Bits } from "../storage/Bits.sol";
import { KeyWord, KeyWords } from "../storage/KeyWord.sol";
import { MasterWords } from "../storage/MasterWord.sol";
import { Pages } from "../storage/Pages.sol";
import { Ref } from "../storage/Ref.sol";
import { LibBit } from "solady/utils/LibBit.sol";

/// @title LibGrants
/// @notice The permissions of a usage key: flags, wildcards and a single group in its word, other group lists as bitmaps in
/// pages of 64 groups × 4 lists. KeyWord has the modes.
///
/// The words of a key's pages are at its positions 0, 1, …: first the pages in *where*, in their order, then the other pages in
/// the order of a directory, which has 16 page numbers per word. Later pages thus reuse the slots of earlier ones. No grant of an
/// earlier call is reached: a call writes every position that its *where* names, and an index is never given to another key.
library LibGrants {
    /// @notice Returns the slot of a page by its position, or of a directory word (Pages.DIRECTORY and its index).
    function slotOf(Ref ref, uint256 index, uint256 position) internal view returns (S.Word storage) {
        return S.load().grants[S.grantKey(ref, index, position)];
    }

    /// @notice Returns the directory of a key: 16 pages per word, as many words as it needs.
    function directoryOf(Ref ref, KeyWord usageKey) internal view returns (uint256[] memory directory) {
        if (usageKey.mode() != KeyWords.PAGES) return directory;
        uint256 index = usageKey.index();
        // Unchecked: at most 13 words.
        unchecked {
            directory = new uint256[](Pages.directoryWord(usageKey.farCount() + 15));
            for (uint256 i; i < directory.length; ++i) {
                directory[i] = slotOf(ref, index, Pages.DIRECTORY | i).word;
            }
        }
    }

    /// @notice True when `groupId` is granted, 0 for the wildcard. The group need not be live.
    function has(Ref ref, KeyWord usageKey, uint256 list, uint256 groupId) internal view returns (bool) {
        if (usageKey.hasWildcard(list)) return true;
        if (groupId == 0 || groupId > MasterWords.MAX_GROUPS) return false;
        uint256[] memory directory;
        if (Pages.pageOf(groupId) >= Pages.NEAR) directory = directoryOf(ref, usageKey);
        return Bits.has(word(ref, usageKey, list, Bits.wordOf(groupId), directory), groupId);
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
        uint256 mode = usageKey.mode();
        if (mode == KeyWords.PAGES) return (start, end, 1);
        if (mode == KeyWords.NONE) return (1, 0, 1);
        if (mode == KeyWords.ONE) {
            (uint256 groupId,) = usageKey.one();
            from = Bits.wordOf(groupId);
            return (from, from, 1);
        }
        (uint256 low, uint256 high) = usageKey.pair();
        (from, last) = (Pages.wordOf(low), Pages.wordOf(high));
        if (from < start) from = last;
        // Unchecked: `last` is not below `from`.
        unchecked {
            step = from == last ? 1 : last - from;
        }
    }

    /// @notice Returns the granted groups among the ids [256 · index, 256 · index + 255], all ones for a wildcard.
    /// @param directory The directory of the key. Not read for pages that need no directory.
    function word(Ref ref, KeyWord usageKey, uint256 list, uint256 index, uint256[] memory directory)
        internal
        view
        returns (uint256 bits)
    {
        if (usageKey.hasWildcard(list)) return type(uint256).max;
        uint256 mode = usageKey.mode();
        if (mode == KeyWords.ONE) {
            (uint256 groupId, uint256 lists) = usageKey.one();
            if (Bits.wordOf(groupId) == index && Bits.has(lists, list)) bits = Bits.bitOf(groupId);
        } else if (mode == KeyWords.PAIR) {
            (uint256 low, uint256 high) = usageKey.pair();
            if (Pages.wordOf(low) == index) bits = Pages.inWord(_list(ref, usageKey, list, 0), low);
            if (high != low && Pages.wordOf(high) == index) {
                bits |= Pages.inWord(_list(ref, usageKey, list, 1), high);
            }
        } else if (mode == KeyWords.PAGES) {
            // Unchecked: `index` is below 2¹⁶, and positions are below 256.
            unchecked {
                uint256 page = 4 * index;
                uint256 near = usageKey.nearPages();
                if (page >= Pages.NEAR) {
                    return _farWord(ref, usageKey, list, index, directory, LibBit.popCount(near));
                }
                uint256 present = Pages.present(near, index);
                if (present == 0) return 0;
                mapping(uint256 key => S.Word) storage grants = S.load().grants;
                uint256 key = S.grantKey(ref, usageKey.index(), Pages.positionOf(near, page));
                for (; present != 0; present = Bits.from(present, 1)) {
                    if (Bits.has(present, 0)) {
                        bits |= Pages.inWord(Pages.list(grants[key++].word, list), page);
                    }
                    ++page;
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
                for (uint256 lanes = Pages.lanesOf(pages, index); lanes != 0; lanes &= lanes - 1) {
                    uint256 lane = Pages.laneOf(lanes);
                    uint256 page = Pages.inDirectory(pages, lane);
                    bits |= Pages.inWord(_list(ref, usageKey, list, first + 16 * i + lane), page);
                }
            }
        }
    }

    function _list(Ref ref, KeyWord usageKey, uint256 list, uint256 position) private view returns (uint256) {
        return Pages.list(slotOf(ref, usageKey.index(), position).word, list);
    }
}
