// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title IAccountWrites
/// @notice Opens accounts and hands them over. Conventions: see IAccountConfig.
interface IAccountWrites {
    /// @notice A new account. From this event on `masterApiKeyHash` names it. The master hash of a ChainSecured account is
    /// the identity of its first admin wallet.
    event AccountCreated(
        uint256 indexed masterApiKeyHash,
        address indexed adminWalletAddress,
        bool managed,
        string name,
        string description
    );
    /// @notice A managed account became ChainSecured. From this event on the identity of the new admin wallet is an alias.
    event AccountConvertedToChainSecured(
        uint256 indexed masterApiKeyHash,
        address indexed previousAdminWalletAddress,
        address indexed newAdminWalletAddress
    );
    /// @notice The admin wallet changed. From this event on the identity of the new admin is an alias. The alias of the
    /// previous admin stays.
    event ChainSecuredAccountOwnershipTransferred(
        uint256 indexed masterApiKeyHash,
        address indexed previousAdminWalletAddress,
        address indexed newAdminWalletAddress
    );
    /// @notice An account had been opened under a key hash that is the identity of `wallet`, and the wallet claimed its
    /// identity. The whole content of that account is gone. The next event tells what the hash names from now on.
    event AccountEvicted(uint256 indexed masterApiKeyHash, address indexed wallet);

    /// @notice Opens a ChainSecured account for the caller. Its master hash is the caller's wallet identity.
    /// AccountAlreadyExists when the caller owns an account or ever was an admin.
    function newChainSecuredAccount(string calldata name, string calldata description) external;

    /// @notice Opens a managed account. Api payer only. `managed` must be true.
    /// @param adminWalletAddress The address of the account key. It is not an owner, and its identity stays free.
    function newAccount(
        uint256 apiKeyHash,
        bool managed,
        string calldata name,
        string calldata description,
        address adminWalletAddress
    ) external;

    /// @notice Hands a managed account to a wallet forever. Api payer or owner. Reverts on a ChainSecured account, and with
    /// AccountAlreadyExists when the wallet owns an account or ever was an admin. The caller must have verified a signature
    /// of the wallet.
    function convertToChainSecuredAccount(uint256 apiKeyHash, address newAdminWalletAddress) external;

    /// @notice Hands a ChainSecured account to another wallet. Current admin only. Reverts, in this order: zero address,
    /// AccountDoesNotExist, NotMasterAccount, managed account, NoAccountAccess, same admin, AccountAlreadyExists.
    function transferChainSecuredAccountOwnership(uint256 apiKeyHash, address newAdminWalletAddress) external;
}
