// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IErrors } from "../interfaces/IErrors.sol";
import { AccountConfigStorage as S } from "../storage/AccountConfigStorage.sol";
import { AccountWord } from "../storage/AccountWord.sol";
import { EntryWord, EntryWords } from "../storage/EntryWord.sol";
import { KeyWord } from "../storage/KeyWord.sol";
import { Kinds } from "../storage/Kinds.sol";
import { MasterWord } from "../storage/MasterWord.sol";
import { Ref } from "../storage/Ref.sol";

/// @title LibAccounts
/// @notice Which account a hash names. `docs/contract.md` has the states of a hash.
///
/// A hash resolves to the account's master hash, its ref, its header (the account word, 0 when there is no account) and the
/// usage-key word (0 when the hash is the master hash or an alias).
library LibAccounts {
    /// @notice Returns the identity of a wallet, which is the master hash of an account that it opens.
    function walletIdentity(address wallet) internal pure returns (uint256) {
        return uint256(keccak256(abi.encodePacked(wallet)));
    }

    /// @notice False for a usage key that removeAllUsageApiKeys has removed.
    /// @param header The account that the key names.
    function isLive(AccountWord header, KeyWord usageKey) internal pure returns (bool) {
        return usageKey.index() >= header.firstKey();
    }

    /// @notice True for a usage key of this account.
    function isKeyOf(Ref ref, AccountWord header, EntryWord entry) internal pure returns (bool) {
        return
            entry.kind() == Kinds.USAGE_KEY && entry.ref().equals(ref) && isLive(header, entry.asUsageKey());
    }

    /// @return masterHash The master hash of the account that the hash names. All four values are 0 when it names nothing, a
    /// rotated or removed key, anything of an evicted or retired account, or is the identity of a wallet that an account waits for.
    function tryResolve(uint256 hash)
        internal
        view
        returns (uint256 masterHash, Ref ref, AccountWord header, KeyWord usageKey)
    {
        EntryWord entry = S.loadEntry(hash);
        uint256 kind = entry.kind();
        if (kind == Kinds.ACCOUNT) {
            if (entry.asAccount().isRotated()) return (masterHash, ref, header, usageKey);
            header = entry.asAccount();
            return (hash, header.refOf(hash), header, usageKey);
        }
        if (!entry.exists() || _namesNothing(entry)) return (masterHash, ref, header, usageKey);
        Ref owner = entry.ref();
        MasterWord master = S.loadMaster(owner);
        if (!master.exists()) return (masterHash, ref, header, usageKey);
        uint256 found = master.hashOf(owner);
        AccountWord account = S.loadEntry(found).asAccount();
        if (kind == Kinds.USAGE_KEY) {
            if (!isLive(account, entry.asUsageKey())) return (masterHash, ref, header, usageKey);
            usageKey = entry.asUsageKey();
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
        if (!header.exists()) (masterHash, ref, header) = _rotated(hash);
    }

    function _rotated(uint256 hash) private view returns (uint256 masterHash, Ref ref, AccountWord header) {
        EntryWord entry = S.loadEntry(hash);
        header = entry.asAccount();
        ref = header.refOf(hash);
        bool isAccount = entry.kind() == Kinds.ACCOUNT && !header.isManaged();
        if (isAccount && S.loadMaster(ref).exists()) return (hash, ref, header);
        return (0, Ref.wrap(0), AccountWord.wrap(0));
    }

    function resolve(uint256 hash)
        internal
        view
        returns (uint256 masterHash, Ref ref, AccountWord header, KeyWord usageKey)
    {
        (masterHash, ref, header, usageKey) = tryResolve(hash);
        if (!header.exists()) (masterHash, ref, header) = _requireRotated(hash);
    }

    function _requireRotated(uint256 hash)
        private
        view
        returns (uint256 masterHash, Ref ref, AccountWord header)
    {
        (masterHash, ref, header) = _rotated(hash);
        if (header.exists()) return (masterHash, ref, header);
        if (isWaiting(hash, S.loadEntry(hash))) revert IErrors.AccountNotAccepted(hash);
        revert IErrors.AccountDoesNotExist(hash);
    }

    /// @notice True for the identity of a wallet that an account waits for.
    function isWaiting(uint256 hash, EntryWord entry) internal view returns (bool) {
        if (!entry.isAlias(EntryWords.PENDING)) return false;
        Ref ref = entry.ref();
        MasterWord master = S.loadMaster(ref);
        if (!master.exists()) return false;
        AccountWord header = S.loadEntry(master.hashOf(ref)).asAccount();
        return header.isPending() && walletIdentity(header.admin()) == hash;
    }

    /// @notice Resolves a hash for a call that no usage key may make, whoever the caller is.
    function resolveMaster(uint256 hash)
        internal
        view
        returns (uint256 masterHash, Ref ref, AccountWord header)
    {
        KeyWord usageKey;
        (masterHash, ref, header, usageKey) = resolve(hash);
        if (usageKey.exists()) revert IErrors.NotMasterAccount(hash);
    }

    /// @notice True for an ended hash, and for the identity of a wallet that an account waits for.
    function _namesNothing(EntryWord entry) private pure returns (bool) {
        return entry.isAlias(EntryWords.VOID | EntryWords.PENDING);
    }

    /// @notice Requires a hash that never was the hash of an account, an alias or a usage key. The entry of a removed key stays:
    /// the log publishes the hash, and a program that still uses the key would act in the account of a stranger who takes the hash.
    function requireUnused(uint256 hash) internal view {
        if (S.loadEntry(hash).exists()) revert IErrors.AccountAlreadyExists(hash);
    }

    /// @notice True when this account may add a usage key under the hash of this entry: the hash is unused, or its usage key of this
    /// account was removed, alone or by removeAllUsageApiKeys.
    function isFreeFor(Ref ref, AccountWord header, EntryWord entry) internal pure returns (bool) {
        if (!entry.exists()) return true;
        if (!entry.ref().equals(ref)) return false;
        if (entry.kind() == Kinds.USAGE_KEY) return !isLive(header, entry.asUsageKey());
        return entry.isAlias(EntryWords.REMOVED_KEY);
    }
}
