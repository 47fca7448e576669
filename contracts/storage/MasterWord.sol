// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { Ref, Refs } from "./Ref.sol";
import { SparseSet } from "./SparseSet.sol";

/// @notice The master hash and the removed groups of an account: removed groups: set 102 | groups 22 at 102 |
/// exists 1 at 126 | rest of the hash at 127; or 1 when the account was evicted, 2 when it was retired (bits 8 to 29 may be set
/// too: a gap).
type MasterWord is uint256;

using MasterWords for MasterWord global;

library MasterWords {
    uint256 internal constant MAX_GROUPS = (1 << 22) - 1;
    /// The whole word of an evicted account: its ref names nothing and is never used again.
    uint256 internal constant EVICTED = 1;
    /// The whole word of a retired account.
    uint256 internal constant RETIRED = 2;

    uint256 private constant GROUPS_SHIFT = 102;
    uint256 private constant EXISTS = 1 << 126;

    function create(uint256 masterHash) internal pure returns (MasterWord) {
        return MasterWord.wrap((masterHash & ~Refs.LOW_127) | EXISTS);
    }

    /// @notice False for an evicted or retired account.
    function exists(MasterWord master) internal pure returns (bool) {
        return MasterWord.unwrap(master) & EXISTS != 0;
    }

    /// @notice Returns the master hash that a ref and its master word put together.
    function hashOf(MasterWord master, Ref ref) internal pure returns (uint256) {
        return (MasterWord.unwrap(master) & ~Refs.LOW_127) | ref.lowHash();
    }

    /// @notice Returns the number of group ids that an account has given out.
    function groupCount(MasterWord master) internal pure returns (uint256) {
        return (MasterWord.unwrap(master) >> GROUPS_SHIFT) & MAX_GROUPS;
    }

    /// @notice Gives out the next group id.
    function withGroup(MasterWord master) internal pure returns (MasterWord) {
        return MasterWord.wrap(MasterWord.unwrap(master) + (1 << GROUPS_SHIFT));
    }

    function removedGroups(MasterWord master) internal pure returns (SparseSet) {
        return SparseSet.wrap(MasterWord.unwrap(master));
    }

    /// @notice Returns the last word of 256 ids.
    function lastWord(MasterWord master) internal pure returns (uint256) {
        return groupCount(master) >> 8;
    }

    /// @notice Returns the ids among [256 · word, 256 · word + 255] that an account has given out.
    /// @param word At most the last one.
    function givenOut(MasterWord master, uint256 word) internal pure returns (uint256 bits) {
        // Unchecked: 1 << 256 is 0, and 0 - 1 is all ones.
        unchecked {
            bits = lastWord(master) == word ? (2 << (groupCount(master) & 255)) - 1 : type(uint256).max;
        }
        if (word == 0) bits ^= 1; // ids start at 1
    }
}
