// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IUsageKeyWrites } from "../interfaces/IUsageKeyWrites.sol";

/// @title LibEventsAssembly
/// @notice Arrays in events, in assembly because Solidity decodes and copies them entry by entry.
library LibEventsAssembly {
    /// @notice Twin of a cast of the addresses to words, which stay as they are in the calldata. The caller must refuse words
    /// with bits above an address; no such word is a known wallet.
    function asWords(address[] calldata addresses) internal pure returns (uint256[] calldata words) {
        // memory-safe: accesses no memory.
        assembly ("memory-safe") {
            words.offset := addresses.offset
            words.length := addresses.length
        }
    }

    /// @notice Twin of `emit UsageApiKeySet` with the arguments of setUsageApiKey, copied from the calldata. Only for
    /// setUsageApiKey, whose decoder has checked them: an encoding by way of memory costs 1,400 to 4,500 gas more, and four
    /// rows miss their targets.
    function usageApiKeySet(uint256 masterHash) internal {
        bytes32 topic = IUsageKeyWrites.UsageApiKeySet.selector;
        // memory-safe: writes beyond the free memory pointer only.
        assembly ("memory-safe") {
            /// Copies the string whose offset is at `argument` and pads it with zeros.
            function copyString(to, argument) -> end {
                let from := add(4, calldataload(argument))
                let length := calldataload(from)
                end := add(add(to, 32), and(add(length, 31), not(31)))
                mstore(sub(end, 32), 0)
                calldatacopy(to, from, add(length, 32))
            }

            let data := mload(0x40)
            calldatacopy(data, 0x44, 0x40) // expiration, balance
            mstore(add(data, 0x40), 0xa0)
            let end := copyString(add(data, 0xa0), 0x84) // name
            mstore(add(data, 0x60), sub(end, data))
            end := copyString(end, 0xa4) // description
            mstore(add(data, 0x80), sub(end, data))
            let permissions := end
            calldatacopy(permissions, 0xc4, 0x60) // createGroups, deleteGroups, createPKPs
            end := add(permissions, 0xe0)
            for { let i := 0 } lt(i, 0x80) { i := add(i, 0x20) } {
                mstore(add(add(permissions, 0x60), i), sub(end, permissions))
                let from := add(4, calldataload(add(0x124, i))) // the four lists
                let size := shl(5, add(calldataload(from), 1))
                calldatacopy(end, from, size)
                end := add(end, size)
            }
            log3(data, sub(end, data), topic, masterHash, calldataload(0x24))
        }
    }
}
