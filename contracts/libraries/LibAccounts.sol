// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IAccountWrites } from "../interfaces/IAccountWrites.sol";
import { IErrors } from "../interfaces/IErrors.sol";
import { IUsageKeyWrites } from "../interfaces/IUsageKeyWrites.sol";
import { AccountConfigStorage as S } from "./AccountConfigStorage.sol";
import { LibDiamond } from "./LibDiamond.sol";
import { LibGrants } from "./LibGrants.sol";
import { EnumerableSet } from "@openzeppelin/contracts/utils/structs/EnumerableSet.sol";

/// @title LibAccounts
/// @notice What a hash names and who may write it: the only authorisation code, the owner of the diamond apart.
///
/// A hash resolves to four words: the account's master hash, its ref and its header (the account word, 0 when there is no
/// account), and the usage-key word, 0 when the hash is the master hash or an alias.
library LibAccounts {
    using EnumerableSet for EnumerableSet.AddressSet;

    /// @notice The identity of a wallet, which is the master hash of an account that it opens.
    function walletIdentity(address wallet) internal pure returns (uint256) {
        return uint256(keccak256(abi.encodePacked(wallet)));
    }

    function adminOf(uint256 header) internal pure returns (address) {
        // The upper bits are cut on purpose: the word holds other fields above.
        return address(uint160(header >> S.ACCOUNT_ADMIN_SHIFT));
    }

    function isManaged(uint256 header) internal pure returns (bool) {
        return header & S.ACCOUNT_MANAGED != 0;
    }

    // -------------------------------------------------------------------------------------------- resolution

    /// @return masterHash What the hash names; all four are 0 when it names nothing, or a usage key or alias of an evicted
    /// account.
    function tryResolve(uint256 hash)
        internal
        view
        returns (uint256 masterHash, uint256 ref, uint256 header, uint256 usageKey)
    {
        S.Layout storage $ = S.load();
        uint256 entry = $.entries[hash].word;
        uint256 kind = entry & S.KIND_MASK;
        if (kind == S.KIND_ACCOUNT) return (hash, refOf(hash, entry), entry, 0);
        if (kind == 0) return (0, 0, 0, 0);
        ref = entry >> S.REF_SHIFT;
        uint256 master = $.masters[ref].word;
        if (master & S.MASTER_EXISTS == 0) return (0, 0, 0, 0);
        masterHash = S.masterHashOf(ref, master);
        header = $.entries[masterHash].word;
        if (kind == S.KIND_USAGE_KEY) usageKey = entry;
    }

    function resolve(uint256 hash)
        internal
        view
        returns (uint256 masterHash, uint256 ref, uint256 header, uint256 usageKey)
    {
        (masterHash, ref, header, usageKey) = tryResolve(hash);
        if (header == 0) revert IErrors.AccountDoesNotExist(hash);
    }

    /// @notice For calls that no usage key may make, whoever the caller is.
    function resolveMaster(uint256 hash)
        internal
        view
        returns (uint256 masterHash, uint256 ref, uint256 header)
    {
        uint256 usageKey;
        (masterHash, ref, header, usageKey) = resolve(hash);
        if (usageKey != 0) revert IErrors.NotMasterAccount(hash);
    }

    /// @return The ref of the account whose hash and word these are.
    function refOf(uint256 masterHash, uint256 header) internal pure returns (uint256) {
        return S.refOf(masterHash, (header >> S.ACCOUNT_NAMESPACE_SHIFT) & 1);
    }

    /// @notice May an account or a usage key be made under the hash of this word? That of an evicted account's usage key
    /// is free again; its aliases are not: who was an admin stays known as one.
    function isFree(uint256 entry) internal view returns (bool) {
        if (entry & S.KIND_MASK != S.KIND_USAGE_KEY) return entry == 0;
        return S.load().masters[entry >> S.REF_SHIFT].word & S.MASTER_EXISTS == 0;
    }

    // ---------------------------------------------------------------------------------------------- callers

    function isApiPayer(address caller) internal view returns (bool) {
        return S.load().apiPayers.contains(caller);
    }

    /// @notice An api payer writes a managed account, the admin wallet a ChainSecured one, nobody else any.
    function mayWrite(uint256 header, address caller) internal view returns (bool) {
        return isManaged(header) ? isApiPayer(caller) : adminOf(header) == caller;
    }

    function requireCaller(uint256 hash, uint256 header) internal view {
        if (!mayWrite(header, msg.sender)) revert IErrors.NoAccountAccess(hash, msg.sender);
    }

    /// @notice For writes that take the master hash or an alias.
    function authorizeMaster(uint256 hash)
        internal
        view
        returns (uint256 masterHash, uint256 ref, uint256 header)
    {
        (masterHash, ref, header) = resolveMaster(hash);
        requireCaller(hash, header);
    }

    /// @notice For writes that a usage key may be permitted too: the flag `permission` of its word.
    function authorize(uint256 hash, uint256 permission)
        internal
        view
        returns (uint256 masterHash, uint256 ref, uint256 header, uint256 usageKey)
    {
        (masterHash, ref, header, usageKey) = resolve(hash);
        if (usageKey != 0) {
            requireNotExpired(hash, usageKey);
            if (usageKey & permission == 0) {
                if (permission == LibGrants.CREATE_GROUPS) {
                    revert IErrors.NotAllowedToCreateGroup(hash);
                }
                if (permission == LibGrants.DELETE_GROUPS) {
                    revert IErrors.NotAllowedToDeleteGroup(hash);
                }
                revert IErrors.NotAllowedToCreatePkp(hash);
            }
        }
        requireCaller(hash, header);
    }

    /// @notice For writes on one group that a usage key may be permitted too, by its grants of `list`.
    function authorizeInGroup(uint256 hash, uint256 list, uint256 groupId)
        internal
        view
        returns (uint256 masterHash, uint256 ref, uint256 header)
    {
        uint256 usageKey;
        (masterHash, ref, header, usageKey) = resolve(hash);
        if (usageKey != 0) {
            requireNotExpired(hash, usageKey);
            requireGrant(hash, ref, usageKey, list, groupId);
        }
        requireCaller(hash, header);
    }

    /// @param groupId The group, or 0 for the wildcard.
    function requireGrant(uint256 hash, uint256 ref, uint256 usageKey, uint256 list, uint256 groupId)
        internal
        view
    {
        if (LibGrants.has(ref, usageKey, list, groupId)) return;
        if (list == LibGrants.ADD_PKP) revert IErrors.NotAllowedToAddPkpToGroup(hash, groupId);
        if (list == LibGrants.REMOVE_PKP) {
            revert IErrors.NotAllowedToRemovePkpFromGroup(hash, groupId);
        }
        revert IErrors.NotAllowedToManageIPFSIdsInGroup(hash, groupId);
    }

    function requireNotExpired(uint256 hash, uint256 usageKey) internal view {
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

    /// @notice Opens an account under a hash whose entry is free (or is being taken by its wallet).
    function create(uint256 masterHash, uint256 namespace, address admin, bool managed) internal {
        S.Layout storage $ = S.load();
        uint256 ref = S.refOf(masterHash, namespace);
        S.Word storage master = $.masters[ref];
        // Another hash with the same lower 127 bits: nobody finds one for a given account, see AccountConfigStorage.
        if (master.word != 0) revert IErrors.AccountAlreadyExists(masterHash);
        $.entries[masterHash].word = S.KIND_ACCOUNT | (managed ? S.ACCOUNT_MANAGED : S.ACCOUNT_CLAIMED)
            | (namespace << S.ACCOUNT_NAMESPACE_SHIFT) | (uint256(uint160(admin)) << S.ACCOUNT_ADMIN_SHIFT);
        master.word = (masterHash & ~S.LOW_127) | S.MASTER_EXISTS;
        ++$.accountCount;
    }

    /// @notice Frees the identity of `wallet` from whatever took it as a key hash: a wallet's identity is its own, and
    /// a usage key or a managed account under that hash must not lock the wallet out (rule 9).
    /// AccountAlreadyExists when the wallet owns an account or ever was an admin.
    function claimIdentity(address wallet) internal returns (uint256 identity) {
        S.Layout storage $ = S.load();
        identity = walletIdentity(wallet);
        uint256 entry = $.entries[identity].word;
        if (entry == 0) return identity;
        uint256 kind = entry & S.KIND_MASK;
        if (kind == S.KIND_ALIAS || (kind == S.KIND_ACCOUNT && entry & S.ACCOUNT_CLAIMED != 0)) {
            revert IErrors.AccountAlreadyExists(identity);
        }
        if (kind == S.KIND_ACCOUNT) {
            $.masters[refOf(identity, entry)].word = S.MASTER_EVICTED;
            emit IAccountWrites.AccountEvicted(identity, wallet);
        } else {
            (uint256 holder,, uint256 header,) = tryResolve(identity);
            if (header != 0) emit IUsageKeyWrites.UsageApiKeyRemoved(holder, identity);
            delete $.usageKeys[S.keyOf(entry >> S.REF_SHIFT, LibGrants.indexOf(entry))];
        }
        delete $.entries[identity];
    }

    /// @notice Makes `admin` the admin wallet of a ChainSecured account, by which name it is called too.
    function setAdmin(uint256 masterHash, uint256 ref, uint256 header, address admin) internal {
        S.Layout storage $ = S.load();
        header = header & ~(S.ACCOUNT_MANAGED | (uint256(type(uint160).max) << S.ACCOUNT_ADMIN_SHIFT))
            | (uint256(uint160(admin)) << S.ACCOUNT_ADMIN_SHIFT);
        // An account whose key hash happens to be the identity of its new admin keeps it instead of an alias.
        if (walletIdentity(admin) == masterHash && header & S.ACCOUNT_CLAIMED == 0) {
            header |= S.ACCOUNT_CLAIMED;
        } else {
            $.entries[claimIdentity(admin)].word = S.KIND_ALIAS | (ref << S.REF_SHIFT);
        }
        saveHeader(masterHash, header);
    }

    /// @notice Stores the account word.
    function saveHeader(uint256 masterHash, uint256 header) internal {
        S.load().entries[masterHash].word = header;
    }
}
