// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title IMemberWrites
/// @notice Adds and removes several members of a group in one call, with the events of the functions for one member.
/// Conventions: see IAccountConfig.
interface IMemberWrites {
    /// @notice Permits up to 10 actions and 10 wallets in a group, like addActionToGroup and addPkpToGroup in the order of the
    /// arrays. Permission: manageIPFSIdsInGroups when there are CIDs, then addPkpToGroups when there are wallets.
    function addToGroup(
        uint256 apiKeyHash,
        uint256 groupId,
        uint256[] calldata cidHashes,
        address[] calldata pkpIds
    ) external;

    /// @notice Removes up to 10 actions and 10 wallets from a group, like removeActionFromGroup and removePkpFromGroup in the
    /// order of the arrays. Permission: manageIPFSIdsInGroups when there are CIDs, then removePkpFromGroups when there are
    /// wallets.
    function removeFromGroup(
        uint256 apiKeyHash,
        uint256 groupId,
        uint256[] calldata cidHashes,
        address[] calldata pkpIds
    ) external;
}
