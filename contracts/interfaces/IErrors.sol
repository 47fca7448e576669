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
    /// @notice The hash is or was the hash of an account, an alias, or a usage key of another account.
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
    /// @notice `newAccount` was called with `managed` false: an api payer opens managed accounts only.
    error NewAccountNotManaged(uint256 apiKeyHash);
    /// @notice The account is ChainSecured already, so it cannot be converted.
    error AlreadyChainSecured(uint256 apiKeyHash);
    /// @notice The wallet is the admin wallet of the account already.
    error AlreadyAdminWallet(uint256 apiKeyHash, address adminWalletAddress);
    /// @notice The account was transferred to this wallet, which has not accepted it. Until then neither the identity of the
    /// wallet nor a usage key names it in a write: accept it by acceptAccount, give it back by cancelTransfer, or open an own one.
    error AccountNotAccepted(uint256 apiKeyHash);
    /// @notice The account does not wait for a wallet to accept it, or was transferred before the contract recorded givers.
    error NoPendingTransfer(uint256 apiKeyHash);
    /// @notice The account is managed: this needs the consent of its account key (convertWithConsent, retireManagedAccount).
    error ConsentRequired(uint256 apiKeyHash);
    error AccountHashIsZero();
    error AdminWalletIsZero();
    error UsageApiKeyHashIsZero();
    error ActionHashIsZero();
    error PkpIsZero();
    error DerivationPathIsZero();
    /// @notice The expiration is above `maximum` Unix seconds. It may have been given in milliseconds.
    error ExpirationTooLarge(uint256 expiration, uint256 maximum);
    /// @notice An array of a group call has more than `maximum` entries.
    error TooManyGroupEntries(uint256 count, uint256 maximum);
    /// @notice A permission list of a usage key has more than `maximum` entries.
    error TooManyUsageApiKeyEntries(uint256 count, uint256 maximum);
    /// @notice The page size is 0 or above `maximum`.
    error PageSizeOutOfRange(uint256 pageSize, uint256 maximum);
    /// @notice The lower 127 bits of the CID hash or address are 0, or equal those bits of another item of the account.
    error IdCollision(uint256 id);
    /// @notice The account has given out all usage-key indices, including those of removed keys.
    error TooManyUsageApiKeys(uint256 apiKeyHash, uint256 maximum);
    /// @notice The account has given out all group ids, including those of removed groups.
    error TooManyGroups(uint256 apiKeyHash, uint256 maximum);
    /// @notice The account has given out all indices of actions, or of wallets, including those of removed ones.
    error TooManyItems(uint256 maximum);
    /// @notice The group has more members than a replacement can remove: remove some of them first.
    error TooManyGroupMembers(uint256 groupId, uint256 maximum);
    /// @notice Any other invalid argument: a name or description that is too long, or a transfer of a managed account.
    error InvalidRequest(string reason);
    /// @notice A contract wallet that did not accept the signature had less than 1,000,000 gas: repeat the call with more.
    error InsufficientGas(uint256 available, uint256 needed);
    error OnlyApiPayer(address caller);
    error OnlyApiPayerOrOwner(address caller);
    error OnlyGuardianOrOwner(address caller);
    /// @notice The guardian has frozen the api payers: they write nothing until the owner unfreezes them.
    error ApiPayersAreFrozen(address apiPayer);
    /// @notice The caller's conversions without consent have reached the limit of this UTC day: use convertWithConsent.
    error ConversionLimitReached(uint256 perDay);
    error OnlyConfigOperatorOrOwner(address caller);
    error OnlyPricingOperatorOrOwner(address caller);
    error TooManyApiPayers(uint256 count, uint256 maximum);
    /// @param position The index of the zero address in the array.
    error ApiPayerIsZero(uint256 position);
    /// @notice The array has the address twice.
    error DuplicateApiPayer(address apiPayer);
    /// @notice The key has 0 bytes or more than `maximum`.
    error NodeConfigurationKeyLengthOutOfRange(uint256 length, uint256 maximum);
    /// @notice The value has more than `maximum` bytes.
    error NodeConfigurationValueTooLong(uint256 length, uint256 maximum);
    error TooManyNodeConfigurations(uint256 maximum);
}
