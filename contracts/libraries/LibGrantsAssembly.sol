// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title LibGrantsAssembly
/// @notice The loop of LibGrants.draft over groups of one page, in assembly because it runs for each entry of four lists.
library LibGrantsAssembly {
    /// @notice Twin of the loop of LibGrants.draft, as long as all groups are in one page.
    /// @param groupIds At least one group.
    /// @return bits The groups by `id & 63`, of use only when `onePage` is true.
    /// @return onePage True when all groups are in the page of the first group.
    function pageOf(uint256[] calldata groupIds) internal pure returns (uint256 bits, bool onePage) {
        uint256 first = groupIds[0];
        uint256 differences;
        // memory-safe: accesses no memory.
        assembly ("memory-safe") {
            let end := add(groupIds.offset, shl(5, groupIds.length))
            for { let at := groupIds.offset } lt(at, end) { at := add(at, 0x20) } {
                let groupId := calldataload(at)
                bits := or(bits, shl(and(groupId, 63), 1))
                differences := or(differences, xor(groupId, first))
            }
        }
        onePage = differences >> 6 == 0;
    }
}
