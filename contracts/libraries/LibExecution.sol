// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IViewsFacet } from "../interfaces/IViewsFacet.sol";
import {
    AccountConfigStorage as S,
    AccountWord,
    EntryWord,
    GroupWord,
    ItemWord,
    KeyWord,
    MasterWord,
    Ref
} from "./AccountConfigStorage.sol";
import { LibAccounts } from "./LibAccounts.sol";
import { LibGrants } from "./LibGrants.sol";
import { LibGroups } from "./LibGroups.sol";
import { LibItems } from "./LibItems.sol";
import { LibSparseSet, SparseSet } from "./LibSparseSet.sol";
import { LibBit } from "solady/utils/LibBit.sol";

/// @title LibExecution
/// @notice Decides whether a usage key may run an action, and whether that run may use a wallet (rule 6).
///
/// granting group = permits(action or every) & permits(wallet or every) & executable by the key & live
library LibExecution {
    /// @notice The words that a check reads only once.
    struct Query {
        Ref ref;
        KeyWord usageKey;
        uint256[] directory;
        MasterWord master;
        ItemWord action;
        ItemWord everyAction;
        ItemWord wallet;
        ItemWord everyWallet;
    }

    /// @notice Returns both answers, each with the rule that decides it.
    function explain(uint256 hash, uint256 cidHash, address pkpId)
        internal
        view
        returns (IViewsFacet.Explanation memory e)
    {
        (IViewsFacet.ExecutionRule refusal, Query memory q) = _load(hash, cidHash);
        if (refusal != IViewsFacet.ExecutionRule.Wildcard) {
            (e.actionRule, e.walletRule) = (refusal, refusal);
            return e;
        }
        if (LibGrants.hasWildcard(q.usageKey, LibGrants.EXECUTE)) {
            e.actionRule = IViewsFacet.ExecutionRule.Wildcard;
        } else {
            e.actionGroupId = _lowestGroup(q, false, 0);
            e.actionRule = e.actionGroupId == 0
                ? IViewsFacet.ExecutionRule.NoGroupPermitsAction
                : IViewsFacet.ExecutionRule.Group;
        }
        e.canExecute = e.actionRule != IViewsFacet.ExecutionRule.NoGroupPermitsAction;
        if (!_loadWallet(q, pkpId)) {
            e.walletRule = IViewsFacet.ExecutionRule.WalletUnknown;
            return e;
        }
        e.walletGroupId = _lowestGroup(q, true, 0);
        e.canUseWallet = e.walletGroupId != 0;
        e.walletRule =
            e.canUseWallet ? IViewsFacet.ExecutionRule.Group : IViewsFacet.ExecutionRule.NoGroupPermitsWallet;
    }

    function canExecute(uint256 hash, uint256 cidHash) internal view returns (bool) {
        (IViewsFacet.ExecutionRule refusal, Query memory q) = _load(hash, cidHash);
        if (refusal != IViewsFacet.ExecutionRule.Wildcard) return false;
        return LibGrants.hasWildcard(q.usageKey, LibGrants.EXECUTE) || _lowestGroup(q, false, 0) != 0;
    }

    function canUseWallet(uint256 hash, uint256 cidHash, address pkpId) internal view returns (bool) {
        (IViewsFacet.ExecutionRule refusal, Query memory q) = _load(hash, cidHash);
        if (refusal != IViewsFacet.ExecutionRule.Wildcard) return false;
        return _loadWallet(q, pkpId) && _lowestGroup(q, true, 0) != 0;
    }

    function canBoth(uint256 hash, uint256 cidHash, address pkpId)
        internal
        view
        returns (bool executes, bool usesWallet)
    {
        (IViewsFacet.ExecutionRule refusal, Query memory q) = _load(hash, cidHash);
        if (refusal != IViewsFacet.ExecutionRule.Wildcard) return (false, false);
        if (LibGrants.hasWildcard(q.usageKey, LibGrants.EXECUTE)) {
            return (true, _loadWallet(q, pkpId) && _lowestGroup(q, true, 0) != 0);
        }
        if (!LibItems.isSpread(q.action) && !LibItems.isSpread(q.everyAction)) {
            usesWallet = _loadWallet(q, pkpId) && _lowestGroup(q, true, 0) != 0;
            return (usesWallet || _lowestGroup(q, false, 0) != 0, usesWallet);
        }
        // Many words: the first search decides about the action, and the second one reads none of the words before its group.
        uint256 groupId = _lowestGroup(q, false, 0);
        if (groupId == 0) return (false, false);
        return (true, _loadWallet(q, pkpId) && _lowestGroup(q, true, groupId >> 8) != 0);
    }

    /// @return refusal The rule by which the key runs nothing, or Wildcard for a live usage key.
    function _load(uint256 hash, uint256 cidHash)
        private
        view
        returns (IViewsFacet.ExecutionRule refusal, Query memory q)
    {
        EntryWord entry = S.loadEntry(hash);
        if (S.kindOf(entry) != S.KIND_USAGE_KEY) {
            (,, AccountWord header,) = LibAccounts.tryResolve(hash);
            bool isAccount = S.exists(header);
            refusal = isAccount ? IViewsFacet.ExecutionRule.NotUsageKey : IViewsFacet.ExecutionRule.KeyUnknown;
            return (refusal, q);
        }
        q.usageKey = S.asUsageKey(entry);
        q.ref = S.refIn(entry);
        q.master = S.loadMaster(q.ref);
        if (!S.exists(q.master)) return (IViewsFacet.ExecutionRule.KeyUnknown, q);
        AccountWord account = S.asAccount(S.loadEntry(S.masterHashOf(q.ref, q.master)));
        if (!LibAccounts.isLive(account, q.usageKey)) return (IViewsFacet.ExecutionRule.KeyUnknown, q);
        if (LibGrants.isExpired(q.usageKey)) return (IViewsFacet.ExecutionRule.KeyExpired, q);
        if (!LibGrants.hasWildcard(q.usageKey, LibGrants.EXECUTE)) {
            q.directory = LibGrants.directoryOf(q.ref, q.usageKey);
        }
        q.everyAction = LibItems.loadItem(LibItems.itemKey(q.ref, LibItems.ACTION, 0));
        bool known;
        (known,, q.action) = LibItems.load(q.ref, LibItems.ACTION, cidHash);
        if (!known) q.action = ItemWord.wrap(0);
        return (IViewsFacet.ExecutionRule.Wildcard, q);
    }

    /// @return known False for a wallet that the account has not registered, and for wallet 0.
    function _loadWallet(Query memory q, address pkpId) private view returns (bool known) {
        if (pkpId == address(0)) return false;
        (known,, q.wallet) = LibItems.load(q.ref, LibItems.WALLET, uint160(pkpId));
        if (known) {
            q.everyWallet = LibItems.loadItem(LibItems.itemKey(q.ref, LibItems.WALLET, 0));
        }
    }

    /// @notice Returns the lowest live group that the key may execute in and that permits the action (and the wallet), else 0.
    /// @param start The word of 256 groups to start from.
    function _lowestGroup(Query memory q, bool withWallet, uint256 start) private view returns (uint256) {
        S.Layout storage $ = S.load();
        uint256 from = start;
        uint256 last = S.groupCount(q.master) >> 8;
        uint256 step = 1;
        bool wildcard = LibGrants.hasWildcard(q.usageKey, LibGrants.EXECUTE);
        if (!wildcard) (from, last, step) = LibGrants.words(q.usageKey, start, last);
        // Unchecked: adds to numbers below 2²⁴.
        unchecked {
            for (uint256 i = from; i <= last; i += step) {
                // Groups that the words of the wallets exclude cost no further read.
                if (withWallet && !_mayHold(q.wallet, q.everyWallet, i)) continue;
                uint256 bits = LibItems.itemWord($, q.ref, LibItems.ACTION, q.action, i)
                    | LibItems.itemWord($, q.ref, LibItems.ACTION, q.everyAction, i);
                if (bits == 0) continue;
                if (withWallet) {
                    bits &= LibItems.itemWord($, q.ref, LibItems.WALLET, q.wallet, i)
                    | LibItems.itemWord($, q.ref, LibItems.WALLET, q.everyWallet, i);
                    if (bits == 0) continue;
                }
                if (!wildcard) bits &= _granted(q, i);
                if (bits == 0) continue;
                bits &= S.liveWord($, q.ref, q.master, i);
                for (; bits != 0; bits &= bits - 1) {
                    uint256 groupId = 256 * i + LibBit.ffs(bits);
                    if (_permits(q, groupId, withWallet)) return groupId;
                }
            }
        }
        return 0;
    }

    function _granted(Query memory q, uint256 word) private view returns (uint256) {
        return LibGrants.word(q.ref, q.usageKey, LibGrants.EXECUTE, word, q.directory);
    }

    function _mayHold(ItemWord item, ItemWord every, uint256 word) private pure returns (bool) {
        SparseSet groups = LibItems.groupsOf(item);
        SparseSet groupsOfEvery = LibItems.groupsOf(every);
        SparseSet either = SparseSet.wrap(SparseSet.unwrap(groups) | SparseSet.unwrap(groupsOfEvery));
        return LibSparseSet.mayHoldOutside(either, word)
            || LibSparseSet.inWindows(groups, word) | LibSparseSet.inWindows(groupsOfEvery, word) != 0;
    }

    /// @notice Reads the group's side of the memberships, which decides (see LibMemberships).
    function _permits(Query memory q, uint256 groupId, bool withWallet) private view returns (bool) {
        GroupWord group = GroupWord.wrap(S.load().groups[S.keyOf(q.ref, groupId)].word);
        return _contains(q.ref, groupId, group, LibItems.ACTION, q.action, q.everyAction)
            && (!withWallet || _contains(q.ref, groupId, group, LibItems.WALLET, q.wallet, q.everyWallet));
    }

    function _contains(Ref ref, uint256 groupId, GroupWord group, uint256 kind, ItemWord item, ItemWord every)
        private
        view
        returns (bool)
    {
        return LibGroups.contains(ref, groupId, group, kind, item)
            || LibGroups.contains(ref, groupId, group, kind, every);
    }
}
