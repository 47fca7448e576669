// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IErrors } from "../interfaces/IErrors.sol";
import {
    AccountConfigStorage as S,
    AccountWord,
    EntryWord,
    KeyWord,
    MasterWord,
    Ref
} from "./AccountConfigStorage.sol";
import { LibGrants } from "./LibGrants.sol";

/// @title LibAccounts
/// @notice The words of accounts, and which account a hash names. `docs/contract.md` has the states of a hash.
///
/// A hash resolves to the account's master hash, its ref, its header (the account word, 0 when there is no account) and the
/// usage-key word (0 when the hash is the master hash or an alias).
library LibAccounts {
    /// @notice Returns the identity of a wallet, which is the master hash of an account that it opens.
    function walletIdentity(address wallet) internal pure returns (uint256) {
        return uint256(keccak256(abi.encodePacked(wallet)));
    }

    function adminOf(AccountWord header) internal pure returns (address) {
        // The cast drops the fields above the address.
        return address(uint160(AccountWord.unwrap(header) >> S.ACCOUNT_ADMIN_SHIFT));
    }

    function isManaged(AccountWord header) internal pure returns (bool) {
        return AccountWord.unwrap(header) & S.ACCOUNT_MANAGED != 0;
    }

    /// @notice Returns the wallet that the account's paths are minted for: its admin wallet, 0 while it is managed.
    function minterOf(AccountWord header) internal pure returns (address) {
        return isManaged(header) ? address(0) : adminOf(header);
    }

    /// @notice Returns the number of usage-key indices that an account has given out.
    function usageKeyCount(AccountWord header) internal pure returns (uint256) {
        return (AccountWord.unwrap(header) >> S.ACCOUNT_KEYS_SHIFT) & S.MAX_KEYS;
    }

    /// @notice Returns the lowest index that a usage key may have. removeAllUsageApiKeys moves it behind all keys.
    function firstUsageKey(AccountWord header) internal pure returns (uint256) {
        return (AccountWord.unwrap(header) >> S.ACCOUNT_FIRST_KEY_SHIFT) & S.MAX_KEYS;
    }

    /// @notice False for a usage key that removeAllUsageApiKeys has removed.
    /// @param header The account that the key names.
    function isLive(AccountWord header, KeyWord usageKey) internal pure returns (bool) {
        return LibGrants.indexOf(usageKey) >= firstUsageKey(header);
    }

    /// @notice True for a usage key of this account.
    function isKeyOf(Ref ref, AccountWord header, EntryWord entry) internal pure returns (bool) {
        return S.kindOf(entry) == S.KIND_USAGE_KEY && Ref.unwrap(S.refIn(entry)) == Ref.unwrap(ref)
            && isLive(header, S.asUsageKey(entry));
    }

    // -------------------------------------------------------------------------------------------- resolution

    /// @return masterHash The master hash of the account that the hash names. All four values are 0 when it names nothing, a
    /// rotated or removed key, anything of an evicted or retired account, or is the identity of a wallet that an account waits for.
    function tryResolve(uint256 hash)
        internal
        view
        returns (uint256 masterHash, Ref ref, AccountWord header, KeyWord usageKey)
    {
        EntryWord entry = S.loadEntry(hash);
        uint256 kind = S.kindOf(entry);
        if (kind == S.KIND_ACCOUNT) {
            if (S.has(S.asAccount(entry), S.ACCOUNT_ROTATED)) return (masterHash, ref, header, usageKey);
            header = S.asAccount(entry);
            return (hash, refOf(hash, header), header, usageKey);
        }
        if (kind == 0 || _namesNothing(entry)) return (masterHash, ref, header, usageKey);
        Ref owner = S.refIn(entry);
        MasterWord master = S.loadMaster(owner);
        if (!S.exists(master)) return (masterHash, ref, header, usageKey);
        uint256 found = S.masterHashOf(owner, master);
        AccountWord account = S.asAccount(S.loadEntry(found));
        if (kind == S.KIND_USAGE_KEY) {
            if (!isLive(account, S.asUsageKey(entry))) return (masterHash, ref, header, usageKey);
            usageKey = S.asUsageKey(entry);
        }
        (masterHash, ref, header) = (found, owner, account);
    }

    /// @notice Resolves a hash for a caller who proves in another way that the account is theirs: the master hash names a
    /// ChainSecured account here also when its account key was rotated while it was managed.
    function tryResolveForWrite(uint256 hash)
        internal
        view
        returns (uint256 masterHash, Ref ref, AccountWord header, KeyWord usageKey)
    {
        (masterHash, ref, header, usageKey) = tryResolve(hash);
        if (!S.exists(header)) (masterHash, ref, header) = _rotated(hash);
    }

    function _rotated(uint256 hash) private view returns (uint256 masterHash, Ref ref, AccountWord header) {
        EntryWord entry = S.loadEntry(hash);
        header = S.asAccount(entry);
        ref = refOf(hash, header);
        bool isAccount = S.kindOf(entry) == S.KIND_ACCOUNT && !isManaged(header);
        if (isAccount && S.exists(S.loadMaster(ref))) return (hash, ref, header);
        return (0, Ref.wrap(0), AccountWord.wrap(0));
    }

    function resolve(uint256 hash)
        internal
        view
        returns (uint256 masterHash, Ref ref, AccountWord header, KeyWord usageKey)
    {
        (masterHash, ref, header, usageKey) = tryResolve(hash);
        if (!S.exists(header)) (masterHash, ref, header) = _requireRotated(hash);
    }

    function _requireRotated(uint256 hash)
        private
        view
        returns (uint256 masterHash, Ref ref, AccountWord header)
    {
        (masterHash, ref, header) = _rotated(hash);
        if (S.exists(header)) return (masterHash, ref, header);
        if (isWaiting(hash, S.loadEntry(hash))) revert IErrors.AccountNotAccepted(hash);
        revert IErrors.AccountDoesNotExist(hash);
    }

    /// @notice True for the identity of a wallet that an account waits for.
    function isWaiting(uint256 hash, EntryWord entry) internal view returns (bool) {
        if (S.kindOf(entry) != S.KIND_ALIAS || EntryWord.unwrap(entry) & S.ALIAS_PENDING == 0) return false;
        Ref ref = S.refIn(entry);
        MasterWord master = S.loadMaster(ref);
        if (!S.exists(master)) return false;
        AccountWord header = S.asAccount(S.loadEntry(S.masterHashOf(ref, master)));
        return S.has(header, S.ACCOUNT_PENDING) && walletIdentity(adminOf(header)) == hash;
    }

    /// @notice Resolves a hash for a call that no usage key may make, whoever the caller is.
    function resolveMaster(uint256 hash)
        internal
        view
        returns (uint256 masterHash, Ref ref, AccountWord header)
    {
        KeyWord usageKey;
        (masterHash, ref, header, usageKey) = resolve(hash);
        if (S.exists(usageKey)) revert IErrors.NotMasterAccount(hash);
    }

    /// @notice Returns the ref of an account by its master hash and header.
    function refOf(uint256 masterHash, AccountWord header) internal pure returns (Ref) {
        return S.refOf(masterHash, (AccountWord.unwrap(header) >> S.ACCOUNT_NAMESPACE_SHIFT) & 1);
    }

    /// @notice True for an ended hash, and for the identity of a wallet that an account waits for.
    function _namesNothing(EntryWord entry) private pure returns (bool) {
        return
            S.kindOf(entry) == S.KIND_ALIAS && EntryWord.unwrap(entry) & (S.ALIAS_VOID | S.ALIAS_PENDING) != 0;
    }

    /// @notice Requires a hash that never was one of an account, an alias or a usage key. The entry of a removed key stays: its
    /// log publishes the hash, and in the account of a stranger the program that still uses the key would work again.
    function requireUnused(uint256 hash) internal view {
        if (EntryWord.unwrap(S.loadEntry(hash)) != 0) revert IErrors.AccountAlreadyExists(hash);
    }

    /// @notice True when this account may add a usage key under the hash of this entry: it is unused, or was that of a usage key of
    /// this account, which was removed by itself or by removeAllUsageApiKeys.
    function isFreeFor(Ref ref, AccountWord header, EntryWord entry) internal pure returns (bool) {
        if (EntryWord.unwrap(entry) == 0) return true;
        if (Ref.unwrap(S.refIn(entry)) != Ref.unwrap(ref)) return false;
        uint256 kind = S.kindOf(entry);
        if (kind == S.KIND_USAGE_KEY) return !isLive(header, S.asUsageKey(entry));
        return kind == S.KIND_ALIAS && EntryWord.unwrap(entry) & S.ALIAS_REMOVED_KEY != 0;
    }

    // ------------------------------------------------------------------------------------------------ writes

    /// @notice Opens an account under a hash that is unused, or that its wallet has just claimed.
    function create(uint256 masterHash, uint256 namespace, address admin, bool managed) internal {
        S.Layout storage $ = S.load();
        S.Word storage master = $.masters[Ref.unwrap(S.refOf(masterHash, namespace))];
        // Another hash with the same lower 127 bits. It cannot be found for a given account, see AccountConfigStorage.
        if (master.word != 0) revert IErrors.AccountAlreadyExists(masterHash);
        $.entries[masterHash].word = S.KIND_ACCOUNT | (managed ? S.ACCOUNT_MANAGED : S.ACCOUNT_CLAIMED)
            | (namespace << S.ACCOUNT_NAMESPACE_SHIFT) | (uint256(uint160(admin)) << S.ACCOUNT_ADMIN_SHIFT);
        master.word = (masterHash & ~S.LOW_127) | S.MASTER_EXISTS;
        ++$.accountCount;
    }

    /// @notice Ends the hash of a usage key. It names nothing, and no other account ever uses it.
    /// @param flag ALIAS_REMOVED_KEY when this account may set it again, otherwise 0.
    function endUsageKey(uint256 hash, Ref ref, uint256 flag) internal {
        setAlias(hash, S.ALIAS_VOID | S.ALIAS_ACCOUNT_KEY | flag, ref);
    }

    function setAlias(uint256 hash, uint256 flags, Ref ref) internal {
        S.load().entries[hash].word = S.KIND_ALIAS | flags | (Ref.unwrap(ref) << S.REF_SHIFT);
    }

    /// @notice Makes `newHash` the account key of a managed account instead of `hash`, which never names anything again.
    /// @param header The account with the address of the new key.
    function rotate(uint256 hash, uint256 newHash, uint256 masterHash, Ref ref, AccountWord header) internal {
        if (hash == masterHash) {
            header = AccountWord.wrap(AccountWord.unwrap(header) | S.ACCOUNT_ROTATED);
        } else {
            S.load().entries[hash].word |= S.ALIAS_VOID;
        }
        saveHeader(masterHash, header);
        setAlias(newHash, S.ALIAS_ACCOUNT_KEY, ref);
    }

    /// @notice Ends an account for good. Nothing of it resolves, and none of its hashes and paths is used again.
    function retire(uint256 masterHash, Ref ref, AccountWord header) internal {
        S.load().masters[Ref.unwrap(ref)].word = S.MASTER_RETIRED;
        // The hash gives way to a wallet whose identity it is, unless that wallet had claimed it.
        uint256 flags = S.has(header, S.ACCOUNT_CLAIMED) ? 0 : S.ALIAS_ACCOUNT_KEY;
        setAlias(masterHash, flags | S.ALIAS_VOID, ref);
    }

    /// @notice The word of an account with another admin wallet.
    function withAdmin(AccountWord header, address admin) internal pure returns (AccountWord) {
        return AccountWord.wrap(
            AccountWord.unwrap(header) & ~(uint256(type(uint160).max) << S.ACCOUNT_ADMIN_SHIFT)
                | (uint256(uint160(admin)) << S.ACCOUNT_ADMIN_SHIFT)
        );
    }

    /// @notice Stores the account word.
    function saveHeader(uint256 masterHash, AccountWord header) internal {
        S.load().entries[masterHash].word = AccountWord.unwrap(header);
    }
}
