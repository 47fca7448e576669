// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IWritesFacet } from "../interfaces/IWritesFacet.sol";
import { AccountWrites } from "./writes/AccountWrites.sol";
import { ActionWrites } from "./writes/ActionWrites.sol";
import { GroupWrites } from "./writes/GroupWrites.sol";
import { UsageKeyWrites } from "./writes/UsageKeyWrites.sol";
import { WalletWrites } from "./writes/WalletWrites.sol";

/// @notice Every write of accounts, see IAccountConfig.
contract WritesFacet is IWritesFacet, AccountWrites, UsageKeyWrites, GroupWrites, ActionWrites, WalletWrites {
    /// @inheritdoc IWritesFacet
    function multicall(bytes[] calldata calls) external returns (bytes[] memory results) {
        results = new bytes[](calls.length);
        for (uint256 i; i < calls.length; ++i) {
            // Back into the diamond: a delegatecall keeps msg.sender, so that each call is authorised as its own.
            (bool ok, bytes memory result) = address(this).delegatecall(calls[i]);
            if (!ok) {
                // memory-safe: reads the bytes that the call returned.
                assembly ("memory-safe") {
                    revert(add(result, 32), mload(result))
                }
            }
            results[i] = result;
        }
    }
}
