// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { TimelockController } from "@openzeppelin/contracts/governance/TimelockController.sol";

/// @title Timelock
/// @notice An owner of AccountConfig that executes a call only after a delay. It has no admin: roles and the delay change
/// only by calls that it executes on itself.
contract Timelock is TimelockController {
    /// @param minDelay Seconds between a proposal and its execution.
    /// @param proposers May schedule and cancel calls.
    /// @param executors May execute scheduled calls after their delay.
    constructor(uint256 minDelay, address[] memory proposers, address[] memory executors)
        TimelockController(minDelay, proposers, executors, address(0))
    { }
}
