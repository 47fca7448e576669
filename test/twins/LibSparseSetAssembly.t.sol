// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { LibSparseSetAssembly, SPARSE_WINDOW } from "../../contracts/libraries/LibSparseSetAssembly.sol";
import { Vm } from "../utils/Vm.sol";

/// @notice LibSparseSetAssembly against its Solidity twin.
contract LibSparseSetAssemblyTest {
    Vm private constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));

    function _windowBit(uint256 first, uint256 value) private pure returns (uint256) {
        return value >= first && value - first < SPARSE_WINDOW ? 1 << (value - first) : 0;
    }

    function testFuzz_windowBit(uint24 first, uint256 value) external pure {
        vm.assertEq(LibSparseSetAssembly.windowBit(first, value), _windowBit(first, value));
    }

    /// Every position around the window of a start.
    function testFuzz_windowBit_NearTheWindow(uint24 first) external pure {
        uint256 from = first < 3 ? 0 : first - 3;
        for (uint256 value = from; value < uint256(first) + SPARSE_WINDOW + 3; ++value) {
            vm.assertEq(LibSparseSetAssembly.windowBit(first, value), _windowBit(first, value));
        }
    }
}
