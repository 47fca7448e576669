// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IErrors } from "../interfaces/IErrors.sol";
import { AccountConfigStorage as S, KeyWord, MasterWord, Ref } from "./AccountConfigStorage.sol";
import { LibGrantsAssembly } from "./LibGrantsAssembly.sol";
import { LibBit } from "solady/utils/LibBit.sol";

/// @title LibGrants
/// @notice The permissions of a usage key: flags and wildcards in its word, group lists as bitmaps in pages of 64
/// groups × 4 lists.
///
/// MODES. None: no lists. Single: all listed groups are in `page`, whose word is overwritten. Multi: any pages, written under
/// a new `version`, with a directory (one bit per page, 256 pages per word) of the pages that exist.
/// A wildcard is read first and grants all groups, whatever the pages hold.
/// No mode can reach grants of an earlier call: the word of `page` is overwritten, a version is written only once in mode
/// multi, and an index is never given to another key.
library LibGrants {
    uint256 internal constant CREATE_GROUPS = 1 << 2;
    uint256 internal constant DELETE_GROUPS = 1 << 3;
    uint256 internal constant CREATE_PKPS = 1 << 4;

    uint256 internal constant MANAGE_ACTIONS = 0;
    uint256 internal constant ADD_PKP = 1;
    uint256 internal constant REMOVE_PKP = 2;
    uint256 internal constant EXECUTE = 3;

    uint256 private constant WILDCARDS_SHIFT = 5;
    uint256 private constant MODE_SHIFT = 9;
    uint256 private constant MODE_SINGLE = 1;
    uint256 private constant MODE_MULTI = 2;
    uint256 private constant PAGE_SHIFT = 11;
    uint256 private constant VERSION_SHIFT = 35;
    uint256 private constant MAX_VERSION = (1 << 24) - 1;
    uint256 private constant INDEX_SHIFT = 59;
    uint256 private constant EXPIRATION_SHIFT = 87;
    uint256 private constant DIRECTORY = 1 << 31;
    /// Four lists of 50 entries.
    uint256 private constant MAX_PAGES = 200;
    uint256 private constant LIST_MASK = type(uint64).max;

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

    /// @param flag CREATE_GROUPS, DELETE_GROUPS or CREATE_PKPS.
    function hasFlag(KeyWord usageKey, uint256 flag) internal pure returns (bool) {
        return KeyWord.unwrap(usageKey) & flag != 0;
    }

    function hasWildcard(KeyWord usageKey, uint256 list) internal pure returns (bool) {
        return (KeyWord.unwrap(usageKey) >> (WILDCARDS_SHIFT + list)) & 1 != 0;
    }

    // ------------------------------------------------------------------------------------------------- reads

    /// @notice True when `groupId` is granted, 0 for the wildcard. The group need not be live.
    function has(Ref ref, KeyWord usageKey, uint256 list, uint256 groupId) internal view returns (bool) {
        if (hasWildcard(usageKey, list)) return true;
        if (groupId == 0 || groupId > S.MAX_GROUPS) return false;
        return (word(ref, usageKey, list, groupId >> 8) >> (groupId & 255)) & 1 != 0;
    }

    /// @notice True when the list may hold groups among the ids [256 · index, 256 · index + 255].
    function mayHold(Ref ref, KeyWord usageKey, uint256 list, uint256 index) internal view returns (bool) {
        if (hasWildcard(usageKey, list)) return true;
        uint256 mode = _mode(usageKey);
        if (mode == MODE_MULTI) return _presentPages(ref, usageKey, index) != 0;
        return mode == MODE_SINGLE && _singlePage(usageKey) >> 2 == index;
    }

    /// @notice Returns the granted groups among the ids [256 · index, 256 · index + 255], all ones for a wildcard.
    function word(Ref ref, KeyWord usageKey, uint256 list, uint256 index)
        internal
        view
        returns (uint256 bits)
    {
        if (hasWildcard(usageKey, list)) return type(uint256).max;
        S.Layout storage $ = S.load();
        uint256 mode = _mode(usageKey);
        if (mode == MODE_SINGLE) {
            uint256 page = _singlePage(usageKey);
            if (page >> 2 == index) {
                bits = (($.grants[_key(ref, usageKey, page)].word >> (64 * list)) & LIST_MASK)
                    << (64 * (page & 3));
            }
        } else if (mode == MODE_MULTI) {
            uint256 present = _presentPages(ref, usageKey, index);
            for (uint256 i; i < 4; ++i) {
                if ((present >> i) & 1 == 0) continue;
                uint256 grants = $.grants[_key(ref, usageKey, 4 * index + i)].word;
                bits |= ((grants >> (64 * list)) & LIST_MASK) << (64 * i);
            }
        }
    }

    function _mode(KeyWord usageKey) private pure returns (uint256) {
        return (KeyWord.unwrap(usageKey) >> MODE_SHIFT) & 3;
    }

    function _singlePage(KeyWord usageKey) private pure returns (uint256) {
        return (KeyWord.unwrap(usageKey) >> PAGE_SHIFT) & type(uint24).max;
    }

    function _version(KeyWord usageKey) private pure returns (uint256) {
        return (KeyWord.unwrap(usageKey) >> VERSION_SHIFT) & MAX_VERSION;
    }

    /// @notice Returns a bit for each of the four pages of the ids [256 · index, 256 · index + 255], in mode multi.
    function _presentPages(Ref ref, KeyWord usageKey, uint256 index) private view returns (uint256) {
        uint256 directory = S.load().grants[_key(ref, usageKey, DIRECTORY | (index >> 6))].word;
        return (directory >> (4 * (index & 63))) & 15;
    }

    /// @notice Returns the live groups of a list in ascending order, `[0]` for the wildcard.
    function listed(Ref ref, KeyWord usageKey, uint256 list)
        internal
        view
        returns (uint256[] memory groupIds)
    {
        if (hasWildcard(usageKey, list)) return new uint256[](1);
        S.Layout storage $ = S.load();
        MasterWord master = S.loadMaster(ref);
        uint256 mode = _mode(usageKey);
        groupIds = new uint256[](mode == 0 ? 0 : 50); // the most that one call sets
        uint256 count;
        if (mode == MODE_SINGLE) {
            count = _collect($, ref, master, usageKey, list, _singlePage(usageKey) >> 2, groupIds, 0);
        } else if (mode == MODE_MULTI) {
            for (uint256 i; i <= S.groupCount(master) >> 14; ++i) {
                uint256 present = $.grants[_key(ref, usageKey, DIRECTORY | i)].word;
                while (present != 0) {
                    uint256 nibble = LibBit.ffs(present) >> 2;
                    present &= ~(uint256(15) << (4 * nibble));
                    count = _collect($, ref, master, usageKey, list, 64 * i + nibble, groupIds, count);
                }
            }
        }
        // memory-safe: shortens an array allocated here.
        assembly ("memory-safe") {
            mstore(groupIds, count)
        }
    }

    function _collect(
        S.Layout storage $,
        Ref ref,
        MasterWord master,
        KeyWord usageKey,
        uint256 list,
        uint256 index,
        uint256[] memory into,
        uint256 count
    ) private view returns (uint256) {
        uint256 bits = word(ref, usageKey, list, index) & S.liveWord($, ref, master, index);
        for (; bits != 0; bits &= bits - 1) {
            into[count++] = 256 * index + LibBit.ffs(bits);
        }
        return count;
    }

    // ------------------------------------------------------------------------------------------------ writes

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

    /// @notice Adds a list to a draft. GroupDoesNotExist for the first id that is not a live group.
    function draft(Draft memory d, uint256 accountHash, Ref ref, uint256 list, uint256[] calldata groupIds)
        internal
        view
    {
        if (groupIds.length == 0) return;
        (uint256 bits, bool onePage) = LibGrantsAssembly.pageOf(groupIds);
        uint256 page = groupIds[0] >> 6;
        if (onePage) {
            _add(d, accountHash, ref, list, groupIds, page, bits);
            return;
        }
        bits = 0;
        for (uint256 i; i < groupIds.length; ++i) {
            uint256 groupId = groupIds[i];
            if (groupId >> 6 != page) {
                _add(d, accountHash, ref, list, groupIds, page, bits);
                (page, bits) = (groupId >> 6, 0);
            }
            bits |= 1 << (groupId & 63);
        }
        _add(d, accountHash, ref, list, groupIds, page, bits);
    }

    /// @notice Adds groups of one page to a list of a draft.
    /// @param bits The groups by `id & 63`. Id 0 is the wildcard.
    function _add(
        Draft memory d,
        uint256 accountHash,
        Ref ref,
        uint256 list,
        uint256[] calldata groupIds,
        uint256 page,
        uint256 bits
    ) private view {
        if (page == 0 && bits & 1 != 0) {
            d.wildcards |= 1 << list;
            bits ^= 1;
            if (bits == 0) return;
        }
        uint256 live = _live(d, ref, page);
        if (bits & ~live != 0) _revertAtFirst(accountHash, groupIds, page, live);
        bits <<= 64 * list;
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
        if (page <= S.MAX_GROUPS >> 6) {
            live = S.liveWord(S.load(), ref, S.loadMaster(ref), page >> 2) >> (64 * (page & 3)) & LIST_MASK;
        }
        d.live = live;
    }

    function _revertAtFirst(uint256 accountHash, uint256[] calldata groupIds, uint256 page, uint256 live)
        private
        pure
    {
        for (uint256 i;; ++i) {
            uint256 groupId = groupIds[i];
            if (groupId == 0 || groupId >> 6 != page || (live >> (groupId & 63)) & 1 != 0) continue;
            revert IErrors.GroupDoesNotExist(accountHash, groupId);
        }
    }

    /// @notice Writes the pages of a draft and returns the word of the key.
    /// @param old The previous word of the key, 0 for a new key.
    /// @param flags The granted ones of CREATE_GROUPS, DELETE_GROUPS and CREATE_PKPS.
    function save(Draft memory d, Ref ref, KeyWord old, uint256 index, uint256 flags, uint256 expiration)
        internal
        returns (KeyWord usageKey)
    {
        S.Layout storage $ = S.load();
        uint256 version = _version(old);
        uint256 bits = S.KIND_USAGE_KEY | (Ref.unwrap(ref) << S.REF_SHIFT) | (index << INDEX_SHIFT)
            | (expiration << EXPIRATION_SHIFT) | (d.wildcards << WILDCARDS_SHIFT) | flags;
        if (d.count == 0) return KeyWord.wrap(bits | (version << VERSION_SHIFT));
        if (d.count == 1) {
            usageKey = KeyWord.wrap(
                bits | (MODE_SINGLE << MODE_SHIFT) | (d.page << PAGE_SHIFT) | (version << VERSION_SHIFT)
            );
            $.grants[_key(ref, usageKey, d.page)].word = d.word;
            return usageKey;
        }
        if (version == MAX_VERSION) revert IErrors.TooManyUsageApiKeyUpdates(MAX_VERSION);
        usageKey = KeyWord.wrap(bits | (MODE_MULTI << MODE_SHIFT) | ((version + 1) << VERSION_SHIFT));
        for (uint256 i; i < d.count; ++i) {
            (uint256 page, uint256 grants) = i == 0 ? (d.page, d.word) : (d.pages[i], d.words[i]);
            $.grants[_key(ref, usageKey, page)].word = grants;
            $.grants[_key(ref, usageKey, DIRECTORY | (page >> 8))].word |= uint256(1) << (page & 255);
        }
    }

    /// @param low A page, or DIRECTORY and the index of a directory word.
    function _key(Ref ref, KeyWord usageKey, uint256 low) private pure returns (uint256) {
        return S.keyOf(ref, (indexOf(usageKey) << 64) | (_version(usageKey) << 32) | low);
    }
}
