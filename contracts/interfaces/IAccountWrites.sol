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
    /// @notice The admin wallet changed. From this event on the identity of the new admin is an alias until that wallet chooses
    /// an account. While several accounts wait for its choice the identity names none of them. The alias of the previous
    /// admin stays.
    event ChainSecuredAccountOwnershipTransferred(
        uint256 indexed masterApiKeyHash,
        address indexed previousAdminWalletAddress,
        address indexed newAdminWalletAddress
    );
    /// @notice The first write by the new admin of a transferred account. It precedes the events of that write. From this event
    /// on the identity of the admin names this account for good. There is no event when that identity names another account
    /// that the wallet chose before.
    event AccountAccepted(uint256 indexed masterApiKeyHash, address indexed adminWalletAddress);
    /// @notice The account key of a managed account was replaced. From this event on `apiKeyHash` names nothing, and
    /// `newApiKeyHash` names the account. Events go on to carry the master hash.
    event AccountKeyRotated(
        uint256 indexed masterApiKeyHash, uint256 indexed apiKeyHash, uint256 indexed newApiKeyHash
    );
    /// @notice The account has ended. From this event on its hashes, aliases and usage keys name nothing and stay taken.
    event AccountRetired(uint256 indexed masterApiKeyHash);
    /// @notice The key of an account had a hash that is the identity of `wallet`, and the wallet claimed its identity. The
    /// whole content of that account is gone, and the hashes of its usage keys stay taken. The next event tells what the identity names from now on.
    event AccountEvicted(uint256 indexed masterApiKeyHash, address indexed wallet);

    /// @notice Opens a ChainSecured account for the caller. Its master hash is the caller's wallet identity.
    /// AccountAlreadyExists when the caller owns an account or ever was an admin. This does not apply to an account that was
    /// transferred to the caller and that the caller never wrote: it keeps its master hash and its admin, and loses the
    /// identity.
    function newChainSecuredAccount(string calldata name, string calldata description) external;

    /// @notice Opens a managed account. Api payer only. `managed` must be true. AccountAlreadyExists for a hash that is or was
    /// in use.
    /// @param adminWalletAddress The address of the account key. It is not an owner, and its identity stays free.
    function newAccount(
        uint256 apiKeyHash,
        bool managed,
        string calldata name,
        string calldata description,
        address adminWalletAddress
    ) external;

    /// @notice Hands a managed account to a wallet forever. Api payer or owner. Reverts on a ChainSecured account, and with
    /// AccountAlreadyExists when the wallet owns an account or ever was an admin, accounts that it never accepted aside. The
    /// caller must have verified a signature of the wallet: the conversion is the wallet's choice of its account.
    function convertToChainSecuredAccount(uint256 apiKeyHash, address newAdminWalletAddress) external;

    /// @notice Hands a ChainSecured account to another wallet. Current admin only. Reverts, in this order: zero address,
    /// AccountDoesNotExist, NotMasterAccount, managed account, NoAccountAccess, same admin, AccountAlreadyExists. Usage keys
    /// outlive the transfer. The new admin accepts the account by its first write. Until then it can still open its own account
    /// or be the target of a conversion, and its identity cannot register wallets (AccountNotAccepted); its master hash can.
    function transferChainSecuredAccountOwnership(uint256 apiKeyHash, address newAdminWalletAddress) external;

    /// @notice Replaces the key of a managed account. Api payer only, called with the hash of the current account key. All
    /// contents stay. The old hash names nothing from then on, in every function, and is never used again. The master hash
    /// stays the id of the account in events and in `resolve`. Reverts, in this order: zero hash, AccountDoesNotExist,
    /// NotMasterAccount, AlreadyChainSecured, NoAccountAccess, AccountAlreadyExists for a new hash that is or was in use.
    function rotateAccountKey(uint256 apiKeyHash, uint256 newApiKeyHash) external;

    /// @notice Ends an account for good. Master. Nothing of it resolves afterwards, and its hashes and paths stay taken. Its
    /// wallet cannot open another account, unless it never accepted this one.
    function retireAccount(uint256 apiKeyHash) external;
}
