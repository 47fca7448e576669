// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @notice Kinds of entries and of items.
library Kinds {
    // Of entries. A hash that was never used has kind 0.
    uint256 internal constant ACCOUNT = 1;
    uint256 internal constant ALIAS = 2;
    uint256 internal constant USAGE_KEY = 3;

    // Of items.
    uint256 internal constant ACTION = 0;
    uint256 internal constant WALLET = 1;
}
