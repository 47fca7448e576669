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
    /// @notice The admin wallet changed. The identity of the new admin names what it named before, until the wallet accepts the
    /// account. The alias of the previous admin stays.
    event ChainSecuredAccountOwnershipTransferred(
        uint256 indexed masterApiKeyHash,
        address indexed previousAdminWalletAddress,
        address indexed newAdminWalletAddress
    );
    /// @notice The admin of a transferred account accepted it, by acceptAccount or by a write, whose events follow.
    /// @param namedByIdentity From this event on the identity of the wallet names this account for good. False when it names
    /// another account, which the wallet chose before.
    event AccountAccepted(
        uint256 indexed masterApiKeyHash, address indexed adminWalletAddress, bool namedByIdentity
    );
    /// @notice An account that was not accepted went back to the wallet that had transferred it.
    event AccountTransferCancelled(
        uint256 indexed masterApiKeyHash,
        address indexed previousAdminWalletAddress,
        address indexed newAdminWalletAddress
    );
    /// @notice The account key of a managed account was replaced. From this event on `apiKeyHash` names nothing, `newApiKeyHash`
    /// names the account, and its admin wallet is the address of the new key. Events go on to carry the master hash.
    event AccountKeyRotated(
        uint256 indexed masterApiKeyHash,
        uint256 indexed apiKeyHash,
        uint256 indexed newApiKeyHash,
        address newAdminWalletAddress
    );
    /// @notice The account has ended. From this event on its hashes, aliases and usage keys name nothing and stay taken.
    event AccountRetired(uint256 indexed masterApiKeyHash);
    /// @notice The key of an account had a hash that is the identity of `wallet`, and the wallet claimed its identity. The
    /// whole content of that account is gone, and the hashes of its usage keys stay taken. The next event tells what the
    /// identity names from now on.
    event AccountEvicted(uint256 indexed masterApiKeyHash, address indexed wallet);

    /// @notice Opens a ChainSecured account for the caller. Its master hash is the caller's wallet identity.
    /// AccountAlreadyExists when the caller owns an account or ever was an admin, accounts that it never accepted aside.
    function newChainSecuredAccount(string calldata name, string calldata description) external;

    /// @notice Opens a managed account. Api payer only. `managed` must be true. AccountAlreadyExists for a hash that is or was
    /// in use.
    /// @param adminWalletAddress The address of the account key, which consents by its signature to a rotation, retirement or
    /// conversion. It is not an owner, and its identity stays free.
    function newAccount(
        uint256 apiKeyHash,
        bool managed,
        string calldata name,
        string calldata description,
        address adminWalletAddress
    ) external;

    /// @notice Hands a managed account to a wallet forever, without the consent of its account key. Api payer or owner. Reverts on
    /// a ChainSecured account, with ConsentRequired when the owner requires consent, with ConversionLimitReached, and with
    /// AccountAlreadyExists when the wallet owns an account or ever was an admin, accounts that it never accepted aside. The
    /// caller must have verified a signature of the wallet: the conversion is the wallet's choice of its account.
    function convertToChainSecuredAccount(uint256 apiKeyHash, address newAdminWalletAddress) external;

    // ------------------------------------------------------------------------------------------------ consent
    // These writes also need an EIP-712 signature (domain: see ISignedWrites) by the address of the account key, so that an api
    // payer alone can do none of them. The type is named before each. SignatureExpired after `deadline`, InvalidSignature with
    // the address that must sign. A consent cannot be repeated: each write ends the hash or the mode that it names.

    /// @notice The same with consent, and without a limit:
    /// ConvertToChainSecuredAccount(uint256 apiKeyHash,address newAdminWalletAddress,uint256 deadline)
    function convertWithConsent(
        uint256 apiKeyHash,
        address newAdminWalletAddress,
        uint256 deadline,
        bytes calldata consent
    ) external;

    /// @notice Replaces the key of a managed account. Api payer only, called with the hash of the current account key. All
    /// contents stay. The old hash names nothing from then on and is never used again, and the address of the new key takes the
    /// place of the old one. The master hash stays the id of the account in events and in `resolve`; in a write by an admin wallet
    /// it names the account again when it was converted. Reverts, in this order: zero hash, zero address, AccountDoesNotExist,
    /// NotMasterAccount, AlreadyChainSecured, NoAccountAccess, AccountAlreadyExists for a new hash that is or was in use, consent:
    /// RotateAccountKey(uint256 apiKeyHash,uint256 newApiKeyHash,address newAdminWalletAddress,uint256 deadline)
    function rotateAccountKey(
        uint256 apiKeyHash,
        uint256 newApiKeyHash,
        address newAdminWalletAddress,
        uint256 deadline,
        bytes calldata consent
    ) external;

    /// @notice Ends a managed account like retireAccount. Api payer only. Consent:
    /// RetireManagedAccount(uint256 apiKeyHash,uint256 deadline)
    function retireManagedAccount(uint256 apiKeyHash, uint256 deadline, bytes calldata consent) external;

    // -------------------------------------------------------------------------------------- ChainSecured accounts

    /// @notice Hands a ChainSecured account to another wallet. Current admin only. Reverts, in this order: zero address,
    /// AccountDoesNotExist, NotMasterAccount, managed account, NoAccountAccess, same admin, AccountAlreadyExists. Usage keys
    /// outlive the transfer. The account belongs to the new admin immediately, by its master hash. The identity of the new admin
    /// names the account only after the wallet has accepted it: by acceptAccount, or by any write with another name of the account.
    /// Until then writes with that identity or a usage key revert with AccountNotAccepted, the wallet can open its own account or
    /// be the target of a conversion, and both wallets can cancel the transfer.
    function transferChainSecuredAccountOwnership(uint256 apiKeyHash, address newAdminWalletAddress) external;

    /// @notice Accepts an account that was transferred to the caller. Without a pending transfer it changes nothing.
    function acceptAccount(uint256 apiKeyHash) external;

    /// @notice Gives an account that was not accepted back to the wallet that transferred it. That wallet, or the new admin.
    /// NoPendingTransfer after the acceptance.
    function cancelTransfer(uint256 apiKeyHash) external;

    /// @notice Ends a ChainSecured account for good. Current admin only. Nothing of it resolves afterwards, and its hashes and
    /// paths stay taken. Its wallet cannot open another account, unless it never accepted this one. ConsentRequired for a managed
    /// account.
    function retireAccount(uint256 apiKeyHash) external;
}
