// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title IActionWrites
/// @notice Adds and removes actions of an account and of its groups. Conventions: see IAccountConfig.
interface IActionWrites {
    event ActionAdded(
        uint256 indexed masterApiKeyHash, uint256 indexed actionHash, string name, string description
    );
    event ActionMetadataUpdated(
        uint256 indexed masterApiKeyHash, uint256 indexed actionHash, string name, string description
    );
    /// @notice The action was removed from the account and from every group.
    event ActionRemoved(uint256 indexed masterApiKeyHash, uint256 indexed actionHash);
    event ActionAddedToGroup(
        uint256 indexed masterApiKeyHash, uint256 indexed groupId, uint256 indexed actionHash
    );
    event ActionRemovedFromGroup(
        uint256 indexed masterApiKeyHash, uint256 indexed groupId, uint256 indexed actionHash
    );

    /// @notice Registers an action. Master. It takes the place of an action with the same lower 127 bits, which is removed:
    /// a usage key may have registered one to block this.
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
    /// @param groupId 0, or a group that must hold the action.
    function updateActionMetadata(
        uint256 apiKeyHash,
        uint256 actionHash,
        uint256 groupId,
        string calldata name,
        string calldata description
    ) external;

    /// @notice Permits an action in a group. An action that the account does not have is registered with empty labels.
    /// Hash 0 permits every action. Adding a member again changes nothing. Permission: manageIPFSIdsInGroups.
    function addActionToGroup(uint256 apiKeyHash, uint256 groupId, uint256 actionHash) external;

    /// @notice Removes an action from a group. Permission: manageIPFSIdsInGroups.
    function removeActionFromGroup(uint256 apiKeyHash, uint256 groupId, uint256 actionHash) external;
}
