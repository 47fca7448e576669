// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title IErrors
/// @notice The errors of all facets except the diamond's own, which are in IDiamond. `apiKeyHash` is the hash that the
/// call was made with.
interface IErrors {
    /// @notice The hash names no account.
    error AccountDoesNotExist(uint256 apiKeyHash);
    /// @notice The caller may not write the account.
    error NoAccountAccess(uint256 apiKeyHash, address caller);
    /// @notice The hash already names an account, an alias or the usage key of another account.
    error AccountAlreadyExists(uint256 apiKeyHash);
    error GroupDoesNotExist(uint256 apiKeyHash, uint256 groupId);
    /// @notice `groupId` 0: the account does not have the wallet. Otherwise the group or the account does not have it.
    error PkpDoesNotExist(uint256 apiKeyHash, uint256 groupId, address pkpId);
    /// @notice The account already has this wallet.
    error PkpAlreadyExists(uint256 apiKeyHash, address pkpId);
    /// @notice `groupId` 0: the account does not have the action. Otherwise the group does not have it.
    error ActionDoesNotExist(uint256 apiKeyHash, uint256 groupId, uint256 actionHash);
    /// @notice The account already has this action.
    error ActionAlreadyExists(uint256 apiKeyHash, uint256 actionHash);
    error UsageApiKeyDoesNotExist(uint256 apiKeyHash, uint256 usageApiKeyHash);
    error UsageApiKeyExpired(uint256 usageApiKeyHash);
    /// @notice The call takes the master hash or an alias, not the hash of a usage key.
    error NotMasterAccount(uint256 apiKeyHash);
    error NotAllowedToCreateGroup(uint256 usageApiKeyHash);
    error NotAllowedToDeleteGroup(uint256 usageApiKeyHash);
    error NotAllowedToCreatePkp(uint256 usageApiKeyHash);
    /// @notice `groupId` 0: the usage key needs the wildcard.
    error NotAllowedToAddPkpToGroup(uint256 usageApiKeyHash, uint256 groupId);
    error NotAllowedToRemovePkpFromGroup(uint256 usageApiKeyHash, uint256 groupId);
    /// @notice `groupId` 0: the usage key needs the wildcard.
    error NotAllowedToManageIPFSIdsInGroup(uint256 usageApiKeyHash, uint256 groupId);
    /// @notice The path belongs to another account forever.
    error DerivationPathAlreadyRegistered(uint256 derivationPath);
    /// @notice The upper 160 bits of the path are not `mintedFor`, the wallet that the path must be minted for.
    error DerivationPathNotMintedFor(uint256 derivationPath, address mintedFor);
    error InvalidRequest(string reason);
    /// @notice A contract wallet that did not accept the signature had less than 1,000,000 gas: repeat the call with more.
    error InsufficientGas(uint256 available, uint256 needed);
    error OnlyApiPayer(address caller);
    error OnlyApiPayerOrOwner(address caller);
    error OnlyConfigOperatorOrOwner(address caller);
    error OnlyPricingOperatorOrOwner(address caller);
}
