// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @notice Consecutive random values from the seed of a fuzz run.
abstract contract Random {
    uint256 internal seed;

    /// @notice Returns a number below `count`.
    function random(uint256 count) internal returns (uint256) {
        seed = uint256(keccak256(abi.encode(seed)));
        return seed % count;
    }

    function randomBytes(uint256 length) internal returns (bytes memory data) {
        data = new bytes(length);
        for (uint256 i; i < length; ++i) {
            data[i] = bytes1(uint8(random(256)));
        }
    }
}
