// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IViewsFacet } from "../interfaces/IViewsFacet.sol";
import {
    AccountConfigStorage as S,
    AccountWord,
    EntryWord,
    KeyWord,
    MasterWord,
    Ref
} from "./AccountConfigStorage.sol";
import { LibAccounts } from "./LibAccounts.sol";
import { LibGrants } from "./LibGrants.sol";
import { LibIdentities } from "./LibIdentities.sol";

/// @title LibStates
/// @notice The state of a hash, and of the account that it names or belonged to.
library LibStates {
    function stateOf(uint256 hash) internal view returns (IViewsFacet.AccountState memory state) {
        EntryWord entry = S.loadEntry(hash);
        uint256 kind = S.kindOf(entry);
        if (kind == 0) return state;
        Ref ref = kind == S.KIND_ACCOUNT ? LibAccounts.refOf(hash, S.asAccount(entry)) : S.refIn(entry);
        MasterWord master = S.loadMaster(ref);
        if (!S.exists(master)) {
            // The identity of a wallet that chose no account: the account that waited for it has ended.
            bool isPending = kind == S.KIND_ALIAS && EntryWord.unwrap(entry) & S.ALIAS_PENDING != 0;
            if (isPending) return state;
            state.state = IViewsFacet.HashState.Ended;
            // An account that was evicted keeps its word, an account that was retired leaves an alias.
            if (kind == S.KIND_ACCOUNT) state.masterApiKeyHash = hash;
            return state;
        }
        state.masterApiKeyHash = S.masterHashOf(ref, master);
        AccountWord header = S.asAccount(S.loadEntry(state.masterApiKeyHash));
        state.state = _stateOf(hash, entry, header);
        // Of an account that was accepted, taken back or transferred again, the identity knows nothing.
        if (state.state == IViewsFacet.HashState.Unused) {
            state.masterApiKeyHash = 0;
            return state;
        }
        state.adminWalletAddress = LibAccounts.adminOf(header);
        state.managed = LibAccounts.isManaged(header);
        state.accepted = !S.has(header, S.ACCOUNT_PENDING);
        state.giver = LibIdentities.giverOf(ref, header);
        state.rotated = S.has(header, S.ACCOUNT_ROTATED);
        state.frozen = state.managed && S.load().payersFrozen;
        if (state.state == IViewsFacet.HashState.UsageKey) {
            state.expiration = LibGrants.expirationOf(S.asUsageKey(entry));
        }
    }

    /// @param header The account, which has not ended.
    function _stateOf(uint256 hash, EntryWord entry, AccountWord header)
        private
        view
        returns (IViewsFacet.HashState)
    {
        uint256 kind = S.kindOf(entry);
        if (kind == S.KIND_ACCOUNT) {
            bool isRotated = S.has(header, S.ACCOUNT_ROTATED);
            return isRotated ? IViewsFacet.HashState.Rotated : IViewsFacet.HashState.Account;
        }
        if (kind == S.KIND_USAGE_KEY) {
            bool isLive = LibAccounts.isLive(header, S.asUsageKey(entry));
            return isLive ? IViewsFacet.HashState.UsageKey : IViewsFacet.HashState.Removed;
        }
        uint256 alias_ = EntryWord.unwrap(entry);
        if (alias_ & S.ALIAS_PENDING != 0) {
            return
                LibAccounts.isWaiting(hash, entry)
                    ? IViewsFacet.HashState.Waiting
                    : IViewsFacet.HashState.Unused;
        }
        if (alias_ & S.ALIAS_VOID == 0) return IViewsFacet.HashState.Account;
        bool isRemoved = alias_ & S.ALIAS_REMOVED_KEY != 0;
        return isRemoved ? IViewsFacet.HashState.Removed : IViewsFacet.HashState.Rotated;
    }
}
