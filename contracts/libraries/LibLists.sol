// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IViewsFacet } from "../interfaces/IViewsFacet.sol";
import { AccountConfigStorage as S } from "../storage/AccountConfigStorage.sol";
import { AccountWord } from "../storage/AccountWord.sol";
import { Bits } from "../storage/Bits.sol";
import { GroupWord } from "../storage/GroupWord.sol";
import { ItemWord } from "../storage/ItemWord.sol";
import { Kinds } from "../storage/Kinds.sol";
import { Ref } from "../storage/Ref.sol";
import { LibGroups } from "./LibGroups.sol";
import { LibItems } from "./LibItems.sol";
import { LibLimits } from "./LibLimits.sol";
import { LibBit } from "solady/utils/LibBit.sol";

/// @title LibLists
/// @notice Pages of the actions and wallets of an account, and of a group.
library LibLists {
    /// @return ids The live items of a page. Index `i` of the list is item `i + 1`.
    function items(Ref ref, AccountWord header, uint256 kind, uint256 pageNumber, uint256 pageSize)
        internal
        view
        returns (uint256[] memory ids)
    {
        (uint256 from, uint256 to) = LibLimits.page(pageNumber, pageSize, header.itemCount(kind));
        S.Layout storage $ = S.load();
        ids = new uint256[](to - from);
        uint256 count;
        for (uint256 i = from; i < to; ++i) {
            (bool found, uint256 key) = LibItems.keyAt($, ref, kind, i + 1);
            if (found) ids[count++] = S.loadItem(key).idOf(kind, key);
        }
        // memory-safe: shortens an array allocated here.
        assembly ("memory-safe") {
            mstore(ids, count)
        }
    }

    /// @return ids Up to `size` live members of a group after the first `skip`, 0 ("every") first.
    function members(
        Ref ref,
        AccountWord header,
        uint256 groupId,
        GroupWord group,
        uint256 kind,
        uint256 skip,
        uint256 size
    ) internal view returns (uint256[] memory ids) {
        S.Layout storage $ = S.load();
        ids = new uint256[](size);
        uint256 count;
        uint256 seen;
        uint256 last = header.itemCount(kind);
        for (uint256 word; word <= Bits.wordOf(last) && count < size; ++word) {
            uint256 bits = LibGroups.members(ref, groupId, group, kind, word);
            for (; bits != 0 && count < size; bits &= bits - 1) {
                uint256 index = 256 * word + LibBit.ffs(bits);
                (bool found, uint256 key) = LibItems.keyAt($, ref, kind, index);
                if (!found || seen++ < skip) continue;
                ids[count++] = index == 0 ? 0 : S.loadItem(key).idOf(kind, key);
            }
        }
        // memory-safe: shortens an array allocated here.
        assembly ("memory-safe") {
            mstore(ids, count)
        }
    }

    /// @param ids Addresses of wallets, 0 for "every".
    function pkps(Ref ref, AccountWord header, uint256[] memory ids)
        internal
        view
        returns (IViewsFacet.Pkp[] memory wallets)
    {
        address minter = header.minter();
        wallets = new IViewsFacet.Pkp[](ids.length);
        for (uint256 i; i < ids.length; ++i) {
            ItemWord item = S.loadItem(S.itemKey(ref, Kinds.WALLET, ids[i]));
            wallets[i] = IViewsFacet.Pkp({
                // The cast is safe: the id of a wallet has 160 bits.
                pkpId: address(uint160(ids[i])),
                derivationPath: ids[i] == 0 ? 0 : LibItems.pathOf(ref, item, minter)
            });
        }
    }
}
