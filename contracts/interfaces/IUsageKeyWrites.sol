// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title IUsageKeyWrites
/// @notice Sets and removes usage keys. Conventions: see IAccountConfig.
interface IUsageKeyWrites {
    /// @notice The permissions of a usage key. The lists hold group ids; `[0]` grants all groups.
    struct UsageApiKeyPermissions {
        bool createGroups;
        bool deleteGroups;
        bool createPKPs;
        uint256[] manageIPFSIdsInGroups;
        uint256[] addPkpToGroups;
        uint256[] removePkpFromGroups;
        uint256[] executeInGroups;
    }

    /// @notice A usage key was added, or all of it was replaced. `permissions` are the arguments as given.
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
    event UsageApiKeyExpirationSet(
        uint256 indexed masterApiKeyHash, uint256 indexed usageApiKeyHash, uint256 expiration
    );
    /// @notice The hash of the usage key changed. Its place in lists, permissions, expiration and labels stay. The previous hash
    /// is never used again.
    event UsageApiKeyRotated(
        uint256 indexed masterApiKeyHash, uint256 indexed usageApiKeyHash, uint256 indexed newUsageApiKeyHash
    );
    /// @notice The usage key was removed, or a wallet whose identity is its hash claimed this identity. After a removal the hash
    /// can only become a usage key of this account again.
    event UsageApiKeyRemoved(uint256 indexed masterApiKeyHash, uint256 indexed usageApiKeyHash);
    /// @notice Every usage key that the account had was removed.
    event AllUsageApiKeysRemoved(uint256 indexed masterApiKeyHash);

    /// @notice Adds a usage key or replaces all of it. Afterwards its permissions equal the arguments. Master.
    /// GroupDoesNotExist for the first listed group that does not exist, then AccountAlreadyExists for a hash that is or was
    /// in use elsewhere, or was rotated away. A removed key of this account may be set again.
    /// @param expiration Unix seconds from which the key is refused, 0 for no expiry.
    /// @param balance A number for clients. It is emitted and never read.
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

    /// @notice Replaces the expiration of a usage key, also of an expired one. Master.
    /// @param expiration Unix seconds from which the key is refused, 0 for no expiry.
    function setUsageApiKeyExpiration(uint256 accountApiKeyHash, uint256 usageApiKeyHash, uint256 expiration)
        external;

    /// @notice Replaces the hash of a usage key and keeps everything else. The previous hash has no authority from this call on
    /// and is never used again, in any account. Master. UsageApiKeyDoesNotExist, then AccountAlreadyExists for a new hash that
    /// is or was in use. A removed key of this account may be the new one.
    function rotateUsageApiKey(uint256 accountApiKeyHash, uint256 usageApiKeyHash, uint256 newUsageApiKeyHash)
        external;

    /// @notice Removes a usage key. It is refused from this call on. Only this account may set its hash again.
    /// Master.
    function removeUsageApiKey(uint256 accountApiKeyHash, uint256 usageApiKeyHash) external;

    /// @notice Removes every usage key of the account, at a cost that does not depend on their number. Only this account may
    /// set their hashes again, without any earlier permission. Keys outlive a transfer of the account, so a new admin calls
    /// this to be sure that no key of a former one is left. Master.
    function removeAllUsageApiKeys(uint256 accountApiKeyHash) external;
}
