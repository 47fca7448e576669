// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IErrors } from "../../contracts/interfaces/IErrors.sol";
import { IViewsFacet } from "../../contracts/interfaces/IViewsFacet.sol";
import { AccountConfigTest } from "../utils/AccountConfigTest.sol";
import { Random } from "../utils/Random.sol";

/// @notice Pages of listApiKeys, listGroups, listPkps, listActions, listActionsInGroup and listWalletsInGroup.
contract ListsFuzzTest is AccountConfigTest, Random {
    uint256 private constant ENTRIES = 140;
    uint256 private constant LISTS = 6;

    /// Every list has ENTRIES entries with gaps. All groups but the last are empty.
    function setUp() public override {
        super.setUp();
        addGroupsUpTo(ENTRIES);
        for (uint256 i = 2; i < ENTRIES; ++i) {
            uint256 id = 50_000 + i;
            by(payer).addAction(MANAGED, "", "", id);
            by(payer).registerWalletDerivation(MANAGED, address(uint160(id)), id, "", "");
            by(payer).addActionToGroup(MANAGED, ENTRIES, id);
            by(payer).addPkpToGroup(MANAGED, ENTRIES, address(uint160(id)));
            setKey(newKey(id));
        }
        by(payer).addActionToGroup(MANAGED, ENTRIES, 0);
        by(payer).addPkpToGroup(MANAGED, ENTRIES, address(0));
        seed = 1;
        for (uint256 i; i < 40; ++i) {
            uint256 n = 3 + random(ENTRIES - 4);
            if (accountConfig.allApiKeyHashesToMaster(50_000 + n) == 0) continue;
            by(payer).removeUsageApiKey(MANAGED, 50_000 + n);
            by(payer).removeGroup(MANAGED, n);
            by(payer).removeAction(MANAGED, 50_000 + n);
            by(payer).removeWalletDerivation(MANAGED, address(uint160(50_000 + n)));
        }
    }

    /// @notice Returns a page of one of the lists, one word per entry.
    function _page(uint256 which, uint256 pageNumber, uint256 pageSize)
        private
        view
        returns (uint256[] memory page)
    {
        if (which == 0) return accountConfig.listGroups(MANAGED, pageNumber, pageSize);
        if (which == 1) return accountConfig.listActions(MANAGED, pageNumber, pageSize);
        if (which == 2) return accountConfig.listActionsInGroup(MANAGED, ENTRIES, pageNumber, pageSize);
        if (which == 5) {
            IViewsFacet.UsageApiKey[] memory keys = accountConfig.listApiKeys(MANAGED, pageNumber, pageSize);
            page = new uint256[](keys.length);
            for (uint256 i; i < keys.length; ++i) {
                page[i] = uint256(keccak256(abi.encode(keys[i])));
            }
            return page;
        }
        IViewsFacet.Pkp[] memory pkps = which == 3
            ? accountConfig.listPkps(MANAGED, pageNumber, pageSize)
            : accountConfig.listWalletsInGroup(MANAGED, ENTRIES, pageNumber, pageSize);
        page = new uint256[](pkps.length);
        for (uint256 i; i < pkps.length; ++i) {
            page[i] = uint256(keccak256(abi.encode(pkps[i])));
        }
    }

    /// @notice Lists of a group are counted without gaps, the others by indices that are never reused.
    function _isDense(uint256 which) private pure returns (bool) {
        return which == 2 || which == 4;
    }

    /// @notice Returns the largest page.
    function _limit(uint256 which) private pure returns (uint256) {
        return which == 5 ? 20 : 1000;
    }

    /// @notice Returns a list by pages of 10.
    function _whole(uint256 which) private view returns (uint256[] memory all) {
        all = new uint256[](ENTRIES);
        uint256 count;
        for (uint256 i; i <= ENTRIES / 10; ++i) {
            uint256[] memory page = _page(which, i, 10);
            for (uint256 j; j < page.length; ++j) {
                all[count++] = page[j];
            }
        }
        // memory-safe: shortens an array that was allocated here.
        assembly ("memory-safe") {
            mstore(all, count)
        }
    }

    /// Pages of any size make up the list, no page is longer than its size, and pages beyond the end are empty.
    function testFuzz_PagesAreTheList(uint8 which, uint16 pageSize) external view {
        which %= uint8(LISTS);
        uint256 size = uint256(pageSize) % _limit(which) + 1;
        uint256[] memory whole = _whole(which);
        vm.assertTrue(whole.length > 90, "the list is not empty");
        uint256 position;
        uint256 pages = ENTRIES / size + 1;
        for (uint256 i; i < pages; ++i) {
            uint256[] memory page = _page(which, i, size);
            vm.assertTrue(page.length <= size);
            if (_isDense(which) && position + size <= whole.length) vm.assertEq(page.length, size, "a gap");
            for (uint256 j; j < page.length; ++j) {
                vm.assertEq(page[j], whole[position++]);
            }
        }
        vm.assertEq(position, whole.length);
        vm.assertEq(_page(which, pages, size).length, 0);
    }

    /// Any page: a size out of range is refused, every other page is a part of the list.
    function testFuzz_AnyPage(uint8 which, uint256 pageNumber, uint256 pageSize, bool near) external {
        which %= uint8(LISTS);
        if (near) (pageNumber, pageSize) = (pageNumber % 200, pageSize % 1100);
        if (near) pageSize %= _limit(which) + 50;
        if (pageSize == 0 || pageSize > _limit(which)) {
            expectRevert(IErrors.PageSizeOutOfRange.selector, pageSize, _limit(which));
            this.pageOf(which, pageNumber, pageSize);
            return;
        }
        uint256[] memory page = _page(which, pageNumber, pageSize);
        vm.assertTrue(page.length <= pageSize);
        if (pageNumber > ENTRIES / pageSize) vm.assertEq(page.length, 0);
    }

    function pageOf(uint256 which, uint256 pageNumber, uint256 pageSize)
        external
        view
        returns (uint256[] memory)
    {
        return _page(which, pageNumber, pageSize);
    }

    /// Changes elsewhere shift no page of a list by indices.
    function testFuzz_PagesDoNotShift(uint16 pageSize, uint8 removed) external {
        uint256 size = uint256(pageSize) % 50 + 1;
        uint256[] memory groups = accountConfig.listGroups(MANAGED, 0, 1000);
        uint256 id = groups[removed % groups.length];
        uint256 home = (id - 1) / size;
        uint256 pages = ENTRIES / size + 1;
        bytes32[] memory before = new bytes32[](pages);
        for (uint256 i; i < pages; ++i) {
            before[i] = keccak256(abi.encode(_page(0, i, size)));
        }
        by(payer).removeGroup(MANAGED, id);
        for (uint256 i; i < pages; ++i) {
            vm.assertEq(keccak256(abi.encode(_page(0, i, size))) == before[i], i != home);
        }
    }

    /// listSizes counts every entry ever added.
    function testFuzz_listSizes(uint8[4] calldata made) external {
        (uint256 keys, uint256 groups, uint256 pkps, uint256 actions) = accountConfig.listSizes(MANAGED);
        uint256[4] memory counts = [uint256(made[0]) % 4, made[1] % 4, made[2] % 4, made[3] % 4];
        for (uint256 i = 1; i <= 4; ++i) {
            uint256 id = 90_000 + i;
            if (i <= counts[0]) setKey(newKey(id));
            if (i <= counts[1]) by(payer).addGroup(MANAGED, "", "", list(), wallets());
            if (i <= counts[2]) {
                by(payer).registerWalletDerivation(MANAGED, address(uint160(id)), id, "", "");
            }
            if (i <= counts[3]) by(payer).addAction(MANAGED, "", "", id);
        }
        (uint256 keys_, uint256 groups_, uint256 pkps_, uint256 actions_) = accountConfig.listSizes(MANAGED);
        vm.assertEq(keys_ - keys, counts[0]);
        vm.assertEq(groups_ - groups, counts[1]);
        vm.assertEq(pkps_ - pkps, counts[2]);
        vm.assertEq(actions_ - actions, counts[3]);
    }
}
