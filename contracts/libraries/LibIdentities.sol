// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IAccountWrites } from "../interfaces/IAccountWrites.sol";
import { IErrors } from "../interfaces/IErrors.sol";
import { IUsageKeyWrites } from "../interfaces/IUsageKeyWrites.sol";
import { AccountConfigStorage as S } from "../storage/AccountConfigStorage.sol";
import { AccountWord } from "../storage/AccountWord.sol";
import { EntryWord, EntryWords } from "../storage/EntryWord.sol";
import { Kinds } from "../storage/Kinds.sol";
import { LibMinters } from "../storage/LibMinters.sol";
import { MasterWord, MasterWords } from "../storage/MasterWord.sol";
import { Ref } from "../storage/Ref.sol";
import { LibAccountWrites } from "./LibAccountWrites.sol";
import { LibAccounts } from "./LibAccounts.sol";

/// @title LibIdentities
/// @notice Which account the identity of a wallet names: the one that the wallet chose, by opening, converting or accepting it.
library LibIdentities {
    /// @notice True when the wallet of this identity has chosen an account. False for whatever was put under it without the
    /// wallet: an account or usage key that was added under it as a key hash (rule 9), an account that waits for it (rule 14).
    function isTaken(uint256 identity) internal view returns (bool) {
        EntryWord entry = S.loadEntry(identity);
        uint256 kind = entry.kind();
        if (kind == Kinds.ACCOUNT) return entry.asAccount().isClaimed();
        return kind == Kinds.ALIAS && !entry.has(EntryWords.PENDING | EntryWords.ACCOUNT_KEY);
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
        if (!entry.exists()) return identity;
        uint256 kind = entry.kind();
        if (kind == Kinds.ACCOUNT) {
            _evict(entry.asAccount().refOf(identity), identity, wallet);
        } else {
            (uint256 holder, Ref ref, AccountWord header,) = LibAccounts.tryResolve(identity);
            if (kind == Kinds.ALIAS) {
                // A managed account is lost with its account key. Any other account keeps its other names.
                if (header.isManaged()) _evict(ref, holder, wallet);
            } else {
                if (header.exists()) emit IUsageKeyWrites.UsageApiKeyRemoved(holder, identity);
                uint256 index = entry.asUsageKey().index();
                delete $.usageKeys[entry.ref().above(index)];
            }
        }
        delete $.entries[identity];
    }

    function _evict(Ref ref, uint256 masterHash, address wallet) private {
        S.Word storage master = S.load().masters[Ref.unwrap(ref)];
        if (!MasterWord.wrap(master.word).exists()) return;
        master.word = MasterWords.EVICTED;
        emit IAccountWrites.AccountEvicted(masterHash, wallet);
    }

    /// @notice Makes `admin` the admin wallet of a managed account by its choice. Its identity becomes an alias for good.
    function convert(uint256 masterHash, Ref ref, AccountWord header, address admin) internal {
        header = _handOver(ref, header, admin).unmanaged();
        bool isOwnHash = LibAccounts.walletIdentity(admin) == masterHash && !header.isClaimed();
        // Stored first: an account whose key has this identity is no longer managed, so that the claim does not evict it.
        LibAccountWrites.save(masterHash, isOwnHash ? header.claimed() : header);
        if (!isOwnHash) LibAccountWrites.setAlias(claim(admin), 0, ref);
    }

    /// @notice Makes `admin` the admin wallet of a ChainSecured account without its choice. Its identity does not name the
    /// account until the wallet accepts it (rule 14).
    function transfer(uint256 masterHash, Ref ref, AccountWord header, address admin) internal {
        uint256 identity = LibAccounts.walletIdentity(admin);
        requireFree(identity);
        S.load().givers[Ref.unwrap(ref)] = header.admin();
        LibAccountWrites.save(masterHash, _handOver(ref, header, admin).pending());
        // Tells accountState which account waits, unless the hash has another entry.
        EntryWord entry = S.loadEntry(identity);
        bool isSet = !entry.exists() || entry.isAlias(EntryWords.PENDING);
        if (isSet) LibAccountWrites.setAlias(identity, EntryWords.PENDING, ref);
    }

    /// @notice Ends the wait for the admin wallet. Its identity names this account for good, unless the wallet has chosen another.
    function accept(uint256 masterHash, Ref ref, AccountWord header) internal returns (AccountWord accepted) {
        address admin = header.admin();
        uint256 identity = LibAccounts.walletIdentity(admin);
        accepted = header.settled();
        bool isNamed = !isTaken(identity);
        if (identity == masterHash) {
            accepted = accepted.claimed();
        } else if (isNamed) {
            LibAccountWrites.setAlias(claim(admin), 0, ref);
        }
        LibAccountWrites.save(masterHash, accepted);
        emit IAccountWrites.AccountAccepted(masterHash, admin, isNamed);
    }

    /// @notice Gives an account that was not accepted back to the wallet that transferred it.
    function cancelTransfer(uint256 masterHash, Ref ref, AccountWord header, address giver) internal {
        LibAccountWrites.save(masterHash, _handOver(ref, header, giver).settled());
    }

    /// @notice The wallet that transferred an account which its new admin has not accepted, else 0.
    function giverOf(Ref ref, AccountWord header) internal view returns (address) {
        return header.isPending() ? S.load().givers[Ref.unwrap(ref)] : address(0);
    }

    /// @notice Records the wallet that the account's paths were minted for, and returns the word with the new admin.
    function _handOver(Ref ref, AccountWord header, address admin) private returns (AccountWord) {
        LibMinters.record(ref, header.minter(), header.itemCount(Kinds.WALLET));
        return header.withAdmin(admin);
    }
}
