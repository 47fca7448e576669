// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IUsageKeyWrites } from "../interfaces/IUsageKeyWrites.sol";
import { AccountConfigStorage as S, KeyWord, MasterWord, Ref } from "./AccountConfigStorage.sol";
import { LibGrants } from "./LibGrants.sol";
import { LibBit } from "solady/utils/LibBit.sol";
import { LibSort } from "solady/utils/LibSort.sol";

/// @title LibPermissions
/// @notice Reads the permissions of usage keys for a list of keys. Every page is read once, and arrays have exactly the length
/// that they need, because memory costs the square of its size.
library LibPermissions {
    /// Four lists of 50 entries.
    uint256 private constant MAX_PAGES = 200;
    /// Bit 0 of each list.
    uint256 private constant LOWEST = 1 | (1 << 64) | (1 << 128) | (1 << 192);

    /// @notice The pages of a key, and their words without the groups that were removed. One buffer serves all keys of a list.
    struct Buffer {
        uint256 count;
        uint256[] pages;
        uint256[] words;
        /// One more than the index of the word of live groups in `live`.
        uint256 liveIndex;
        uint256 live;
    }

    function newBuffer() internal pure returns (Buffer memory b) {
        (b.pages, b.words) = (new uint256[](MAX_PAGES), new uint256[](MAX_PAGES));
    }

    /// @notice Returns the permissions with the live groups of each list in ascending order, `[0]` for the wildcard.
    function read(Buffer memory b, Ref ref, MasterWord master, KeyWord usageKey)
        internal
        view
        returns (IUsageKeyWrites.UsageApiKeyPermissions memory)
    {
        _load(b, ref, master, usageKey);
        return IUsageKeyWrites.UsageApiKeyPermissions({
            createGroups: LibGrants.hasFlag(usageKey, LibGrants.CREATE_GROUPS),
            deleteGroups: LibGrants.hasFlag(usageKey, LibGrants.DELETE_GROUPS),
            createPKPs: LibGrants.hasFlag(usageKey, LibGrants.CREATE_PKPS),
            manageIPFSIdsInGroups: _listed(b, usageKey, LibGrants.MANAGE_ACTIONS),
            addPkpToGroups: _listed(b, usageKey, LibGrants.ADD_PKP),
            removePkpFromGroups: _listed(b, usageKey, LibGrants.REMOVE_PKP),
            executeInGroups: _listed(b, usageKey, LibGrants.EXECUTE)
        });
    }

    function _load(Buffer memory b, Ref ref, MasterWord master, KeyWord usageKey) private view {
        b.count = 0;
        uint256 mode = LibGrants.modeOf(usageKey);
        uint256 where = LibGrants.whereOf(usageKey);
        if (mode == LibGrants.ONE) {
            uint256 groupId = where & LibGrants.GROUP_MASK;
            uint256 lists = where >> LibGrants.LISTS_SHIFT;
            // Spreads the bits of the lists.
            lists = (lists & 1) | ((lists & 2) << 63) | ((lists & 4) << 126) | ((lists & 8) << 189);
            _push(b, ref, master, groupId >> 6, lists << (groupId & 63));
        } else if (mode == LibGrants.PAIR) {
            (uint256 low, uint256 high) = LibGrants.pairIn(where);
            uint256 index = LibGrants.indexOf(usageKey);
            _push(b, ref, master, low, LibGrants.slotOf(ref, index, 0).word);
            if (high != low) _push(b, ref, master, high, LibGrants.slotOf(ref, index, 1).word);
        } else if (mode == LibGrants.PAGES) {
            _pushPages(b, ref, master, usageKey, where & LibGrants.NEAR_MASK);
        }
    }

    /// @param near A bit for each page that needs no directory.
    function _pushPages(Buffer memory b, Ref ref, MasterWord master, KeyWord usageKey, uint256 near)
        private
        view
    {
        uint256 index = LibGrants.indexOf(usageKey);
        uint256 position;
        for (; near != 0; near &= near - 1) {
            _push(b, ref, master, LibBit.ffs(near), LibGrants.slotOf(ref, index, position++).word);
        }
        uint256[] memory directory = LibGrants.directoryOf(ref, usageKey);
        uint256[] memory order = new uint256[](LibGrants.farCount(usageKey));
        for (uint256 i; i < order.length; ++i) {
            order[i] = (LibGrants.pageAt(directory, i) << 8) | (position + i);
        }
        LibSort.sort(order);
        for (uint256 i; i < order.length; ++i) {
            _push(b, ref, master, order[i] >> 8, LibGrants.slotOf(ref, index, order[i] & 255).word);
        }
    }

    function _push(Buffer memory b, Ref ref, MasterWord master, uint256 page, uint256 word) private view {
        if (b.liveIndex != (page >> 2) + 1) {
            b.liveIndex = (page >> 2) + 1;
            b.live = S.liveWord(S.load(), ref, master, page >> 2);
        }
        // The live groups of the page in each of the four lists. Unchecked: 64 bits times a bit of each list.
        unchecked {
            word &= ((b.live >> (64 * (page & 3))) & LibGrants.LIST_MASK) * LOWEST;
            (b.pages[b.count], b.words[b.count]) = (page, word);
            ++b.count;
        }
    }

    function _listed(Buffer memory b, KeyWord usageKey, uint256 list)
        private
        pure
        returns (uint256[] memory groupIds)
    {
        if (LibGrants.hasWildcard(usageKey, list)) return new uint256[](1);
        uint256 length;
        // Unchecked: sums of small numbers.
        unchecked {
            for (uint256 i; i < b.count; ++i) {
                uint256 bits = (b.words[i] >> (64 * list)) & LibGrants.LIST_MASK;
                if (bits != 0) length += LibBit.popCount(bits);
            }
            groupIds = new uint256[](length);
            length = 0;
            for (uint256 i; i < b.count; ++i) {
                uint256 bits = (b.words[i] >> (64 * list)) & LibGrants.LIST_MASK;
                for (; bits != 0; bits &= bits - 1) {
                    groupIds[length++] = 64 * b.pages[i] + LibBit.ffs(bits);
                }
            }
        }
    }
}
