// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IErrors } from "../interfaces/IErrors.sol";
import { AccountConfigStorage as S } from "../storage/AccountConfigStorage.sol";
import { AccountWord } from "../storage/AccountWord.sol";
import { KeyWord, KeyWords } from "../storage/KeyWord.sol";
import { Kinds } from "../storage/Kinds.sol";
import { Ref } from "../storage/Ref.sol";
import { LibAccounts } from "./LibAccounts.sol";
import { LibGrants } from "./LibGrants.sol";
import { LibIdentities } from "./LibIdentities.sol";
import { LibRoles } from "./LibRoles.sol";

/// @title LibAuthority
/// @notice Authorises the writes of accounts.
library LibAuthority {
    /// @notice Returns the wallet that acts: the caller, or the signer that executeSigned appends to the calldata. Only
    /// executeSigned makes the diamond call itself, so a caller cannot append another wallet.
    function sender() internal view returns (address) {
        if (msg.sender != address(this)) return msg.sender;
        return address(bytes20(msg.data[msg.data.length - 20:]));
    }

    /// @notice True for an api payer on a managed account, and for the admin wallet on a ChainSecured account.
    function mayWrite(AccountWord header, address caller) internal view returns (bool) {
        return header.isManaged() ? LibRoles.isApiPayer(caller) : header.admin() == caller;
    }

    function requireCaller(uint256 hash, AccountWord header) internal view {
        address caller = sender();
        if (mayWrite(header, caller)) return;
        if (header.isManaged()) LibRoles.refuseFrozen(caller);
        revert IErrors.NoAccountAccess(hash, caller);
    }

    /// @notice Requires that the caller may write the account. A write that names the account accepts it, when it was transferred
    /// to the caller: then the hash is not the identity of the caller, which names what the caller chose, and no usage key.
    /// @return entered The account word after the acceptance.
    function enter(uint256 hash, uint256 masterHash, Ref ref, AccountWord header)
        internal
        returns (AccountWord entered)
    {
        if (header.isManaged()) {
            if (LibRoles.isApiPayer(sender())) return header;
        } else if (header.admin() == sender()) {
            if (!header.isPending()) return header;
            requireNamed(hash, header);
            return LibIdentities.accept(masterHash, ref, header);
        }
        // Any other caller: reverts.
        requireCaller(hash, header);
    }

    /// @notice Requires that the hash was chosen for this account, which waits for its admin wallet.
    function requireNamed(uint256 hash, AccountWord header) internal view {
        if (hash == LibAccounts.walletIdentity(header.admin()) || S.loadEntry(hash).kind() == Kinds.USAGE_KEY)
        {
            revert IErrors.AccountNotAccepted(hash);
        }
    }

    /// @notice Authorises a write that takes the master hash or an alias.
    function authorizeMaster(uint256 hash)
        internal
        returns (uint256 masterHash, Ref ref, AccountWord header)
    {
        (masterHash, ref, header) = LibAccounts.resolveMaster(hash);
        header = enter(hash, masterHash, ref, header);
    }

    /// @notice Authorises a write that also takes a usage key with the flag `permission` in its word.
    function authorize(uint256 hash, uint256 permission)
        internal
        returns (uint256 masterHash, Ref ref, AccountWord header, KeyWord usageKey)
    {
        (masterHash, ref, header, usageKey) = LibAccounts.resolve(hash);
        if (usageKey.exists()) {
            requireNotExpired(hash, usageKey);
            if (!usageKey.hasFlag(permission)) {
                if (permission == KeyWords.CREATE_GROUPS) revert IErrors.NotAllowedToCreateGroup(hash);
                if (permission == KeyWords.DELETE_GROUPS) revert IErrors.NotAllowedToDeleteGroup(hash);
                revert IErrors.NotAllowedToCreatePkp(hash);
            }
        }
        header = enter(hash, masterHash, ref, header);
    }

    /// @notice Authorises a write on one group that also takes a usage key with a grant of `list`.
    function authorizeInGroup(uint256 hash, uint256 list, uint256 groupId)
        internal
        returns (uint256 masterHash, Ref ref, AccountWord header)
    {
        KeyWord usageKey;
        (masterHash, ref, header, usageKey) = LibAccounts.resolve(hash);
        if (usageKey.exists()) {
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
        (masterHash, ref, header, usageKey) = LibAccounts.resolve(hash);
        if (usageKey.exists()) {
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
        if (list == KeyWords.ADD_PKP) revert IErrors.NotAllowedToAddPkpToGroup(hash, groupId);
        if (list == KeyWords.REMOVE_PKP) revert IErrors.NotAllowedToRemovePkpFromGroup(hash, groupId);
        revert IErrors.NotAllowedToManageIPFSIdsInGroup(hash, groupId);
    }

    function requireNotExpired(uint256 hash, KeyWord usageKey) internal view {
        if (usageKey.isExpired()) revert IErrors.UsageApiKeyExpired(hash);
    }
}
