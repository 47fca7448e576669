// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @notice LibMemberships and its assembly twins as calls, for one account and one group.
interface IMembershipsHarness {
    /// @notice Starts with an account without items and an empty group.
    /// @param kind ACTION or WALLET.
    /// @param indices The number of indices of this kind that the account has given out.
    function start(uint256 kind, uint256 groupId, uint256 indices) external;
    /// @notice Leaves out indices, as those of removed items.
    function skip(uint256 indices) external;
    function register(uint256 id) external;
    function forget(uint256 id) external;
    /// @notice Adds another group to an item, when its window covers the group.
    function addToItem(uint256 id, uint256 groupId) external;
    function link(uint256 id) external;
    function indexOf(uint256 id) external view returns (uint256);
    /// @notice Returns the words of the items and of the group, and their members outside the windows.
    function state(uint256[] calldata ids) external view returns (uint256[] memory words);

    function linkNear(uint256[] calldata ids, uint256 from) external returns (uint256 to);
    /// @notice The twin of linkNear.
    function linkOneByOne(uint256[] calldata ids, uint256 from) external returns (uint256 to);
    function clearNear(uint256 index, uint256 bits) external returns (uint256 newIndex, uint256 newBits);
    /// @notice The twin of clearNear.
    function clearOneByOne(uint256 index, uint256 bits) external returns (uint256 newIndex, uint256 newBits);
}
