// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title LibGrantsAssembly
/// @notice The loop of LibDrafts over groups of one page, in assembly because it runs for each entry of four lists: that
/// saves 8 % of a call with twenty of them.
library LibGrantsAssembly {
    /// @notice Twin of LibDrafts.add for four lists, as long as all groups are in one page. Reads four arguments of the call,
    /// whose decoder has checked them.
    /// @param head The position of the first of the four arguments in the calldata. Their offsets count from position 4.
    /// @return word The groups by `id & 63`, 64 bits per list. Of use only when `found` is true.
    /// @return page The page of the groups. Of use only when `found` is true.
    /// @return found True when there are groups, and all are in one page.
    function onePage(uint256 head) internal pure returns (uint256 word, uint256 page, bool found) {
        uint256 any;
        uint256 all = type(uint256).max;
        // memory-safe: accesses no memory.
        assembly ("memory-safe") {
            // The lowest bit of a list leaves the word after the fourth list.
            for { let lowest := 1 } lowest {
                lowest := shl(64, lowest)
                head := add(head, 0x20)
            } {
                let at := add(4, calldataload(head))
                let end := add(at, shl(5, calldataload(at)))
                for { } lt(at, end) { } {
                    at := add(at, 0x20)
                    let groupId := calldataload(at)
                    word := or(word, shl(and(groupId, 63), lowest))
                    any := or(any, groupId)
                    all := and(all, groupId)
                }
            }
        }
        page = any >> 6;
        found = page == all >> 6;
    }
}
