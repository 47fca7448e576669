// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IUsageKeyWrites } from "../interfaces/IUsageKeyWrites.sol";
import { AccountConfigStorage as S } from "../storage/AccountConfigStorage.sol";
import { KeyWord, KeyWords } from "../storage/KeyWord.sol";
import { MasterWord } from "../storage/MasterWord.sol";
import { Pages } from "../storage/Pages.sol";
import { Ref } from "../storage/Ref.sol";
import { LibGrants } from "./LibGrants.sol";
import { LibBit } from "solady/utils/LibBit.sol";
import { LibSort } from "solady/utils/LibSort.sol";

/// @title LibPermissions
/// @notice Reads the permissions of usage keys for a list of keys. Every page is read once, and arrays have exactly the length
/// that they need, because memory costs the square of its size.
library LibPermissions {
    /// Four lists of 50 entries.
    uint256 private constant MAX_PAGES = 200;

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
            createGroups: usageKey.hasFlag(KeyWords.CREATE_GROUPS),
            deleteGroups: usageKey.hasFlag(KeyWords.DELETE_GROUPS),
            createPKPs: usageKey.hasFlag(KeyWords.CREATE_PKPS),
            manageIPFSIdsInGroups: _listed(b, usageKey, KeyWords.MANAGE_ACTIONS),
            addPkpToGroups: _listed(b, usageKey, KeyWords.ADD_PKP),
            removePkpFromGroups: _listed(b, usageKey, KeyWords.REMOVE_PKP),
            executeInGroups: _listed(b, usageKey, KeyWords.EXECUTE)
        });
    }

    function _load(Buffer memory b, Ref ref, MasterWord master, KeyWord usageKey) private view {
        b.count = 0;
        uint256 mode = usageKey.mode();
        if (mode == KeyWords.ONE) {
            (uint256 groupId, uint256 lists) = usageKey.one();
            _push(b, ref, master, Pages.pageOf(groupId), Pages.ofGroup(groupId, lists));
        } else if (mode == KeyWords.PAIR) {
            (uint256 low, uint256 high) = usageKey.pair();
            uint256 index = usageKey.index();
            _push(b, ref, master, low, LibGrants.slotOf(ref, index, 0).word);
            if (high != low) _push(b, ref, master, high, LibGrants.slotOf(ref, index, 1).word);
        } else if (mode == KeyWords.PAGES) {
            _pushPages(b, ref, master, usageKey);
        }
    }

    function _pushPages(Buffer memory b, Ref ref, MasterWord master, KeyWord usageKey) private view {
        uint256 index = usageKey.index();
        uint256 position;
        for (uint256 near = usageKey.nearPages(); near != 0; near &= near - 1) {
            _push(b, ref, master, LibBit.ffs(near), LibGrants.slotOf(ref, index, position++).word);
        }
        uint256[] memory directory = LibGrants.directoryOf(ref, usageKey);
        uint256[] memory order = new uint256[](usageKey.farCount());
        for (uint256 i; i < order.length; ++i) {
            order[i] = 256 * Pages.pageAt(directory, i) + position + i;
        }
        LibSort.sort(order);
        for (uint256 i; i < order.length; ++i) {
            _push(b, ref, master, order[i] / 256, LibGrants.slotOf(ref, index, order[i] % 256).word);
        }
    }

    function _push(Buffer memory b, Ref ref, MasterWord master, uint256 page, uint256 word) private view {
        uint256 index = Pages.wordOf(page);
        // Unchecked: sums of small numbers.
        unchecked {
            if (b.liveIndex != index + 1) {
                b.liveIndex = index + 1;
                b.live = S.liveWord(S.load(), ref, master, index);
            }
            uint256 live = Pages.ofEqualLists(Pages.from(b.live, page));
            (b.pages[b.count], b.words[b.count]) = (page, word & live);
            ++b.count;
        }
    }

    function _listed(Buffer memory b, KeyWord usageKey, uint256 list)
        private
        pure
        returns (uint256[] memory groupIds)
    {
        if (usageKey.hasWildcard(list)) return new uint256[](1);
        uint256 length;
        // Unchecked: sums of small numbers.
        unchecked {
            for (uint256 i; i < b.count; ++i) {
                uint256 bits = Pages.list(b.words[i], list);
                if (bits != 0) length += LibBit.popCount(bits);
            }
            groupIds = new uint256[](length);
            length = 0;
            for (uint256 i; i < b.count; ++i) {
                uint256 bits = Pages.list(b.words[i], list);
                for (; bits != 0; bits &= bits - 1) {
                    groupIds[length++] = Pages.groupAt(b.pages[i], LibBit.ffs(bits));
                }
            }
        }
    }
}
