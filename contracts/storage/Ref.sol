// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @notice Names an account in 128 bits: the lower 127 bits of the master hash and the namespace bit (0: key hash, 1: wallet
/// identity). Two accounts with one ref would need a second preimage of 127 bits, and the second one is refused.
type Ref is uint256;

using Refs for Ref global;

library Refs {
    uint256 internal constant LOW_127 = (1 << 127) - 1;
    uint256 private constant SHIFT = 128;

    /// @notice Returns the ref of an account by its master hash and namespace bit.
    function create(uint256 masterHash, uint256 namespace) internal pure returns (Ref) {
        return Ref.wrap(((masterHash & LOW_127) << 1) | namespace);
    }

    /// @notice Returns the ref in the upper half of a word.
    function ofUpper(uint256 word) internal pure returns (Ref) {
        return Ref.wrap(word >> SHIFT);
    }

    /// @notice Returns a word with the ref above `low`, which must fit into 128 bits.
    function above(Ref ref, uint256 low) internal pure returns (uint256) {
        return (Ref.unwrap(ref) << SHIFT) | low;
    }

    function equals(Ref ref, Ref other) internal pure returns (bool) {
        return Ref.unwrap(ref) == Ref.unwrap(other);
    }

    /// @notice Returns the lower 127 bits of the master hash.
    function lowHash(Ref ref) internal pure returns (uint256) {
        return Ref.unwrap(ref) >> 1;
    }
}
