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
import { LibItems } from "./LibItems.sol";
import { LibMinters } from "./LibMinters.sol";
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
    /// rotated or removed key, or anything of an evicted or retired account.
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
        if (kind == 0 || _isVoid(entry)) return (masterHash, ref, header, usageKey);
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

    function _isVoid(EntryWord entry) private pure returns (bool) {
        return S.kindOf(entry) == S.KIND_ALIAS && EntryWord.unwrap(entry) & S.ALIAS_VOID != 0;
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

    // ---------------------------------------------------------------------------------------------- callers

    /// @notice Returns the wallet that acts: the caller, or the signer that executeSigned appends to the calldata. Only
    /// executeSigned makes the diamond call itself, so a caller cannot append another wallet.
    function sender() internal view returns (address) {
        if (msg.sender != address(this)) return msg.sender;
        return address(bytes20(msg.data[msg.data.length - 20:]));
    }

    function isApiPayer(address caller) internal view returns (bool) {
        return S.load().activePayers[caller];
    }

    /// @notice True for an api payer on a managed account, and for the admin wallet on a ChainSecured account.
    function mayWrite(AccountWord header, address caller) internal view returns (bool) {
        return isManaged(header) ? isApiPayer(caller) : adminOf(header) == caller;
    }

    function requireCaller(uint256 hash, AccountWord header) internal view {
        address caller = sender();
        if (mayWrite(header, caller)) return;
        if (isManaged(header)) _refuseFrozen(caller);
        revert IErrors.NoAccountAccess(hash, caller);
    }

    /// @notice Requires that the caller may write the account. The first write by a wallet that got the account by a transfer
    /// accepts it.
    /// @return entered The account word after the acceptance.
    function enter(uint256 hash, uint256 masterHash, Ref ref, AccountWord header)
        internal
        returns (AccountWord entered)
    {
        if (isManaged(header)) {
            if (isApiPayer(sender())) return header;
        } else if (adminOf(header) == sender()) {
            return S.has(header, S.ACCOUNT_PENDING) ? _accept(masterHash, ref, header) : header;
        }
        // Any other caller: reverts.
        requireCaller(hash, header);
    }

    /// @notice Authorises a write that takes the master hash or an alias.
    function authorizeMaster(uint256 hash)
        internal
        returns (uint256 masterHash, Ref ref, AccountWord header)
    {
        (masterHash, ref, header) = resolveMaster(hash);
        header = enter(hash, masterHash, ref, header);
    }

    /// @notice Authorises a write that also takes a usage key with the flag `permission` in its word.
    function authorize(uint256 hash, uint256 permission)
        internal
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
        // A wallet of the caller must not get under keys of a giver because its identity names an account that the caller
        // did not choose.
        if (
            permission == LibGrants.CREATE_PKPS && S.has(header, S.ACCOUNT_PENDING)
                && hash == walletIdentity(adminOf(header))
        ) revert IErrors.AccountNotAccepted(hash);
        header = enter(hash, masterHash, ref, header);
    }

    /// @notice Authorises a write on one group that also takes a usage key with a grant of `list`.
    function authorizeInGroup(uint256 hash, uint256 list, uint256 groupId)
        internal
        returns (uint256 masterHash, Ref ref, AccountWord header)
    {
        KeyWord usageKey;
        (masterHash, ref, header, usageKey) = resolve(hash);
        if (S.exists(usageKey)) {
            requireNotExpired(hash, usageKey);
            requireGrant(hash, ref, usageKey, list, groupId);
        }
        header = enter(hash, masterHash, ref, header);
    }

    /// @notice Authorises a write on one group that also takes a usage key with grants of two lists, each if it is needed.
    function authorizeInGroup(
        uint256 hash,
        uint256 first,
        bool needsFirst,
        uint256 second,
        bool needsSecond,
        uint256 groupId
    ) internal returns (uint256 masterHash, Ref ref, AccountWord header) {
        KeyWord usageKey;
        (masterHash, ref, header, usageKey) = resolve(hash);
        if (S.exists(usageKey)) {
            requireNotExpired(hash, usageKey);
            if (needsFirst) requireGrant(hash, ref, usageKey, first, groupId);
            if (needsSecond) requireGrant(hash, ref, usageKey, second, groupId);
        }
        header = enter(hash, masterHash, ref, header);
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
        if (isApiPayer(msg.sender)) return;
        _refuseFrozen(msg.sender);
        revert IErrors.OnlyApiPayer(msg.sender);
    }

    function requireApiPayerOrOwner() internal view {
        if (isApiPayer(msg.sender) || msg.sender == LibDiamond.load().owner) return;
        _refuseFrozen(msg.sender);
        revert IErrors.OnlyApiPayerOrOwner(msg.sender);
    }

    function requireGuardianOrOwner() internal view {
        if (msg.sender != S.load().guardian && msg.sender != LibDiamond.load().owner) {
            revert IErrors.OnlyGuardianOrOwner(msg.sender);
        }
    }

    /// @notice Tells an api payer that is refused whether it is frozen.
    function _refuseFrozen(address caller) private view {
        S.Layout storage $ = S.load();
        if ($.payersFrozen && $.apiPayers.contains(caller)) revert IErrors.ApiPayersAreFrozen(caller);
    }

    /// @notice Counts a conversion of this day against the limit.
    function countConversion() internal {
        S.Layout storage $ = S.load();
        if (!$.conversionsLimited) return;
        uint256 made = conversionsToday();
        if (made >= $.conversionsPerDay) revert IErrors.ConversionLimitReached($.conversionsPerDay);
        // The casts are safe: a day, and a number up to the limit.
        ($.conversionDay, $.conversionsOnDay) = (uint64(block.timestamp / 1 days), uint64(made + 1));
    }

    function conversionsToday() internal view returns (uint256) {
        S.Layout storage $ = S.load();
        return $.conversionDay == block.timestamp / 1 days ? $.conversionsOnDay : 0;
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

    /// @notice Frees the identity of `wallet` from whatever was put under it without the wallet: an account or usage key that
    /// was added under it as a key hash (rule 9), or an account that was transferred to the wallet (rule 14).
    /// AccountAlreadyExists when the wallet owns an account or ever was an admin by its own choice.
    function claimIdentity(address wallet) internal returns (uint256 identity) {
        S.Layout storage $ = S.load();
        identity = walletIdentity(wallet);
        EntryWord entry = S.loadEntry(identity);
        if (EntryWord.unwrap(entry) == 0) return identity;
        uint256 kind = S.kindOf(entry);
        if (kind == S.KIND_ACCOUNT) {
            AccountWord header = S.asAccount(entry);
            if (S.has(header, S.ACCOUNT_CLAIMED)) revert IErrors.AccountAlreadyExists(identity);
            _evict(refOf(identity, header), identity, wallet);
        } else if (kind == S.KIND_ALIAS) {
            if (EntryWord.unwrap(entry) & (S.ALIAS_PENDING | S.ALIAS_ACCOUNT_KEY) == 0) {
                revert IErrors.AccountAlreadyExists(identity);
            }
            (uint256 masterHash, Ref ref, AccountWord header,) = tryResolve(identity);
            // A managed account is lost with its account key. Any other account keeps its other names.
            if (isManaged(header)) _evict(ref, masterHash, wallet);
        } else {
            (uint256 holder,, AccountWord header,) = tryResolve(identity);
            if (S.exists(header)) emit IUsageKeyWrites.UsageApiKeyRemoved(holder, identity);
            uint256 index = LibGrants.indexOf(S.asUsageKey(entry));
            delete $.usageKeys[S.keyOf(S.refIn(entry), index)];
        }
        delete $.entries[identity];
    }

    function _evict(Ref ref, uint256 masterHash, address wallet) private {
        S.Word storage master = S.load().masters[Ref.unwrap(ref)];
        if (!S.exists(MasterWord.wrap(master.word))) return;
        master.word = S.MASTER_EVICTED;
        emit IAccountWrites.AccountEvicted(masterHash, wallet);
    }

    /// @notice Makes `admin` the admin wallet of a ChainSecured account by its choice. Its identity becomes an alias for good.
    function convert(uint256 masterHash, Ref ref, AccountWord header, address admin) internal {
        _recordMinter(ref, header);
        header = _withAdmin(header, admin);
        bool isOwnHash = walletIdentity(admin) == masterHash && !S.has(header, S.ACCOUNT_CLAIMED);
        // Stored first: an account whose key has this identity is no longer managed, so that the claim does not evict it.
        saveHeader(masterHash, isOwnHash ? _claimed(header) : header);
        if (!isOwnHash) _setAlias(claimIdentity(admin), 0, ref);
    }

    /// @notice Makes `admin` the admin wallet of a ChainSecured account without its choice. Its identity becomes an alias until
    /// the wallet chooses an account (rule 14). While several accounts wait for the choice, the identity names none of them:
    /// no giver can direct the wallet's writes to an account of theirs.
    function transfer(uint256 masterHash, Ref ref, AccountWord header, address admin) internal {
        uint256 identity = walletIdentity(admin);
        _recordMinter(ref, header);
        header = AccountWord.wrap(AccountWord.unwrap(_withAdmin(header, admin)) | S.ACCOUNT_PENDING);
        // An account whose key hash is the identity of its new admin keeps it instead of an alias.
        if (identity != masterHash || S.has(header, S.ACCOUNT_CLAIMED)) {
            uint256 waiting = _isWaitedFor(identity) ? S.ALIAS_VOID : 0;
            _setAlias(claimIdentity(admin), S.ALIAS_PENDING | waiting, ref);
        }
        saveHeader(masterHash, header);
    }

    /// @notice True when another account was transferred to the wallet of this identity, which has chosen none yet.
    function _isWaitedFor(uint256 identity) private view returns (bool) {
        EntryWord entry = S.loadEntry(identity);
        if (S.kindOf(entry) != S.KIND_ALIAS || EntryWord.unwrap(entry) & S.ALIAS_PENDING == 0) return false;
        return _isVoid(entry) || S.exists(S.loadMaster(S.refIn(entry)));
    }

    /// @notice The first write by a wallet that got the account by a transfer. Its identity names this account for good, unless
    /// the wallet has chosen another one before.
    function _accept(uint256 masterHash, Ref ref, AccountWord header) private returns (AccountWord accepted) {
        address admin = adminOf(header);
        uint256 identity = walletIdentity(admin);
        accepted = AccountWord.wrap(AccountWord.unwrap(header) & ~S.ACCOUNT_PENDING);
        EntryWord entry = S.loadEntry(identity);
        bool isOwnHash = identity == masterHash;
        if (isOwnHash) {
            accepted = _claimed(accepted);
        } else if (S.kindOf(entry) == S.KIND_ALIAS && EntryWord.unwrap(entry) & S.ALIAS_PENDING != 0) {
            _setAlias(identity, 0, ref);
            isOwnHash = true;
        }
        if (isOwnHash) emit IAccountWrites.AccountAccepted(masterHash, admin);
        saveHeader(masterHash, accepted);
    }

    /// @notice Records the wallet that the account's paths were minted for, before it changes.
    function _recordMinter(Ref ref, AccountWord header) private {
        LibMinters.record(ref, minterOf(header), LibItems.countOf(header, LibItems.WALLET));
    }

    /// @notice Ends the hash of a usage key. It names nothing, and no other account ever uses it.
    /// @param flag ALIAS_REMOVED_KEY when this account may set it again, otherwise 0.
    function endUsageKey(uint256 hash, Ref ref, uint256 flag) internal {
        _setAlias(hash, S.ALIAS_VOID | S.ALIAS_ACCOUNT_KEY | flag, ref);
    }

    function _setAlias(uint256 hash, uint256 flags, Ref ref) private {
        S.load().entries[hash].word = S.KIND_ALIAS | flags | (Ref.unwrap(ref) << S.REF_SHIFT);
    }

    /// @notice The word of an account whose hash is the identity of its admin wallet, which has chosen it.
    function _claimed(AccountWord header) private pure returns (AccountWord) {
        return AccountWord.wrap(AccountWord.unwrap(header) & ~S.ACCOUNT_ROTATED | S.ACCOUNT_CLAIMED);
    }

    /// @notice The word of a ChainSecured account with another admin wallet.
    function _withAdmin(AccountWord header, address admin) private pure returns (AccountWord) {
        return AccountWord.wrap(
            AccountWord.unwrap(header)
                & ~(S.ACCOUNT_MANAGED | (uint256(type(uint160).max) << S.ACCOUNT_ADMIN_SHIFT))
                | (uint256(uint160(admin)) << S.ACCOUNT_ADMIN_SHIFT)
        );
    }

    /// @notice Makes `newHash` the account key of a managed account instead of `hash`, which never names anything again.
    function rotate(uint256 hash, uint256 newHash, uint256 masterHash, Ref ref, AccountWord header) internal {
        if (hash == masterHash) {
            saveHeader(masterHash, AccountWord.wrap(AccountWord.unwrap(header) | S.ACCOUNT_ROTATED));
        } else {
            S.load().entries[hash].word |= S.ALIAS_VOID;
        }
        _setAlias(newHash, S.ALIAS_ACCOUNT_KEY, ref);
    }

    /// @notice Ends an account for good. Nothing of it resolves, and none of its hashes and paths is used again.
    function retire(uint256 masterHash, Ref ref, AccountWord header) internal {
        S.load().masters[Ref.unwrap(ref)].word = S.MASTER_RETIRED;
        // The hash gives way to a wallet whose identity it is, unless that wallet had claimed it.
        uint256 flags = S.has(header, S.ACCOUNT_CLAIMED) ? 0 : S.ALIAS_ACCOUNT_KEY;
        _setAlias(masterHash, flags | S.ALIAS_VOID, ref);
    }

    /// @notice Stores the account word.
    function saveHeader(uint256 masterHash, AccountWord header) internal {
        S.load().entries[masterHash].word = AccountWord.unwrap(header);
    }
}
