// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { LibGrantsAssembly } from "../../contracts/libraries/LibGrantsAssembly.sol";
import { Random } from "../utils/Random.sol";
import { Vm } from "../utils/Vm.sol";

/// @notice LibGrantsAssembly against its Solidity twin.
contract LibGrantsAssemblyTest is Random {
    Vm private constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));

    /// @notice An external call, so that the array is in the calldata.
    function pageOf(uint256[] calldata groupIds) external pure returns (uint256 bits, bool onePage) {
        return LibGrantsAssembly.pageOf(groupIds);
    }

    function _pageOf(uint256[] memory groupIds) private pure returns (uint256 bits, bool onePage) {
        onePage = true;
        for (uint256 i; i < groupIds.length; ++i) {
            if (groupIds[i] / 64 != groupIds[0] / 64) onePage = false;
            bits |= 1 << (groupIds[i] % 64);
        }
    }

    function _assertTwins(uint256[] memory groupIds) private view {
        (uint256 bits, bool onePage) = this.pageOf(groupIds);
        (uint256 expectedBits, bool expectedOnePage) = _pageOf(groupIds);
        vm.assertEq(bits, expectedBits);
        vm.assertEq(onePage, expectedOnePage);
    }

    function testFuzz_pageOf_AnyIds(uint256[] calldata groupIds) external view {
        vm.assume(groupIds.length != 0);
        _assertTwins(groupIds);
    }

    /// Ids of one page, with a chance of one id of a neighbour page.
    function testFuzz_pageOf_NearIds(uint256 seed_) external {
        seed = seed_;
        uint256[] memory groupIds = new uint256[](1 + random(50));
        uint256 page = random(1 << 18);
        for (uint256 i; i < groupIds.length; ++i) {
            groupIds[i] = 64 * page + random(64);
        }
        _assertTwins(groupIds);
        groupIds[random(groupIds.length)] += 64;
        _assertTwins(groupIds);
    }
}
