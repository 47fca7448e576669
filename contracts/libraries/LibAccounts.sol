// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IAccountWrites } from "../interfaces/IAccountWrites.sol";
import { IErrors } from "../interfaces/IErrors.sol";
import { IUsageKeyWrites } from "../interfaces/IUsageKeyWrites.sol";
import {
    AccountConfigStorage as S,
    AccountWord,
    EntryWord,
    KeyWord,
    MasterWord,
    Ref
} from "./AccountConfigStorage.sol";
import { LibDiamond } from "./LibDiamond.sol";
import { LibGrants } from "./LibGrants.sol";
import { EnumerableSet } from "@openzeppelin/contracts/utils/structs/EnumerableSet.sol";

/// @title LibAccounts
/// @notice Resolves hashes and authorises callers. Except for the owner of the diamond, all authorisation is here.
///
/// A hash resolves to the account's master hash, its ref, its header (the account word, 0 when there is no account) and the
/// usage-key word (0 when the hash is the master hash or an alias).
library LibAccounts {
    using EnumerableSet for EnumerableSet.AddressSet;

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

    /// @notice Returns the number of usage-key indices that an account has given out.
    function usageKeyCount(AccountWord header) internal pure returns (uint256) {
        return (AccountWord.unwrap(header) >> S.ACCOUNT_KEYS_SHIFT) & S.MAX_KEYS;
    }

    // -------------------------------------------------------------------------------------------- resolution

    /// @return masterHash The master hash of the account that the hash names. All four values are 0 when it names nothing, or
    /// a usage key or alias of an evicted account.
    function tryResolve(uint256 hash)
        internal
        view
        returns (uint256 masterHash, Ref ref, AccountWord header, KeyWord usageKey)
    {
        EntryWord entry = S.loadEntry(hash);
        uint256 kind = S.kindOf(entry);
        if (kind == S.KIND_ACCOUNT) {
            header = S.asAccount(entry);
            return (hash, refOf(hash, header), header, usageKey);
        }
        if (kind == 0) return (masterHash, ref, header, usageKey);
        Ref owner = S.refIn(entry);
        MasterWord master = S.loadMaster(owner);
        if (!S.exists(master)) return (masterHash, ref, header, usageKey);
        ref = owner;
        masterHash = S.masterHashOf(ref, master);
        header = S.asAccount(S.loadEntry(masterHash));
        if (kind == S.KIND_USAGE_KEY) usageKey = S.asUsageKey(entry);
    }

    function resolve(uint256 hash)
        internal
        view
        returns (uint256 masterHash, Ref ref, AccountWord header, KeyWord usageKey)
    {
        (masterHash, ref, header, usageKey) = tryResolve(hash);
        if (!S.exists(header)) revert IErrors.AccountDoesNotExist(hash);
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

    /// @notice True when an account or a usage key may be added under the hash of this entry. The hash of a usage key of an
    /// evicted account is free again. Its aliases are not: a former admin stays known as one.
    function isFree(EntryWord entry) internal view returns (bool) {
        if (S.kindOf(entry) != S.KIND_USAGE_KEY) return EntryWord.unwrap(entry) == 0;
        return !S.exists(S.loadMaster(S.refIn(entry)));
    }

    // ---------------------------------------------------------------------------------------------- callers

    function isApiPayer(address caller) internal view returns (bool) {
        return S.load().apiPayers.contains(caller);
    }

    /// @notice True for an api payer on a managed account, and for the admin wallet on a ChainSecured account.
    function mayWrite(AccountWord header, address caller) internal view returns (bool) {
        return isManaged(header) ? isApiPayer(caller) : adminOf(header) == caller;
    }

    function requireCaller(uint256 hash, AccountWord header) internal view {
        if (!mayWrite(header, msg.sender)) revert IErrors.NoAccountAccess(hash, msg.sender);
    }

    /// @notice Authorises a write that takes the master hash or an alias.
    function authorizeMaster(uint256 hash)
        internal
        view
        returns (uint256 masterHash, Ref ref, AccountWord header)
    {
        (masterHash, ref, header) = resolveMaster(hash);
        requireCaller(hash, header);
    }

    /// @notice Authorises a write that also takes a usage key with the flag `permission` in its word.
    function authorize(uint256 hash, uint256 permission)
        internal
        view
        returns (uint256 masterHash, Ref ref, AccountWord header, KeyWord usageKey)
    {
        (masterHash, ref, header, usageKey) = resolve(hash);
        if (S.exists(usageKey)) {
            requireNotExpired(hash, usageKey);
            if (!LibGrants.hasFlag(usageKey, permission)) {
                if (permission == LibGrants.CREATE_GROUPS) revert IErrors.NotAllowedToCreateGroup(hash);
                if (permission == LibGrants.DELETE_GROUPS) revert IErrors.NotAllowedToDeleteGroup(hash);
                revert IErrors.NotAllowedToCreatePkp(hash);
            }
        }
        requireCaller(hash, header);
    }

    /// @notice Authorises a write on one group that also takes a usage key with a grant of `list`.
    function authorizeInGroup(uint256 hash, uint256 list, uint256 groupId)
        internal
        view
        returns (uint256 masterHash, Ref ref, AccountWord header)
    {
        KeyWord usageKey;
        (masterHash, ref, header, usageKey) = resolve(hash);
        if (S.exists(usageKey)) {
            requireNotExpired(hash, usageKey);
            requireGrant(hash, ref, usageKey, list, groupId);
        }
        requireCaller(hash, header);
    }

    /// @param groupId The group, or 0 for the wildcard.
    function requireGrant(uint256 hash, Ref ref, KeyWord usageKey, uint256 list, uint256 groupId)
        internal
        view
    {
        if (LibGrants.has(ref, usageKey, list, groupId)) return;
        if (list == LibGrants.ADD_PKP) revert IErrors.NotAllowedToAddPkpToGroup(hash, groupId);
        if (list == LibGrants.REMOVE_PKP) revert IErrors.NotAllowedToRemovePkpFromGroup(hash, groupId);
        revert IErrors.NotAllowedToManageIPFSIdsInGroup(hash, groupId);
    }

    function requireNotExpired(uint256 hash, KeyWord usageKey) internal view {
        if (LibGrants.isExpired(usageKey)) revert IErrors.UsageApiKeyExpired(hash);
    }

    function requireConfigOperator() internal view {
        if (msg.sender != S.load().configOperator && msg.sender != LibDiamond.load().owner) {
            revert IErrors.OnlyConfigOperatorOrOwner(msg.sender);
        }
    }

    function requirePricingOperator() internal view {
        if (msg.sender != S.load().pricingOperator && msg.sender != LibDiamond.load().owner) {
            revert IErrors.OnlyPricingOperatorOrOwner(msg.sender);
        }
    }

    function requireApiPayer() internal view {
        if (!isApiPayer(msg.sender)) revert IErrors.OnlyApiPayer(msg.sender);
    }

    function requireApiPayerOrOwner() internal view {
        if (!isApiPayer(msg.sender) && msg.sender != LibDiamond.load().owner) {
            revert IErrors.OnlyApiPayerOrOwner(msg.sender);
        }
    }

    // ------------------------------------------------------------------------------------------------ writes

    /// @notice Opens an account under a hash whose entry is free, or that its wallet has just claimed.
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

    /// @notice Frees the identity of `wallet` from an account or usage key that was added under it as a key hash. A wallet's
    /// identity belongs to the wallet, and no key under that hash may lock it out (rule 9).
    /// AccountAlreadyExists when the wallet owns an account or ever was an admin.
    function claimIdentity(address wallet) internal returns (uint256 identity) {
        S.Layout storage $ = S.load();
        identity = walletIdentity(wallet);
        EntryWord entry = S.loadEntry(identity);
        if (EntryWord.unwrap(entry) == 0) return identity;
        uint256 kind = S.kindOf(entry);
        if (
            kind == S.KIND_ALIAS
                || (kind == S.KIND_ACCOUNT && EntryWord.unwrap(entry) & S.ACCOUNT_CLAIMED != 0)
        ) {
            revert IErrors.AccountAlreadyExists(identity);
        }
        if (kind == S.KIND_ACCOUNT) {
            Ref evicted = refOf(identity, S.asAccount(entry));
            $.masters[Ref.unwrap(evicted)].word = S.MASTER_EVICTED;
            emit IAccountWrites.AccountEvicted(identity, wallet);
        } else {
            (uint256 holder,, AccountWord header,) = tryResolve(identity);
            if (S.exists(header)) emit IUsageKeyWrites.UsageApiKeyRemoved(holder, identity);
            uint256 index = LibGrants.indexOf(S.asUsageKey(entry));
            delete $.usageKeys[S.keyOf(S.refIn(entry), index)];
        }
        delete $.entries[identity];
    }

    /// @notice Makes `admin` the admin wallet of a ChainSecured account and its identity an alias.
    function setAdmin(uint256 masterHash, Ref ref, AccountWord header, address admin) internal {
        S.Layout storage $ = S.load();
        uint256 word = AccountWord.unwrap(header)
            & ~(S.ACCOUNT_MANAGED | (uint256(type(uint160).max) << S.ACCOUNT_ADMIN_SHIFT))
            | (uint256(uint160(admin)) << S.ACCOUNT_ADMIN_SHIFT);
        // An account whose key hash is the identity of its new admin keeps it instead of an alias.
        if (walletIdentity(admin) == masterHash && word & S.ACCOUNT_CLAIMED == 0) {
            word |= S.ACCOUNT_CLAIMED;
        } else {
            $.entries[claimIdentity(admin)].word = S.KIND_ALIAS | (Ref.unwrap(ref) << S.REF_SHIFT);
        }
        saveHeader(masterHash, AccountWord.wrap(word));
    }

    /// @notice Stores the account word.
    function saveHeader(uint256 masterHash, AccountWord header) internal {
        S.load().entries[masterHash].word = AccountWord.unwrap(header);
    }
}
