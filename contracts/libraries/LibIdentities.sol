// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IAccountWrites } from "../interfaces/IAccountWrites.sol";
import { IErrors } from "../interfaces/IErrors.sol";
import { IUsageKeyWrites } from "../interfaces/IUsageKeyWrites.sol";
import {
    AccountConfigStorage as S,
    AccountWord,
    EntryWord,
    MasterWord,
    Ref
} from "./AccountConfigStorage.sol";
import { LibAccounts } from "./LibAccounts.sol";
import { LibGrants } from "./LibGrants.sol";
import { LibItems } from "./LibItems.sol";
import { LibMinters } from "./LibMinters.sol";

/// @title LibIdentities
/// @notice Which account the identity of a wallet names: the one that the wallet chose, by opening, converting or accepting it.
library LibIdentities {
    /// @notice True when the wallet of this identity has chosen an account. False for whatever was put under it without the
    /// wallet: an account or usage key that was added under it as a key hash (rule 9), an account that waits for it (rule 14).
    function isTaken(uint256 identity) internal view returns (bool) {
        EntryWord entry = S.loadEntry(identity);
        uint256 kind = S.kindOf(entry);
        if (kind == S.KIND_ACCOUNT) return S.has(S.asAccount(entry), S.ACCOUNT_CLAIMED);
        return kind == S.KIND_ALIAS && EntryWord.unwrap(entry) & (S.ALIAS_PENDING | S.ALIAS_ACCOUNT_KEY) == 0;
    }

    function requireFree(uint256 identity) internal view {
        if (isTaken(identity)) revert IErrors.AccountAlreadyExists(identity);
    }

    /// @notice Frees the identity of `wallet` from whatever was put under it without the wallet. AccountAlreadyExists when the
    /// wallet owns an account or ever was an admin by its own choice.
    function claim(address wallet) internal returns (uint256 identity) {
        S.Layout storage $ = S.load();
        identity = LibAccounts.walletIdentity(wallet);
        requireFree(identity);
        EntryWord entry = S.loadEntry(identity);
        if (EntryWord.unwrap(entry) == 0) return identity;
        uint256 kind = S.kindOf(entry);
        if (kind == S.KIND_ACCOUNT) {
            _evict(LibAccounts.refOf(identity, S.asAccount(entry)), identity, wallet);
        } else {
            (uint256 holder, Ref ref, AccountWord header,) = LibAccounts.tryResolve(identity);
            if (kind == S.KIND_ALIAS) {
                // A managed account is lost with its account key. Any other account keeps its other names.
                if (LibAccounts.isManaged(header)) _evict(ref, holder, wallet);
            } else {
                if (S.exists(header)) emit IUsageKeyWrites.UsageApiKeyRemoved(holder, identity);
                uint256 index = LibGrants.indexOf(S.asUsageKey(entry));
                delete $.usageKeys[S.keyOf(S.refIn(entry), index)];
            }
        }
        delete $.entries[identity];
    }

    function _evict(Ref ref, uint256 masterHash, address wallet) private {
        S.Word storage master = S.load().masters[Ref.unwrap(ref)];
        if (!S.exists(MasterWord.wrap(master.word))) return;
        master.word = S.MASTER_EVICTED;
        emit IAccountWrites.AccountEvicted(masterHash, wallet);
    }

    /// @notice Makes `admin` the admin wallet of a managed account by its choice. Its identity becomes an alias for good.
    function convert(uint256 masterHash, Ref ref, AccountWord header, address admin) internal {
        header = _handOver(ref, header, admin, ~S.ACCOUNT_MANAGED);
        bool isOwnHash = LibAccounts.walletIdentity(admin) == masterHash && !S.has(header, S.ACCOUNT_CLAIMED);
        // Stored first: an account whose key has this identity is no longer managed, so that the claim does not evict it.
        LibAccounts.saveHeader(masterHash, isOwnHash ? _claimed(header) : header);
        if (!isOwnHash) LibAccounts.setAlias(claim(admin), 0, ref);
    }

    /// @notice Makes `admin` the admin wallet of a ChainSecured account without its choice. Its identity does not name the
    /// account until the wallet accepts it (rule 14).
    function transfer(uint256 masterHash, Ref ref, AccountWord header, address admin) internal {
        uint256 identity = LibAccounts.walletIdentity(admin);
        requireFree(identity);
        S.load().givers[Ref.unwrap(ref)] = LibAccounts.adminOf(header);
        header = _handOver(ref, header, admin, type(uint256).max);
        LibAccounts.saveHeader(masterHash, AccountWord.wrap(AccountWord.unwrap(header) | S.ACCOUNT_PENDING));
        // Tells accountState which account waits, where nothing else has the hash.
        EntryWord entry = S.loadEntry(identity);
        bool isWaiting = S.kindOf(entry) == S.KIND_ALIAS && EntryWord.unwrap(entry) & S.ALIAS_PENDING != 0;
        if (isWaiting || EntryWord.unwrap(entry) == 0) LibAccounts.setAlias(identity, S.ALIAS_PENDING, ref);
    }

    /// @notice Ends the wait for the admin wallet. Its identity names this account for good, unless the wallet has chosen another.
    function accept(uint256 masterHash, Ref ref, AccountWord header) internal returns (AccountWord accepted) {
        address admin = LibAccounts.adminOf(header);
        uint256 identity = LibAccounts.walletIdentity(admin);
        accepted = _settled(header);
        bool isNamed = !isTaken(identity);
        if (identity == masterHash) {
            accepted = _claimed(accepted);
        } else if (isNamed) {
            LibAccounts.setAlias(claim(admin), 0, ref);
        }
        LibAccounts.saveHeader(masterHash, accepted);
        emit IAccountWrites.AccountAccepted(masterHash, admin, isNamed);
    }

    /// @notice Gives an account that was not accepted back to the wallet that transferred it.
    function cancelTransfer(uint256 masterHash, Ref ref, AccountWord header, address giver) internal {
        LibAccounts.saveHeader(masterHash, _settled(_handOver(ref, header, giver, type(uint256).max)));
    }

    /// @notice The wallet that transferred an account which its new admin has not accepted, else 0.
    function giverOf(Ref ref, AccountWord header) internal view returns (address) {
        return S.has(header, S.ACCOUNT_PENDING) ? S.load().givers[Ref.unwrap(ref)] : address(0);
    }

    /// @notice Records the wallet that the account's paths were minted for, and returns the word with the new admin.
    function _handOver(Ref ref, AccountWord header, address admin, uint256 kept)
        private
        returns (AccountWord)
    {
        LibMinters.record(ref, LibAccounts.minterOf(header), LibItems.countOf(header, LibItems.WALLET));
        return AccountWord.wrap(AccountWord.unwrap(LibAccounts.withAdmin(header, admin)) & kept);
    }

    function _settled(AccountWord header) private pure returns (AccountWord) {
        return AccountWord.wrap(AccountWord.unwrap(header) & ~S.ACCOUNT_PENDING);
    }

    /// @notice The word of an account whose hash is the identity of its admin wallet, which has chosen it.
    function _claimed(AccountWord header) private pure returns (AccountWord) {
        return AccountWord.wrap(AccountWord.unwrap(header) & ~S.ACCOUNT_ROTATED | S.ACCOUNT_CLAIMED);
    }
}
