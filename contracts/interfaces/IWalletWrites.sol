// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title IWalletWrites
/// @notice Adds and removes wallets (PKPs) of an account and of its groups. Conventions: see IAccountConfig.
interface IWalletWrites {
    event WalletDerivationRegistered(
        uint256 indexed masterApiKeyHash,
        address indexed pkpId,
        uint256 indexed derivationPath,
        string name,
        string description
    );
    /// @notice The wallet was removed from the account and from every group. Its path still belongs to the account.
    event WalletDerivationRemoved(uint256 indexed masterApiKeyHash, address indexed pkpId);
    event PkpAddedToGroup(uint256 indexed masterApiKeyHash, uint256 indexed groupId, address indexed pkpId);
    event PkpRemovedFromGroup(
        uint256 indexed masterApiKeyHash, uint256 indexed groupId, address indexed pkpId
    );

    /// @notice Registers a wallet with the derivation path of its key. Permission: createPKPs. Reverts after the caller's
    /// guards with PkpAlreadyExists, then DerivationPathNotMintedFor or DerivationPathAlreadyRegistered.
    /// @param derivationPath Upper 160 bits: the wallet that the path was minted for (the caller on a ChainSecured account,
    /// 0 on a managed account). Lower 96 bits: random. The path belongs forever to the first account that registers it, and to
    /// `pkpId`. That account may register both again after a removal, whatever its mode and admin are by then. The contract cannot
    /// check that the key at this path has the address `pkpId`: the service that releases the key checks it.
    function registerWalletDerivation(
        uint256 apiKeyHash,
        address pkpId,
        uint256 derivationPath,
        string calldata name,
        string calldata description
    ) external;

    /// @notice Removes a wallet from the account and from every group. The account may register it again. Master.
    function removeWalletDerivation(uint256 apiKeyHash, address pkpId) external;

    /// @notice Permits a registered wallet in a group. Wallet 0 permits every wallet of the account. Adding a member again
    /// changes nothing. Permission: addPkpToGroups.
    function addPkpToGroup(uint256 apiKeyHash, uint256 groupId, address pkpId) external;

    /// @notice Removes a wallet from a group. Permission: removePkpFromGroups.
    function removePkpFromGroup(uint256 apiKeyHash, uint256 groupId, address pkpId) external;
}
