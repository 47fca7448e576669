// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IUsageKeyWrites } from "./IUsageKeyWrites.sol";

/// @title IViewsFacet
/// @notice Resolves hashes, answers permission questions and lists accounts. Conventions: see IAccountConfig.
interface IViewsFacet {
    struct UsageApiKey {
        uint256 usageApiKeyHash;
        /// Unix seconds from which the key is refused, 0 for no expiry.
        uint256 expiration;
        /// Ascending group ids without duplicates and without removed groups, `[0]` for all groups.
        IUsageKeyWrites.UsageApiKeyPermissions permissions;
    }

    struct Pkp {
        address pkpId;
        uint256 derivationPath;
    }

    /// @notice The rule that decides about a run.
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
        /// The account of the key has not registered the wallet.
        WalletUnknown,
        /// No live group that the key may execute in permits both the action and the wallet.
        NoGroupPermitsWallet
    }

    struct Explanation {
        bool canExecute;
        /// The rule that decides about the action.
        ExecutionRule actionRule;
        /// The lowest group that grants the action, 0 when no group does.
        uint256 actionGroupId;
        bool canUseWallet;
        /// The rule that decides about the wallet.
        ExecutionRule walletRule;
        /// The lowest group that grants the wallet to the action, 0 when no group does.
        uint256 walletGroupId;
    }

    /// @notice The state of a hash. `docs/contract.md` has the transitions.
    enum HashState {
        /// It was never used in this contract.
        Unused,
        /// It names an account: the account key, or the identity of a wallet that chose the account.
        Account,
        /// It names a usage key, which may have expired.
        UsageKey,
        /// The identity of a wallet that chose no account, and the account is the last one that waits for it. It names nothing.
        Waiting,
        /// The account key or usage key was replaced by a rotation. It names nothing.
        Rotated,
        /// The usage key was removed. It names nothing until its account sets it again.
        Removed,
        /// Its account was retired, or evicted by the wallet whose identity the hash of its key was. It names nothing.
        Ended
    }

    struct AccountState {
        HashState state;
        /// The account that the hash names or belonged to. 0 for Unused, and for Ended where it is not known.
        uint256 masterApiKeyHash;
        /// The fields below describe that account. They are zero for Unused and Ended.
        address adminWalletAddress;
        bool managed;
        /// False while the account waits for the wallet that it was transferred to. Services take no payment for it then.
        bool accepted;
        /// The wallet that can take the account back while it is not accepted, else 0.
        address giver;
        /// The account key was replaced: the master hash is not an account key.
        bool rotated;
        /// The account is managed and the api payers are frozen: no caller can write it.
        bool frozen;
        /// Of a usage key: Unix seconds from which it is refused, 0 for no expiry.
        uint256 expiration;
    }

    // ------------------------------------------------------------------------------------------------ look-up

    /// @notice Returns all that a service or a wallet needs to know about a hash before it acts for it.
    function accountState(uint256 hash) external view returns (AccountState memory);

    /// @notice Returns what a hash names, all zero when it names nothing. An expired usage key still resolves.
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

    /// @notice The admin wallet of the account that `apiKeyHash` (of a usage key too) belongs to.
    function getAccountWalletAddress(uint256 apiKeyHash) external view returns (address);

    /// @notice The master hash of the account that `hash` (of a usage key too) belongs to, 0 when it names nothing.
    function allApiKeyHashesToMaster(uint256 hash) external view returns (uint256);

    /// @notice The derivation path of a wallet of the account, 0 when the account does not have it. Takes the hash of a usage
    /// key too.
    function getWalletDerivation(uint256 apiKeyHash, address pkpId) external view returns (uint256);

    /// @notice The master hash of the account that owns a path, 0 when the path is free or its account was evicted.
    function getPathOwnerMaster(uint256 derivationPath) external view returns (uint256);

    /// @notice True when an account has ever registered the path, also when that account has ended: no account can register it
    /// again.
    function isPathRegistered(uint256 derivationPath) external view returns (bool);

    /// @notice The number of accounts ever opened.
    function accountCount() external view returns (uint256);

    /// @notice The number of derivation paths ever registered, each of which makes one wallet.
    function pkpCount() external view returns (uint256);

    // -------------------------------------------------------------------------------------------- permissions

    /// @notice True when this usage key may run this CID. It needs the execute wildcard, or a group that it may execute in
    /// and that permits the CID. False for any hash that is not a live usage key.
    function canExecuteAction(uint256 apiKeyHash, uint256 cidHash) external view returns (bool);

    /// @notice True when this CID, run by this usage key, may use this wallet. It needs a group that the key may execute in
    /// (the wildcard grants every group) and that permits both. The wallet must be registered in the key's account.
    function canUseWalletInAction(uint256 apiKeyHash, uint256 cidHash, address pkpId)
        external
        view
        returns (bool);

    /// @notice The answers of canExecuteAction and canUseWalletInAction in one call.
    function canExecuteActionAndUseWallet(uint256 apiKeyHash, uint256 cidHash, address pkpId)
        external
        view
        returns (bool canExecute, bool canUseWallet);

    /// @notice The same answers with the rules that decide them.
    function explainExecution(uint256 apiKeyHash, uint256 cidHash, address pkpId)
        external
        view
        returns (Explanation memory);

    // -------------------------------------------------------------------------------------------------- lists
    // Every entry of an account has an index that is never reused, in order of creation. Page n of size s holds the live
    // entries among the indices [n·s, (n+1)·s), so pages neither shift nor repeat when entries come and go. A page may hold
    // fewer than s entries, and is empty from `listSizes` on. A page size of 0 or over 1,000 reverts, for usage keys over 20.
    // Every hash of the account works, including the hash of a usage key.

    /// @notice The number of indices that each list has given out, including those of removed entries.
    function listSizes(uint256 apiKeyHash)
        external
        view
        returns (uint256 apiKeys, uint256 groups, uint256 pkps, uint256 actions);

    /// @notice The live usage keys. A page has at most 20, because a key may have groups in 200 places in storage.
    function listApiKeys(uint256 apiKeyHash, uint256 pageNumber, uint256 pageSize)
        external
        view
        returns (UsageApiKey[] memory);

    /// @notice The ids of the live groups. Group id `i + 1` has index `i`.
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

    /// @notice The contents of a group, the first 1,000 of each kind. Hash 0 and wallet 0 come first and mean "every".
    function listGroupContents(uint256 apiKeyHash, uint256 groupId)
        external
        view
        returns (uint256[] memory cidHashes, address[] memory pkpIds);

    /// @notice A page of the members of a group, counted without gaps. Wallet 0 comes first and means "every".
    function listWalletsInGroup(uint256 apiKeyHash, uint256 groupId, uint256 pageNumber, uint256 pageSize)
        external
        view
        returns (Pkp[] memory);

    /// @notice A page of the members of a group, counted without gaps. Hash 0 comes first and means "every".
    function listActionsInGroup(uint256 apiKeyHash, uint256 groupId, uint256 pageNumber, uint256 pageSize)
        external
        view
        returns (uint256[] memory actionHashes);
}
