// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { AccountConfigTest } from "./AccountConfigTest.sol";

/// @notice The limits of names and descriptions, for every function with labels.
abstract contract LabelGuards is AccountConfigTest {
    /// @notice Calls the function on the managed account with these labels and otherwise valid arguments.
    function label(string memory name, string memory description) internal virtual;

    function test_LongestLabels() external {
        label(text(128), text(1024));
    }

    function test_EmptyLabels() external {
        label("", "");
    }

    function test_RevertWhen_NameIsTooLong() external {
        expectInvalidRequest("name over 128 bytes");
        label(text(129), DESCRIPTION);
    }

    function test_RevertWhen_DescriptionIsTooLong() external {
        expectInvalidRequest("description over 1024 bytes");
        label(NAME, text(1025));
    }
}
