// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { LibSparseSetAssembly } from "../../contracts/libraries/LibSparseSetAssembly.sol";
import { Vm } from "../utils/Vm.sol";

/// @notice LibSparseSetAssembly against its Solidity twin.
contract LibSparseSetAssemblyTest {
    Vm private constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));

    function _bitOf(uint256 set, uint256 value) private pure returns (uint256) {
        if (_block(set >> 32) == value / 32) return 1 << (value % 32);
        if (_block(set >> 81) == value / 32) return 1 << (49 + value % 32);
        return 0;
    }

    function _block(uint256 word) private pure returns (uint256) {
        return word % (1 << 17);
    }

    function testFuzz_bitOf(uint256 set, uint256 value) external pure {
        vm.assertEq(LibSparseSetAssembly.bitOf(set, value), _bitOf(set, value));
    }

    function _inWindows(uint256 set, uint256 word) private pure returns (uint256 bits) {
        uint256[2] memory blocks = [_block(set >> 32), _block(set >> 81)];
        uint256[2] memory members = [set % (1 << 32), (set >> 49) % (1 << 32)];
        for (uint256 i; i < 2; ++i) {
            if (blocks[i] / 8 == word) bits |= members[i] << (32 * (blocks[i] % 8));
        }
    }

    function testFuzz_inWindows(uint256 set, uint256 word) external pure {
        uint256[3] memory words = [word, _block(set >> 32) / 8, _block(set >> 81) / 8];
        for (uint256 i; i < 3; ++i) {
            vm.assertEq(LibSparseSetAssembly.inWindows(set, words[i]), _inWindows(set, words[i]));
        }
    }

    /// Every position around both windows.
    function testFuzz_bitOf_NearTheWindows(uint256 set) external pure {
        uint256[2] memory firsts = [32 * _block(set >> 32), 32 * _block(set >> 81)];
        for (uint256 i; i < 2; ++i) {
            uint256 from = firsts[i] < 3 ? 0 : firsts[i] - 3;
            for (uint256 value = from; value < firsts[i] + 35; ++value) {
                vm.assertEq(LibSparseSetAssembly.bitOf(set, value), _bitOf(set, value));
            }
        }
    }
}
