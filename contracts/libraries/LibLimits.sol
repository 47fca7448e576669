// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IErrors } from "../interfaces/IErrors.sol";

/// @title LibLimits
/// @notice The size limits of every call (rule 12).
library LibLimits {
    uint256 private constant NAME_BYTES = 128;
    uint256 private constant DESCRIPTION_BYTES = 1024;
    uint256 private constant GROUP_ENTRIES = 10;
    uint256 private constant KEY_ENTRIES = 50;
    uint256 private constant PAGE_SIZE = 1000;
    /// A key may have groups in 200 pages, which cost a cold read each.
    uint256 private constant KEY_PAGE_SIZE = 20;

    function labels(string calldata name, string calldata description) internal pure {
        if (bytes(name).length > NAME_BYTES) revert IErrors.InvalidRequest("name over 128 bytes");
        if (bytes(description).length > DESCRIPTION_BYTES) {
            revert IErrors.InvalidRequest("description over 1024 bytes");
        }
    }

    function groupEntries(uint256[] calldata cidHashes, address[] calldata pkpIds) internal pure {
        uint256 count = cidHashes.length > GROUP_ENTRIES ? cidHashes.length : pkpIds.length;
        if (count > GROUP_ENTRIES) revert IErrors.TooManyGroupEntries(count, GROUP_ENTRIES);
    }

    function keyEntries(uint256 a, uint256 b, uint256 c, uint256 d) internal pure {
        // The most frequent result: no number is larger than all of them combined.
        if (a | b | c | d <= KEY_ENTRIES) return;
        _keyEntries(a);
        _keyEntries(b);
        _keyEntries(c);
        _keyEntries(d);
    }

    function _keyEntries(uint256 count) private pure {
        if (count > KEY_ENTRIES) revert IErrors.TooManyUsageApiKeyEntries(count, KEY_ENTRIES);
    }

    function expiration(uint256 value) internal pure {
        if (value > type(uint40).max) revert IErrors.ExpirationTooLarge(value, type(uint40).max);
    }

    function checkPageSize(uint256 pageSize) internal pure {
        if (pageSize == 0 || pageSize > PAGE_SIZE) revert IErrors.PageSizeOutOfRange(pageSize, PAGE_SIZE);
    }

    function checkKeyPageSize(uint256 pageSize) internal pure {
        if (pageSize == 0 || pageSize > KEY_PAGE_SIZE) {
            revert IErrors.PageSizeOutOfRange(pageSize, KEY_PAGE_SIZE);
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
