// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IViewsFacet } from "../interfaces/IViewsFacet.sol";
import { AccountConfigStorage as S } from "../storage/AccountConfigStorage.sol";
import { AccountWord } from "../storage/AccountWord.sol";
import { EntryWord, EntryWords } from "../storage/EntryWord.sol";
import { Kinds } from "../storage/Kinds.sol";
import { MasterWord } from "../storage/MasterWord.sol";
import { Ref } from "../storage/Ref.sol";
import { LibAccounts } from "./LibAccounts.sol";
import { LibIdentities } from "./LibIdentities.sol";

/// @title LibStates
/// @notice The state of a hash, and of the account that it names or belonged to.
library LibStates {
    function stateOf(uint256 hash) internal view returns (IViewsFacet.AccountState memory state) {
        EntryWord entry = S.loadEntry(hash);
        uint256 kind = entry.kind();
        if (kind == 0) return state;
        Ref ref = kind == Kinds.ACCOUNT ? entry.asAccount().refOf(hash) : entry.ref();
        MasterWord master = S.loadMaster(ref);
        if (!master.exists()) {
            // The identity of a wallet that chose no account: the account that waited for it has ended.
            if (entry.isAlias(EntryWords.PENDING)) return state;
            state.state = IViewsFacet.HashState.Ended;
            // An account that was evicted keeps its word, an account that was retired leaves an alias.
            if (kind == Kinds.ACCOUNT) state.masterApiKeyHash = hash;
            return state;
        }
        state.masterApiKeyHash = master.hashOf(ref);
        AccountWord header = S.loadEntry(state.masterApiKeyHash).asAccount();
        state.state = _stateOf(hash, entry, header);
        // An identity keeps no trace of an account that was accepted, taken back or transferred again.
        if (state.state == IViewsFacet.HashState.Unused) {
            state.masterApiKeyHash = 0;
            return state;
        }
        state.adminWalletAddress = header.admin();
        state.managed = header.isManaged();
        state.accepted = !header.isPending();
        state.giver = LibIdentities.giverOf(ref, header);
        state.rotated = header.isRotated();
        state.frozen = state.managed && S.load().payersFrozen;
        if (state.state == IViewsFacet.HashState.UsageKey) {
            state.expiration = entry.asUsageKey().expiration();
        }
    }

    /// @param header The account, which has not ended.
    function _stateOf(uint256 hash, EntryWord entry, AccountWord header)
        private
        view
        returns (IViewsFacet.HashState)
    {
        uint256 kind = entry.kind();
        if (kind == Kinds.ACCOUNT) {
            bool isRotated = header.isRotated();
            return isRotated ? IViewsFacet.HashState.Rotated : IViewsFacet.HashState.Account;
        }
        if (kind == Kinds.USAGE_KEY) {
            bool isLive = LibAccounts.isLive(header, entry.asUsageKey());
            return isLive ? IViewsFacet.HashState.UsageKey : IViewsFacet.HashState.Removed;
        }
        if (entry.has(EntryWords.PENDING)) {
            return
                LibAccounts.isWaiting(hash, entry)
                    ? IViewsFacet.HashState.Waiting
                    : IViewsFacet.HashState.Unused;
        }
        if (!entry.has(EntryWords.VOID)) return IViewsFacet.HashState.Account;
        bool isRemoved = entry.has(EntryWords.REMOVED_KEY);
        return isRemoved ? IViewsFacet.HashState.Removed : IViewsFacet.HashState.Rotated;
    }
}
