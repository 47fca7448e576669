// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IAccountConfig } from "../interfaces/IAccountConfig.sol";
import { AccountConfigStorage as S } from "./AccountConfigStorage.sol";
import { LibDiamond } from "./LibDiamond.sol";
import { LibGrants } from "./LibGrants.sol";
import { EnumerableSet } from "@openzeppelin/contracts/utils/structs/EnumerableSet.sol";

/// @title LibAccounts
/// @notice What a hash names and who may write it: the only authorisation code, the owner of the diamond apart.
library LibAccounts {
    using EnumerableSet for EnumerableSet.AddressSet;

    /// @notice What a hash was resolved to.
    struct Account {
        /// The hash as it was given; errors carry it.
        uint256 hash;
        uint256 masterHash;
        uint256 ref;
        /// The account word.
        uint256 header;
        /// The usage-key word, 0 when `hash` is a master hash or an alias.
        uint256 usageKey;
    }

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

    /// @return found False when the hash names nothing, or a usage key or alias of an evicted account.
    function tryResolve(uint256 hash) internal view returns (bool found, Account memory account) {
        S.Layout storage $ = S.load();
        uint256 entry = $.entries[hash];
        if (entry == 0) return (false, account);
        account.hash = hash;
        if (entry & S.KIND_MASK == S.KIND_ACCOUNT) {
            account.masterHash = hash;
            account.header = entry;
            account.ref = S.refOf(hash, (entry >> S.ACCOUNT_NAMESPACE_SHIFT) & 1);
            return (true, account);
        }
        account.ref = entry >> S.REF_SHIFT;
        uint256 master = $.masters[account.ref];
        if (master == 0) return (false, account);
        account.masterHash = (master & ~S.LOW_127) | (account.ref >> 1);
        account.header = $.entries[account.masterHash];
        if (entry & S.KIND_MASK == S.KIND_USAGE_KEY) account.usageKey = entry;
        return (true, account);
    }

    function resolve(uint256 hash) internal view returns (Account memory account) {
        bool found;
        (found, account) = tryResolve(hash);
        if (!found) revert IAccountConfig.AccountDoesNotExist(hash);
    }

    // ---------------------------------------------------------------------------------------------- callers

    function isApiPayer(address caller) internal view returns (bool) {
        return S.load().apiPayers.contains(caller);
    }

    /// @notice An api payer writes a managed account, the admin wallet a ChainSecured one, nobody else any.
    function mayWrite(uint256 header, address caller) internal view returns (bool) {
        return isManaged(header) ? isApiPayer(caller) : adminOf(header) == caller;
    }

    function requireCaller(Account memory account) internal view {
        if (!mayWrite(account.header, msg.sender)) {
            revert IAccountConfig.NoAccountAccess(account.hash, msg.sender);
        }
    }

    /// @notice For writes that take the master hash or an alias.
    function authorizeMaster(uint256 hash) internal view returns (Account memory account) {
        account = resolve(hash);
        if (account.usageKey != 0) revert IAccountConfig.NotMasterAccount(hash);
        requireCaller(account);
    }

    /// @notice For writes that a usage key may be permitted too: the flag `permission` of its word.
    function authorize(uint256 hash, uint256 permission) internal view returns (Account memory account) {
        account = resolve(hash);
        if (account.usageKey != 0) {
            requireNotExpired(account);
            if (account.usageKey & permission == 0) {
                if (permission == LibGrants.CREATE_GROUPS) {
                    revert IAccountConfig.NotAllowedToCreateGroup(hash);
                }
                if (permission == LibGrants.DELETE_GROUPS) {
                    revert IAccountConfig.NotAllowedToDeleteGroup(hash);
                }
                revert IAccountConfig.NotAllowedToCreatePkp(hash);
            }
        }
        requireCaller(account);
    }

    /// @notice For writes on one group that a usage key may be permitted too, by its grants of `list`.
    function authorizeInGroup(uint256 hash, uint256 list, uint256 groupId)
        internal
        view
        returns (Account memory account)
    {
        account = resolve(hash);
        if (account.usageKey != 0) {
            requireNotExpired(account);
            requireGrant(account, list, groupId);
        }
        requireCaller(account);
    }

    /// @param groupId The group, or 0 for the wildcard.
    function requireGrant(Account memory account, uint256 list, uint256 groupId) internal view {
        if (LibGrants.has(account.ref, account.usageKey, list, groupId)) return;
        if (list == LibGrants.ADD_PKP) {
            revert IAccountConfig.NotAllowedToAddPkpToGroup(account.hash, groupId);
        }
        if (list == LibGrants.REMOVE_PKP) {
            revert IAccountConfig.NotAllowedToRemovePkpFromGroup(account.hash, groupId);
        }
        revert IAccountConfig.NotAllowedToManageIPFSIdsInGroup(account.hash, groupId);
    }

    function requireNotExpired(Account memory account) internal view {
        if (LibGrants.isExpired(account.usageKey)) revert IAccountConfig.UsageApiKeyExpired(account.hash);
    }

    function requireConfigOperator() internal view {
        if (msg.sender != S.load().configOperator && msg.sender != LibDiamond.load().owner) {
            revert IAccountConfig.OnlyConfigOperatorOrOwner(msg.sender);
        }
    }

    function requirePricingOperator() internal view {
        if (msg.sender != S.load().pricingOperator && msg.sender != LibDiamond.load().owner) {
            revert IAccountConfig.OnlyPricingOperatorOrOwner(msg.sender);
        }
    }

    function requireApiPayer() internal view {
        if (!isApiPayer(msg.sender)) revert IAccountConfig.OnlyApiPayer(msg.sender);
    }

    function requireApiPayerOrOwner() internal view {
        if (!isApiPayer(msg.sender) && msg.sender != LibDiamond.load().owner) {
            revert IAccountConfig.OnlyApiPayerOrOwner(msg.sender);
        }
    }

    // ------------------------------------------------------------------------------------------------ writes

    /// @notice Opens an account under a hash whose entry is free (or is being taken by its wallet).
    function create(uint256 masterHash, uint256 namespace, address admin, bool managed) internal {
        S.Layout storage $ = S.load();
        uint256 ref = S.refOf(masterHash, namespace);
        // Another hash with the same lower 127 bits: nobody finds one for a given account, see AccountConfigStorage.
        if ($.masters[ref] != 0) revert IAccountConfig.AccountAlreadyExists(masterHash);
        $.entries[masterHash] = S.KIND_ACCOUNT | (managed ? S.ACCOUNT_MANAGED : S.ACCOUNT_CLAIMED)
            | (namespace << S.ACCOUNT_NAMESPACE_SHIFT) | (uint256(uint160(admin)) << S.ACCOUNT_ADMIN_SHIFT);
        $.masters[ref] = (masterHash & ~S.LOW_127) | S.MASTER_EXISTS;
        ++$.accountCount;
    }

    /// @notice Frees the identity of `wallet` from whatever took it as a key hash: a wallet's identity is its own, and
    /// a usage key or a managed account under that hash must not lock the wallet out (rule 9).
    /// AccountAlreadyExists when the wallet owns an account or ever was an admin.
    function claimIdentity(address wallet) internal returns (uint256 identity) {
        S.Layout storage $ = S.load();
        identity = walletIdentity(wallet);
        uint256 entry = $.entries[identity];
        uint256 kind = entry & S.KIND_MASK;
        if (entry == 0) return identity;
        if (kind == S.KIND_ALIAS || (kind == S.KIND_ACCOUNT && entry & S.ACCOUNT_CLAIMED != 0)) {
            revert IAccountConfig.AccountAlreadyExists(identity);
        }
        if (kind == S.KIND_ACCOUNT) {
            delete $.masters[S.refOf(identity, (entry >> S.ACCOUNT_NAMESPACE_SHIFT) & 1)];
            emit IAccountConfig.AccountEvicted(identity, wallet);
        } else {
            (bool found, Account memory holder) = tryResolve(identity);
            if (found) emit IAccountConfig.UsageApiKeyRemoved(holder.masterHash, identity);
            delete $.usageKeys[S.keyOf(entry >> S.REF_SHIFT, LibGrants.indexOf(entry))];
        }
        delete $.entries[identity];
    }

    /// @notice Makes `admin` the admin wallet of a ChainSecured account, by which name it is called too.
    function setAdmin(Account memory account, address admin) internal {
        uint256 header = account.header
            & ~(S.ACCOUNT_MANAGED | (uint256(type(uint160).max) << S.ACCOUNT_ADMIN_SHIFT))
            | (uint256(uint160(admin)) << S.ACCOUNT_ADMIN_SHIFT);
        // An account whose key hash happens to be the identity of its new admin keeps it instead of an alias.
        if (walletIdentity(admin) == account.masterHash && header & S.ACCOUNT_CLAIMED == 0) {
            header |= S.ACCOUNT_CLAIMED;
        } else {
            uint256 identity = claimIdentity(admin);
            S.load().entries[identity] = S.KIND_ALIAS | (account.ref << S.REF_SHIFT);
        }
        S.load().entries[account.masterHash] = header;
    }

    /// @notice Stores the account word of a resolved account.
    function saveHeader(Account memory account) internal {
        S.load().entries[account.masterHash] = account.header;
    }
}
