// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @notice A number of events on a day: day (Unix seconds / 86,400) from bit 64, number of events below.
library DayCount {
    uint256 private constant DAY_SHIFT = 64;

    function create(uint256 day, uint256 count) internal pure returns (uint256) {
        return (day << DAY_SHIFT) | count;
    }

    /// @notice Returns the number of events on a day, 0 when the word is of another day.
    function on(uint256 word, uint256 day) internal pure returns (uint256) {
        // The cast keeps the number.
        return word >> DAY_SHIFT == day ? uint64(word) : 0;
    }
}
