// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { LibGrantsAssembly } from "../../contracts/libraries/LibGrantsAssembly.sol";
import { Random } from "../utils/Random.sol";
import { Vm } from "../utils/Vm.sol";

/// @notice LibGrantsAssembly against its Solidity twin.
contract LibGrantsAssemblyTest is Random {
    Vm private constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));

    /// @notice An external call, so that the arrays are in the calldata.
    function onePage(uint256[] calldata, uint256[] calldata, uint256[] calldata, uint256[] calldata)
        external
        pure
        returns (uint256 word, uint256 page, bool found)
    {
        return LibGrantsAssembly.onePage(4);
    }

    function _onePage(uint256[][4] memory lists)
        private
        pure
        returns (uint256 word, uint256 page, bool found)
    {
        bool several;
        for (uint256 list; list < 4; ++list) {
            for (uint256 i; i < lists[list].length; ++i) {
                uint256 groupId = lists[list][i];
                if (found && page != groupId / 64) several = true;
                (page, found) = (groupId / 64, true);
                word |= 1 << (64 * list + groupId % 64);
            }
        }
        found = found && !several;
    }

    function _assertTwins(uint256[][4] memory lists) private view {
        (uint256 word, uint256 page, bool found) = this.onePage(lists[0], lists[1], lists[2], lists[3]);
        (uint256 expectedWord, uint256 expectedPage, bool expectedFound) = _onePage(lists);
        vm.assertEq(found, expectedFound);
        if (!found) return;
        vm.assertEq(word, expectedWord);
        vm.assertEq(page, expectedPage);
    }

    function testFuzz_onePage_AnyIds(uint256[][4] calldata lists) external view {
        _assertTwins(lists);
    }

    /// Ids of one page, with a chance of one id of another page, or beyond all pages.
    function testFuzz_onePage_NearIds(uint256 seed_) external {
        seed = seed_;
        uint256[][4] memory lists;
        uint256 page = random(8) == 0 ? type(uint256).max / 64 : random(3) == 0 ? 0 : random(1 << 18);
        for (uint256 list; list < 4; ++list) {
            lists[list] = new uint256[](random(6));
            for (uint256 i; i < lists[list].length; ++i) {
                lists[list][i] = 64 * page + random(64);
            }
        }
        _assertTwins(lists);
        uint256[] memory some = lists[random(4)];
        if (some.length == 0) return;
        some[random(some.length)] = [uint256(0), 64 * (page / 2) + 5, type(uint256).max][random(3)];
        _assertTwins(lists);
    }
}
