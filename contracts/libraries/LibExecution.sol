// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IViewsFacet } from "../interfaces/IViewsFacet.sol";
import { AccountConfigStorage as S } from "../storage/AccountConfigStorage.sol";
import { AccountWord } from "../storage/AccountWord.sol";
import { Bits } from "../storage/Bits.sol";
import { EntryWord } from "../storage/EntryWord.sol";
import { GroupWord } from "../storage/GroupWord.sol";
import { ItemWord } from "../storage/ItemWord.sol";
import { KeyWord, KeyWords } from "../storage/KeyWord.sol";
import { Kinds } from "../storage/Kinds.sol";
import { MasterWord } from "../storage/MasterWord.sol";
import { Ref } from "../storage/Ref.sol";
import { LibAccounts } from "./LibAccounts.sol";
import { LibGrants } from "./LibGrants.sol";
import { LibGroups } from "./LibGroups.sol";
import { LibItems } from "./LibItems.sol";
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
        (bool ok, IViewsFacet.ExecutionRule refusal, Query memory q) = _load(hash, cidHash);
        if (!ok) {
            (e.actionRule, e.walletRule) = (refusal, refusal);
            return e;
        }
        if (q.usageKey.hasWildcard(KeyWords.EXECUTE)) {
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
        (bool ok,, Query memory q) = _load(hash, cidHash);
        if (!ok) return false;
        return q.usageKey.hasWildcard(KeyWords.EXECUTE) || _lowestGroup(q, false, 0) != 0;
    }

    function canUseWallet(uint256 hash, uint256 cidHash, address pkpId) internal view returns (bool) {
        (bool ok,, Query memory q) = _load(hash, cidHash);
        if (!ok) return false;
        return _loadWallet(q, pkpId) && _lowestGroup(q, true, 0) != 0;
    }

    function canBoth(uint256 hash, uint256 cidHash, address pkpId)
        internal
        view
        returns (bool executes, bool usesWallet)
    {
        (bool ok,, Query memory q) = _load(hash, cidHash);
        if (!ok) return (false, false);
        if (q.usageKey.hasWildcard(KeyWords.EXECUTE)) {
            return (true, _loadWallet(q, pkpId) && _lowestGroup(q, true, 0) != 0);
        }
        if (!q.action.groups().isSpread() && !q.everyAction.groups().isSpread()) {
            usesWallet = _loadWallet(q, pkpId) && _lowestGroup(q, true, 0) != 0;
            return (usesWallet || _lowestGroup(q, false, 0) != 0, usesWallet);
        }
        // Many words: the first search decides about the action, and the second one reads none of the words before its group.
        uint256 groupId = _lowestGroup(q, false, 0);
        if (groupId == 0) return (false, false);
        return (true, _loadWallet(q, pkpId) && _lowestGroup(q, true, Bits.wordOf(groupId)) != 0);
    }

    /// @return ok True for a live usage key.
    /// @return refusal The rule by which any other hash runs nothing.
    function _load(uint256 hash, uint256 cidHash)
        private
        view
        returns (bool ok, IViewsFacet.ExecutionRule refusal, Query memory q)
    {
        EntryWord entry = S.loadEntry(hash);
        if (entry.kind() != Kinds.USAGE_KEY) {
            (,, AccountWord header,) = LibAccounts.tryResolve(hash);
            bool isAccount = header.exists();
            refusal = isAccount ? IViewsFacet.ExecutionRule.NotUsageKey : IViewsFacet.ExecutionRule.KeyUnknown;
            return (false, refusal, q);
        }
        q.usageKey = entry.asUsageKey();
        q.ref = entry.ref();
        q.master = S.loadMaster(q.ref);
        if (!q.master.exists()) return (false, IViewsFacet.ExecutionRule.KeyUnknown, q);
        AccountWord account = S.loadEntry(q.master.hashOf(q.ref)).asAccount();
        if (!LibAccounts.isLive(account, q.usageKey)) {
            return (false, IViewsFacet.ExecutionRule.KeyUnknown, q);
        }
        if (q.usageKey.isExpired()) return (false, IViewsFacet.ExecutionRule.KeyExpired, q);
        if (!q.usageKey.hasWildcard(KeyWords.EXECUTE)) {
            q.directory = LibGrants.directoryOf(q.ref, q.usageKey);
        }
        q.everyAction = S.loadItem(S.itemKey(q.ref, Kinds.ACTION, 0));
        bool known;
        (known,, q.action) = LibItems.load(q.ref, Kinds.ACTION, cidHash);
        if (!known) q.action = ItemWord.wrap(0);
        return (true, refusal, q);
    }

    /// @return known False for a wallet that the account has not registered, and for wallet 0.
    function _loadWallet(Query memory q, address pkpId) private view returns (bool known) {
        if (pkpId == address(0)) return false;
        (known,, q.wallet) = LibItems.load(q.ref, Kinds.WALLET, uint160(pkpId));
        if (known) {
            q.everyWallet = S.loadItem(S.itemKey(q.ref, Kinds.WALLET, 0));
        }
    }

    /// @notice Returns the lowest live group that the key may execute in and that permits the action (and the wallet), else 0.
    /// @param start The word of 256 groups to start from.
    function _lowestGroup(Query memory q, bool withWallet, uint256 start) private view returns (uint256) {
        S.Layout storage $ = S.load();
        uint256 from = start;
        uint256 last = q.master.lastWord();
        uint256 step = 1;
        bool wildcard = q.usageKey.hasWildcard(KeyWords.EXECUTE);
        if (!wildcard) (from, last, step) = LibGrants.words(q.usageKey, start, last);
        // Unchecked: adds to numbers below 2²⁴.
        unchecked {
            for (uint256 i = from; i <= last; i += step) {
                // Groups that the words of the wallets exclude cost no further read.
                if (withWallet && !q.wallet.groups().mayHold(q.everyWallet.groups(), i)) continue;
                uint256 bits = LibItems.itemWord($, q.ref, Kinds.ACTION, q.action, i)
                    | LibItems.itemWord($, q.ref, Kinds.ACTION, q.everyAction, i);
                if (bits == 0) continue;
                if (withWallet) {
                    bits &= LibItems.itemWord($, q.ref, Kinds.WALLET, q.wallet, i)
                    | LibItems.itemWord($, q.ref, Kinds.WALLET, q.everyWallet, i);
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
        return LibGrants.word(q.ref, q.usageKey, KeyWords.EXECUTE, word, q.directory);
    }

    /// @notice Reads the group's side of the memberships, which decides (see LibMemberships).
    function _permits(Query memory q, uint256 groupId, bool withWallet) private view returns (bool) {
        GroupWord group = GroupWord.wrap(S.load().groups[q.ref.above(groupId)].word);
        return _contains(q.ref, groupId, group, Kinds.ACTION, q.action, q.everyAction)
            && (!withWallet || _contains(q.ref, groupId, group, Kinds.WALLET, q.wallet, q.everyWallet));
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
