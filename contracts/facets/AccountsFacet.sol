// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { AccountWrites } from "./writes/AccountWrites.sol";

/// @notice Opens, hands over and ends accounts, see IAccountWrites.
contract AccountsFacet is AccountWrites { }
