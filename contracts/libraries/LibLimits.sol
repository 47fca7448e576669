// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IErrors } from "../interfaces/IErrors.sol";

/// @title LibLimits
/// @notice The sizes that every call is held to (rule 12).
library LibLimits {
    uint256 private constant NAME_BYTES = 128;
    uint256 private constant DESCRIPTION_BYTES = 1024;
    uint256 private constant GROUP_ENTRIES = 10;
    uint256 private constant KEY_ENTRIES = 50;
    uint256 private constant PAGE_SIZE = 1000;

    function labels(string calldata name, string calldata description) internal pure {
        if (bytes(name).length > NAME_BYTES) revert IErrors.InvalidRequest("name over 128 bytes");
        if (bytes(description).length > DESCRIPTION_BYTES) {
            revert IErrors.InvalidRequest("description over 1024 bytes");
        }
    }

    function groupEntries(uint256[] calldata cidHashes, address[] calldata pkpIds) internal pure {
        if (cidHashes.length > GROUP_ENTRIES || pkpIds.length > GROUP_ENTRIES) {
            revert IErrors.InvalidRequest("more than 10 entries");
        }
    }

    function keyEntries(uint256 length) internal pure {
        if (length > KEY_ENTRIES) revert IErrors.InvalidRequest("more than 50 entries");
    }

    function checkPageSize(uint256 pageSize) internal pure {
        if (pageSize == 0 || pageSize > PAGE_SIZE) {
            revert IErrors.InvalidRequest("page size not in 1 to 1000");
        }
    }

    /// @return from The first index of a page.
    /// @return to The index after its last one, at most `count`.
    function page(uint256 pageNumber, uint256 pageSize, uint256 count)
        internal
        pure
        returns (uint256 from, uint256 to)
    {
        checkPageSize(pageSize);
        if (pageNumber > count / pageSize) return (count, count);
        from = pageNumber * pageSize;
        to = from + pageSize > count ? count : from + pageSize;
    }
}
