// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title IWritesFacet
/// @notice The function of the writes facet that no interface of its parts has.
interface IWritesFacet {
    /// @notice Makes several calls in one transaction as the same caller, all or nothing. Reverts with the first revert data.
    /// @return results The return data of each call.
    function multicall(bytes[] calldata calls) external returns (bytes[] memory results);
}
