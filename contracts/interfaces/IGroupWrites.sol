// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title IGroupWrites
/// @notice Adds, replaces and removes groups. Conventions: see IAccountConfig.
interface IGroupWrites {
    /// @notice A new group. An ActionAdded event with empty labels precedes it for each CID hash that was new to the account.
    event GroupAdded(
        uint256 indexed masterApiKeyHash,
        uint256 indexed groupId,
        string name,
        string description,
        uint256[] cidHashes,
        address[] pkpIds
    );
    /// @notice The labels and contents of a group were replaced.
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

    /// @notice Adds a group. Permission: createGroups. A usage key that adds contents also needs the wildcard of
    /// manageIPFSIdsInGroups (for CIDs) and of addPkpToGroups (for wallets), since no other grant covers a new group.
    /// The wildcards are checked after the caller, because they concern the contents.
    function addGroup(
        uint256 apiKeyHash,
        string calldata name,
        string calldata description,
        uint256[] calldata cidHashes,
        address[] calldata pkpIds
    ) external returns (uint256 groupId);

    /// @notice Replaces the labels and all contents of a group. Master.
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
}
