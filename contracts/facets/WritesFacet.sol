// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IWritesFacet } from "../interfaces/IWritesFacet.sol";
import { UsageKeyWrites } from "./writes/UsageKeyWrites.sol";

/// @notice Writes usage keys, and several calls in one, see IWritesFacet and the interfaces of its parts.
contract WritesFacet is IWritesFacet, UsageKeyWrites {
    /// @inheritdoc IWritesFacet
    function multicall(bytes[] calldata calls) external returns (bytes[] memory results) {
        results = new bytes[](calls.length);
        for (uint256 i; i < calls.length; ++i) {
            // Through the diamond: a delegatecall keeps msg.sender, so each call is authorised like a direct one.
            (bool ok, bytes memory result) = address(this).delegatecall(calls[i]);
            if (!ok) {
                // memory-safe: reads an allocated array of bytes.
                assembly ("memory-safe") {
                    revert(add(result, 32), mload(result))
                }
            }
            results[i] = result;
        }
    }
}
