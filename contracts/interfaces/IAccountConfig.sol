// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IDiamond } from "./IDiamond.sol";

/// @title IAccountConfig
/// @notice Who may run which action with which wallet. All authority of the service lives here.
///
/// An account is *managed* (an api payer writes for it) or *ChainSecured* (its admin wallet writes, and nobody else).
/// It is named by its master hash: `uint256(keccak256(bytes(account key text)))` for an account that was opened
/// managed, `uint256(keccak256(abi.encodePacked(wallet)))` for one that a wallet opened. An alias is the identity of a
/// wallet that became admin of an account later; it names the account as well as the master hash does. A usage key
/// is named by the hash of its text and carries permissions within one account.
///
/// CONVENTIONS
/// - `apiKeyHash` is a master hash, an alias, or, where the function says so, a usage-key hash.
/// - Who may write: a managed account is written by an api payer, a ChainSecured account by its current admin wallet,
///   everybody else gets NoAccountAccess. "Master" below means: through the master hash or an alias, a usage-key hash
///   gets NotMasterAccount. "Permission" means: a usage-key hash works too, as far as the named permission reaches.
/// - Order of the guards: text and array lengths, zero arguments (InvalidRequest), the account (AccountDoesNotExist),
///   master or permission, the caller (NoAccountAccess), what the call is about.
/// - Names and descriptions are emitted and never stored: name up to 128 bytes, description up to 1,024 bytes.
/// - Group ids start at 1 in every account and are never reused. Group id 0 in a permission list grants all groups,
///   also those made later. CID hash 0 in a group permits every action, wallet 0 every wallet of the account.
/// - Arrays: at most 10 entries in group calls, 50 in key calls; pages hold at most 1,000.
/// - Times are unix seconds. Every change emits an event, and the state can be rebuilt from the events alone.
interface IAccountConfig is IDiamond {
    // ------------------------------------------------------------------------------------------------ structs

    /// @notice What a usage key may do. The lists hold group ids; `[0]` means all groups.
    struct UsageApiKeyPermissions {
        bool createGroups;
        bool deleteGroups;
        bool createPKPs;
        uint256[] manageIPFSIdsInGroups;
        uint256[] addPkpToGroups;
        uint256[] removePkpFromGroups;
        uint256[] executeInGroups;
    }

    struct UsageApiKey {
        uint256 usageApiKeyHash;
        /// Unix seconds from which the key is refused, 0 for never.
        uint256 expiration;
        /// Ascending group ids without duplicates and without removed groups, `[0]` for all groups.
        UsageApiKeyPermissions permissions;
    }

    struct Pkp {
        address pkpId;
        uint256 derivationPath;
    }

    struct NodeConfiguration {
        string key;
        string value;
    }

    /// @notice Which rule decides about a run.
    enum ExecutionRule {
        /// The hash names nothing.
        KeyUnknown,
        /// The hash names an account: an account never runs an action.
        NotUsageKey,
        /// The usage key has expired.
        KeyExpired,
        /// Granted by the execute wildcard of the key.
        Wildcard,
        /// Granted by a group, see `groupId`.
        Group,
        /// No live group that the key may execute in permits the action.
        NoGroupPermitsAction,
        /// The wallet is not registered by the account of the key.
        WalletUnknown,
        /// No live group that the key may execute in permits both the action and the wallet.
        NoGroupPermitsWallet
    }

    struct Explanation {
        bool canExecute;
        /// What decides about the action.
        ExecutionRule actionRule;
        /// The lowest group that grants the action, 0 when none does.
        uint256 actionGroupId;
        bool canUseWallet;
        /// What decides about the wallet.
        ExecutionRule walletRule;
        /// The lowest group that grants the wallet to the action, 0 when none does.
        uint256 walletGroupId;
    }

    // ------------------------------------------------------------------------------------------------- errors

    /// @notice No account is named by this hash.
    error AccountDoesNotExist(uint256 apiKeyHash);
    /// @notice The caller may not write the account.
    error NoAccountAccess(uint256 apiKeyHash, address caller);
    /// @notice The hash already names an account, an alias or another account's usage key.
    error AccountAlreadyExists(uint256 apiKeyHash);
    error GroupDoesNotExist(uint256 apiKeyHash, uint256 groupId);
    error PkpDoesNotExist(uint256 apiKeyHash, uint256 groupId, address pkpId);
    /// @notice The account already has this wallet.
    error PkpAlreadyExists(uint256 apiKeyHash, address pkpId);
    /// @notice `groupId` 0: the account does not have the action; else the group does not.
    error ActionDoesNotExist(uint256 apiKeyHash, uint256 groupId, uint256 actionHash);
    /// @notice The account already has this action.
    error ActionAlreadyExists(uint256 apiKeyHash, uint256 actionHash);
    error UsageApiKeyDoesNotExist(uint256 apiKeyHash, uint256 usageApiKeyHash);
    error UsageApiKeyExpired(uint256 usageApiKeyHash);
    /// @notice The call takes the master hash or an alias, not a usage-key hash.
    error NotMasterAccount(uint256 apiKeyHash);
    error NotAllowedToCreateGroup(uint256 usageApiKeyHash);
    error NotAllowedToDeleteGroup(uint256 usageApiKeyHash);
    error NotAllowedToCreatePkp(uint256 usageApiKeyHash);
    error NotAllowedToAddPkpToGroup(uint256 usageApiKeyHash, uint256 groupId);
    error NotAllowedToRemovePkpFromGroup(uint256 usageApiKeyHash, uint256 groupId);
    error NotAllowedToManageIPFSIdsInGroup(uint256 usageApiKeyHash, uint256 groupId);
    /// @notice The path belongs for ever to another account.
    error DerivationPathAlreadyRegistered(uint256 derivationPath);
    /// @notice The upper 160 bits of the path are not the wallet that it has to be minted for.
    error DerivationPathNotMintedFor(uint256 derivationPath, address mintedFor);
    error InvalidRequest(string reason);
    /// @notice A contract wallet got less than 1,000,000 gas and did not accept: ask again with more.
    error InsufficientGas(uint256 available, uint256 needed);
    error OnlyApiPayer(address caller);
    error OnlyApiPayerOrOwner(address caller);
    error OnlyConfigOperatorOrOwner(address caller);
    error OnlyPricingOperatorOrOwner(address caller);

    // ------------------------------------------------------------------------------------------------- events
    // The first indexed topic is the resolved master hash, whatever hash the call was made with.

    /// @notice A new account. From here on `masterApiKeyHash` names it; a ChainSecured account's master hash is its
    /// first admin wallet's identity.
    event AccountCreated(
        uint256 indexed masterApiKeyHash,
        address indexed adminWalletAddress,
        bool managed,
        string name,
        string description
    );
    /// @notice A managed account became ChainSecured. The identity of the new admin wallet is an alias from here on.
    event AccountConvertedToChainSecured(
        uint256 indexed masterApiKeyHash,
        address indexed previousAdminWalletAddress,
        address indexed newAdminWalletAddress
    );
    /// @notice The admin wallet changed. The identity of the new admin is an alias from here on, the previous one's stays.
    event ChainSecuredAccountOwnershipTransferred(
        uint256 indexed masterApiKeyHash,
        address indexed previousAdminWalletAddress,
        address indexed newAdminWalletAddress
    );
    /// @notice An account had been opened under a key hash that is the identity of `wallet`. The wallet took its
    /// identity: everything of that account is gone, and the next event says what the hash names now.
    event AccountEvicted(uint256 indexed masterApiKeyHash, address indexed wallet);

    /// @notice A usage key was made, or all of it was replaced. `permissions` are the arguments as given.
    event UsageApiKeySet(
        uint256 indexed masterApiKeyHash,
        uint256 indexed usageApiKeyHash,
        uint256 expiration,
        uint256 balance,
        string name,
        string description,
        UsageApiKeyPermissions permissions
    );
    event UsageApiKeyMetadataUpdated(
        uint256 indexed masterApiKeyHash, uint256 indexed usageApiKeyHash, string name, string description
    );
    event UsageApiKeyRemoved(uint256 indexed masterApiKeyHash, uint256 indexed usageApiKeyHash);

    /// @notice A new group. A CID hash that the account did not have is registered with empty labels by an ActionAdded before.
    event GroupAdded(
        uint256 indexed masterApiKeyHash,
        uint256 indexed groupId,
        string name,
        string description,
        uint256[] cidHashes,
        address[] pkpIds
    );
    /// @notice Labels and contents of a group were replaced.
    event GroupUpdated(
        uint256 indexed masterApiKeyHash,
        uint256 indexed groupId,
        string name,
        string description,
        uint256[] cidHashes,
        address[] pkpIds
    );
    event GroupMetadataUpdated(
        uint256 indexed masterApiKeyHash, uint256 indexed groupId, string name, string description
    );
    event GroupRemoved(uint256 indexed masterApiKeyHash, uint256 indexed groupId);

    event ActionAdded(
        uint256 indexed masterApiKeyHash, uint256 indexed actionHash, string name, string description
    );
    event ActionMetadataUpdated(
        uint256 indexed masterApiKeyHash, uint256 indexed actionHash, string name, string description
    );
    /// @notice The action is gone from the account and from every group.
    event ActionRemoved(uint256 indexed masterApiKeyHash, uint256 indexed actionHash);
    event ActionAddedToGroup(
        uint256 indexed masterApiKeyHash, uint256 indexed groupId, uint256 indexed actionHash
    );
    event ActionRemovedFromGroup(
        uint256 indexed masterApiKeyHash, uint256 indexed groupId, uint256 indexed actionHash
    );

    event WalletDerivationRegistered(
        uint256 indexed masterApiKeyHash,
        address indexed pkpId,
        uint256 indexed derivationPath,
        string name,
        string description
    );
    /// @notice The wallet is gone from the account and from every group. Its path stays the account's.
    event WalletDerivationRemoved(uint256 indexed masterApiKeyHash, address indexed pkpId);
    event PkpAddedToGroup(uint256 indexed masterApiKeyHash, uint256 indexed groupId, address indexed pkpId);
    event PkpRemovedFromGroup(
        uint256 indexed masterApiKeyHash, uint256 indexed groupId, address indexed pkpId
    );

    event ApiPayersSet(address[] apiPayers);
    event AdminApiPayerAccountSet(address indexed adminApiPayerAccount);
    event PricingOperatorSet(address indexed pricingOperator);
    event ConfigOperatorSet(address indexed configOperator);
    event PricingSet(uint256 indexed pricingItemId, uint256 price);
    event NodeConfigurationSet(string key, string value);

    // ----------------------------------------------------------------------------------------------- accounts

    /// @notice Opens a ChainSecured account for the caller, named by the caller's wallet identity.
    /// AccountAlreadyExists when the caller owns an account or ever was an admin.
    function newChainSecuredAccount(string calldata name, string calldata description) external;

    /// @notice Opens a managed account. Api payer only. `managed` must be true.
    /// @param adminWalletAddress The address of the account key; not an owner, its identity stays free.
    function newAccount(
        uint256 apiKeyHash,
        bool managed,
        string calldata name,
        string calldata description,
        address adminWalletAddress
    ) external;

    /// @notice Hands a managed account to a wallet for ever. Api payer or owner. InvalidRequest on a ChainSecured
    /// account, AccountAlreadyExists when the wallet owns an account or ever was an admin. The caller has to have seen
    /// a signature of the wallet.
    function convertToChainSecuredAccount(uint256 apiKeyHash, address newAdminWalletAddress) external;

    /// @notice Hands a ChainSecured account to another wallet. Current admin only. Reverts, in order: zero address,
    /// AccountDoesNotExist, NotMasterAccount, managed, NoAccountAccess, same admin, AccountAlreadyExists.
    function transferChainSecuredAccountOwnership(uint256 apiKeyHash, address newAdminWalletAddress) external;

    // --------------------------------------------------------------------------------------------- usage keys

    /// @notice Makes a usage key or replaces all of it; afterwards its permissions equal the arguments. Master.
    /// GroupDoesNotExist for the first listed group that is not there, then AccountAlreadyExists for a hash in use elsewhere.
    /// @param expiration Unix seconds from which the key is refused, 0 for never.
    /// @param balance A figure for clients; emitted, never read.
    function setUsageApiKey(
        uint256 accountApiKeyHash,
        uint256 usageApiKeyHash,
        uint256 expiration,
        uint256 balance,
        string calldata name,
        string calldata description,
        bool createGroups,
        bool deleteGroups,
        bool createPKPs,
        uint256[] calldata manageIPFSIdsInGroups,
        uint256[] calldata addPkpToGroups,
        uint256[] calldata removePkpFromGroups,
        uint256[] calldata executeInGroups
    ) external;

    /// @notice Replaces the labels of a usage key. Master.
    function updateUsageApiKeyMetadata(
        uint256 accountApiKeyHash,
        uint256 usageApiKeyHash,
        string calldata name,
        string calldata description
    ) external;

    /// @notice Removes a usage key; from the next block on nothing accepts it. Master.
    function removeUsageApiKey(uint256 accountApiKeyHash, uint256 usageApiKeyHash) external;

    // ------------------------------------------------------------------------------------------------- groups

    /// @notice Adds a group. Permission: createGroups; through a usage key contents also need the wildcard of
    /// manageIPFSIdsInGroups (CIDs) and of addPkpToGroups (wallets), since the group is new to every other grant. That is asked
    /// after the caller, since it is about the contents.
    function addGroup(
        uint256 apiKeyHash,
        string calldata name,
        string calldata description,
        uint256[] calldata cidHashes,
        address[] calldata pkpIds
    ) external returns (uint256 groupId);

    /// @notice Replaces labels and contents of a group, whatever it held. Master.
    function updateGroup(
        uint256 apiKeyHash,
        uint256 groupId,
        string calldata name,
        string calldata description,
        uint256[] calldata cidHashes,
        address[] calldata pkpIds
    ) external;

    /// @notice Replaces the labels of a group. Master.
    function updateGroupMetadata(
        uint256 apiKeyHash,
        uint256 groupId,
        string calldata name,
        string calldata description
    ) external;

    /// @notice Removes a group. Its id is never used again. Permission: deleteGroups.
    function removeGroup(uint256 apiKeyHash, uint256 groupId) external;

    // ------------------------------------------------------------------------------------------------ actions

    /// @notice Registers an action. Master.
    /// @param actionHash `uint256(keccak256(bytes(CID text)))`.
    function addAction(
        uint256 apiKeyHash,
        string calldata name,
        string calldata description,
        uint256 actionHash
    ) external;

    /// @notice Removes an action from the account and from every group. Master.
    function removeAction(uint256 apiKeyHash, uint256 actionHash) external;

    /// @notice Replaces the labels of an action. Master.
    /// @param actionHash Not 0: "every action" has no labels (ActionDoesNotExist).
    /// @param groupId 0, or a group that has to hold the action.
    function updateActionMetadata(
        uint256 apiKeyHash,
        uint256 actionHash,
        uint256 groupId,
        string calldata name,
        string calldata description
    ) external;

    /// @notice Permits an action in a group; an unknown one is registered with empty labels. Hash 0 permits every
    /// action. Adding a member again changes nothing. Permission: manageIPFSIdsInGroups.
    function addActionToGroup(uint256 apiKeyHash, uint256 groupId, uint256 actionHash) external;

    /// @notice Takes an action out of a group. Permission: manageIPFSIdsInGroups.
    function removeActionFromGroup(uint256 apiKeyHash, uint256 groupId, uint256 actionHash) external;

    // ------------------------------------------------------------------------------------------------ wallets

    /// @notice Registers a wallet with the path of its key. Permission: createPKPs. Reverts, then: PkpAlreadyExists,
    /// DerivationPathNotMintedFor or DerivationPathAlreadyRegistered, InvalidRequest.
    /// @param derivationPath Upper 160 bits: the wallet it was minted for (the caller on a ChainSecured account, 0 on a
    /// managed one); lower 96 bits: random. It belongs for ever to the first account that registers it, which may register
    /// it again after a removal, whatever its mode and admin are by then. Whether the
    /// key at this path has the address `pkpId` is checked by whoever releases the key.
    function registerWalletDerivation(
        uint256 apiKeyHash,
        address pkpId,
        uint256 derivationPath,
        string calldata name,
        string calldata description
    ) external;

    /// @notice Removes a wallet from the account and from every group. The account may register it again. Master.
    function removeWalletDerivation(uint256 apiKeyHash, address pkpId) external;

    /// @notice Permits a registered wallet in a group; wallet 0 permits every wallet of the account. Adding a member
    /// again changes nothing. Permission: addPkpToGroups.
    function addPkpToGroup(uint256 apiKeyHash, uint256 groupId, address pkpId) external;

    /// @notice Takes a wallet out of a group. Permission: removePkpFromGroups.
    function removePkpFromGroup(uint256 apiKeyHash, uint256 groupId, address pkpId) external;

    /// @notice Several calls in one transaction as the same caller, all or nothing; a revert is passed on as it is.
    function multicall(bytes[] calldata calls) external returns (bytes[] memory results);

    // ------------------------------------------------------------------------------------------------ look-up

    /// @notice What a hash names. All zero when it names nothing. An expired usage key still resolves.
    function resolve(uint256 hash)
        external
        view
        returns (
            uint256 masterApiKeyHash,
            address adminWalletAddress,
            bool managed,
            bool isUsageKey,
            uint256 expiration
        );

    /// @notice True when `apiKeyHash` names an account that the caller may write.
    function accountExistsAndIsMutable(uint256 apiKeyHash) external view returns (bool);

    /// @notice The admin wallet of the account that `apiKeyHash` (a usage key too) belongs to.
    function getAccountWalletAddress(uint256 apiKeyHash) external view returns (address);

    /// @notice The master hash of what `hash` (a usage key too) belongs to, 0 when it names nothing.
    function allApiKeyHashesToMaster(uint256 hash) external view returns (uint256);

    /// @notice The derivation path of a wallet of the account (of a usage key too), 0 when it has no such wallet.
    function getWalletDerivation(uint256 apiKeyHash, address pkpId) external view returns (uint256);

    /// @notice The master hash of the account that owns a path for ever, 0 when it is free (or its account was evicted).
    function getPathOwnerMaster(uint256 derivationPath) external view returns (uint256);

    // -------------------------------------------------------------------------------------------- permissions

    /// @notice May this usage key run this CID? Needs the execute wildcard, or a group that it may execute in and that
    /// permits the CID. False for whatever is not a live usage key.
    function canExecuteAction(uint256 apiKeyHash, uint256 cidHash) external view returns (bool);

    /// @notice May this CID, run by this usage key, use this wallet? Needs a group that the key may execute in (the
    /// wildcard grants every group) and that permits both. The wallet must be registered in the key's account.
    function canUseWalletInAction(uint256 apiKeyHash, uint256 cidHash, address pkpId)
        external
        view
        returns (bool);

    /// @notice Both questions in one call.
    function canExecuteActionAndUseWallet(uint256 apiKeyHash, uint256 cidHash, address pkpId)
        external
        view
        returns (bool canExecute, bool canUseWallet);

    /// @notice The same with the reasons.
    function explainExecution(uint256 apiKeyHash, uint256 cidHash, address pkpId)
        external
        view
        returns (Explanation memory);

    // -------------------------------------------------------------------------------------------------- lists
    // Every entry of an account has an index that is never reused, in order of creation. Page n of size s holds the
    // live entries among the indices [n·s, (n+1)·s), so that pages neither shift nor repeat when entries come and go;
    // a page may hold fewer than s, and is empty from `listSizes` on. InvalidRequest for a size of 0 or over 1,000.
    // Any hash of the account works, a usage key's too.

    /// @notice How many indices each list has given out, removed entries included.
    function listSizes(uint256 apiKeyHash)
        external
        view
        returns (uint256 apiKeys, uint256 groups, uint256 pkps, uint256 actions);

    function listApiKeys(uint256 apiKeyHash, uint256 pageNumber, uint256 pageSize)
        external
        view
        returns (UsageApiKey[] memory);

    /// @notice Ids of the live groups; group id `i + 1` has index `i`.
    function listGroups(uint256 apiKeyHash, uint256 pageNumber, uint256 pageSize)
        external
        view
        returns (uint256[] memory groupIds);

    function listPkps(uint256 apiKeyHash, uint256 pageNumber, uint256 pageSize)
        external
        view
        returns (Pkp[] memory);

    function listActions(uint256 apiKeyHash, uint256 pageNumber, uint256 pageSize)
        external
        view
        returns (uint256[] memory actionHashes);

    /// @notice What a group permits, the first 1,000 of each kind; hash 0 and wallet 0 come first and mean "every".
    function listGroupContents(uint256 apiKeyHash, uint256 groupId)
        external
        view
        returns (uint256[] memory cidHashes, address[] memory pkpIds);

    /// @notice A page over the members of a group, counted without gaps; wallet 0 comes first and means "every".
    function listWalletsInGroup(uint256 apiKeyHash, uint256 groupId, uint256 pageNumber, uint256 pageSize)
        external
        view
        returns (Pkp[] memory);

    /// @notice A page over the members of a group, counted without gaps; hash 0 comes first and means "every".
    function listActionsInGroup(uint256 apiKeyHash, uint256 groupId, uint256 pageNumber, uint256 pageSize)
        external
        view
        returns (uint256[] memory actionHashes);

    // --------------------------------------------------------------------------------------------- signatures

    /// @notice Did `wallet` sign `digest`? ECDSA with low s (65 bytes, or 64 bytes of EIP-2098) first, else the
    /// deployed wallet's ERC-1271 with at most 1,000,000 gas and 32 bytes read back. A wallet without code is never
    /// asked (no ERC-6492). False for anything else; InsufficientGas when a contract wallet that did not accept got less than
    /// its 1,000,000.
    function isValidWalletSignature(address wallet, bytes32 digest, bytes calldata signature)
        external
        view
        returns (bool);

    /// @notice The same for the current admin wallet of an account. AccountDoesNotExist for an unknown hash.
    function isValidAccountSignature(uint256 apiKeyHash, bytes32 digest, bytes calldata signature)
        external
        view
        returns (bool);

    // ------------------------------------------------------------------------------------------ configuration

    /// @notice Replaces the set of api payers, at most 50. Owner only: neither a payer nor the admin payer can.
    function setApiPayers(address[] calldata newApiPayers) external;

    /// @notice Owner or config operator.
    function setAdminApiPayerAccount(address newAdminApiPayerAccount) external;

    /// @notice Owner or config operator.
    function setConfigOperator(address newConfigOperator) external;

    /// @notice Sets a value that nodes read; an empty value removes the key. At most 100 keys, key up to 128 bytes,
    /// value up to 1,024 bytes. Owner or config operator.
    function setNodeConfiguration(string calldata key, string calldata value) external;

    /// @notice Owner or pricing operator.
    function setPricing(uint256 pricingItemId, uint256 price) external;

    /// @notice Owner or pricing operator.
    function setPricingOperator(address newPricingOperator) external;

    function api_payers() external view returns (address[] memory);

    function adminApiPayerAccount() external view returns (address);

    function pricingOperator() external view returns (address);

    function configOperator() external view returns (address);

    /// @notice Accounts ever opened.
    function accountCount() external view returns (uint256);

    /// @notice Wallets ever registered.
    function pkpCount() external view returns (uint256);

    /// @notice The price of an item, 0 when it was never set.
    function getPricing(uint256 pricingItemId) external view returns (uint256);

    /// @notice The value of a key, empty when it was never set.
    function nodeConfigurationValue(string calldata key) external view returns (string memory);

    function nodeConfigurationValues() external view returns (NodeConfiguration[] memory);
}
