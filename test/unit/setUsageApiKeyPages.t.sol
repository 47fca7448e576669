// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IErrors } from "../../contracts/interfaces/IErrors.sol";
import { AccountConfigTest } from "../utils/AccountConfigTest.sol";

/// @notice Rule 4 for grants in one page, in many pages and in none, and for each change from one to another.
contract SetUsageApiKeyPagesTest is AccountConfigTest {
    uint256 private constant LAST = 700;
    uint256 private constant KEY = uint256(keccak256("new usage key"));

    function setUp() public override {
        super.setUp();
        addGroupsUpTo(LAST);
    }

    /// @notice Exactly the given lists grant group `id`.
    function _assertGrants(UsageKey memory k, uint256 id) private {
        bool manages = _holds(k.manageIPFSIdsInGroups, id);
        bool adds = _holds(k.addPkpToGroups, id);
        bool removes = _holds(k.removePkpFromGroups, id);
        bool executes = _holds(k.executeInGroups, id);
        uint256 snapshot = vm.snapshotState();
        by(payer).updateGroup(MANAGED, id, "", "", list(ACTION), list(wallet));
        vm.assertEq(accountConfig.canUseWalletInAction(KEY, ACTION, wallet), executes);
        if (!manages) {
            expectRevert(IErrors.NotAllowedToManageIPFSIdsInGroup.selector, KEY, id);
        }
        by(payer).removeActionFromGroup(KEY, id, ACTION);
        if (!adds) expectRevert(IErrors.NotAllowedToAddPkpToGroup.selector, KEY, id);
        by(payer).addPkpToGroup(KEY, id, looseWallet);
        if (!removes) expectRevert(IErrors.NotAllowedToRemovePkpFromGroup.selector, KEY, id);
        by(payer).removePkpFromGroup(KEY, id, wallet);
        vm.revertToState(snapshot);
    }

    function _holds(uint256[] memory ids, uint256 id) private pure returns (bool) {
        for (uint256 i; i < ids.length; ++i) {
            if (ids[i] == id || ids[i] == 0) return true;
        }
        return false;
    }

    /// @notice Every list of the key starts at `offset` and continues in steps of `step`.
    function _key(uint256 offset, uint256 step, uint256 count) private view returns (UsageKey memory k) {
        k = newKey(KEY);
        k.manageIPFSIdsInGroups = _steps(offset, step, count);
        k.addPkpToGroups = _steps(offset + 1, step, count);
        k.removePkpFromGroups = _steps(offset + 2, step, count);
        k.executeInGroups = _steps(offset + 3, step, count);
    }

    function _steps(uint256 from, uint256 step, uint256 count) private pure returns (uint256[] memory ids) {
        ids = new uint256[](count);
        for (uint256 i; i < count; ++i) {
            ids[i] = from + i * step;
        }
    }

    function _shapes() private view returns (UsageKey[] memory shapes) {
        shapes = new UsageKey[](11);
        shapes[0] = newKey(KEY); // no page
        shapes[1] = _key(1, 5, 10); // one page, the first
        shapes[2] = _key(130, 5, 10); // one page, another
        shapes[3] = _key(61, 64, 9); // pages of four lists, at the ends of each page
        shapes[4] = _key(3, 13, 50); // all pages
        shapes[5] = _key(500, 40, 5); // high pages only
        shapes[6] = almightyKey(KEY); // wildcards
        (shapes[6].createGroups, shapes[6].deleteGroups, shapes[6].createPKPs) = (false, false, false);
        shapes[7] = _key(253, 3, 4); // the end of a word
        shapes[7].addPkpToGroups = list(0); // a wildcard beside lists
        shapes[8] = _key(60, 1, 5); // two pages, the first ones
        shapes[9] = _key(188, 400, 2); // two pages apart, whose lists differ
        shapes[9].executeInGroups = list(650);
        shapes[10] = _key(320, 320, 2); // two pages apart
    }

    /// Each list alone, with the wildcard, and with the first and the last group of a page.
    function test_OneListAlone() external {
        uint256[5] memory ids = [uint256(0), 1, 63, 64, 127];
        for (uint256 i; i < ids.length; ++i) {
            for (uint256 which; which < 4; ++which) {
                UsageKey memory k = newKey(KEY);
                if (which == 0) k.manageIPFSIdsInGroups = list(ids[i]);
                else if (which == 1) k.addPkpToGroups = list(ids[i]);
                else if (which == 2) k.removePkpFromGroups = list(ids[i]);
                else k.executeInGroups = list(ids[i]);
                setKey(k);
                assertKey(k);
                _assertGrants(k, ids[i] == 0 ? 5 : ids[i]);
            }
        }
    }

    /// A full list beside shorter ones.
    function test_OneFullList() external {
        for (uint256 which; which < 4; ++which) {
            UsageKey memory k = newKey(KEY);
            k.manageIPFSIdsInGroups = _steps(1, 3, which == 0 ? 50 : 13);
            k.addPkpToGroups = _steps(2, 3, which == 1 ? 50 : 13);
            k.removePkpFromGroups = _steps(3, 3, which == 2 ? 50 : 13);
            k.executeInGroups = _steps(4, 3, which == 3 ? 50 : 13);
            setKey(k);
            assertKey(k);
        }
    }

    function test_FromEveryShapeToEveryShape() external {
        UsageKey[] memory shapes = _shapes();
        for (uint256 i; i < shapes.length; ++i) {
            for (uint256 j; j < shapes.length; ++j) {
                setKey(shapes[i]);
                setKey(shapes[j]);
                assertKey(shapes[j]);
            }
        }
    }

    /// Pages in any order, the last one with groups that do not exist.
    function test_DescendingLists() external {
        uint256[12] memory ids = [uint256(1), 40, 63, 64, 70, 104, 140, 573, 575, 639, 650, LAST];
        for (uint256 i; i < ids.length; ++i) {
            for (uint256 j; j < i; ++j) {
                UsageKey memory k = newKey(KEY);
                k.executeInGroups = list(ids[i], ids[j]);
                setKey(k);
                k.executeInGroups = list(ids[j], ids[i]);
                assertKey(k);
            }
        }
    }

    function test_EveryGroupIsGrantedAsGiven() external {
        UsageKey[] memory shapes = _shapes();
        for (uint256 i; i < shapes.length; ++i) {
            setKey(shapes[(i * 4 + 3) % shapes.length]);
            setKey(shapes[i]);
            for (uint256 id = 1; id <= LAST; id += 7) {
                _assertGrants(shapes[i], id);
            }
            for (uint256 page = 64; page < LAST; page += 64) {
                _assertGrants(shapes[i], page - 1);
                _assertGrants(shapes[i], page);
            }
        }
    }

    function test_GrantsOfARemovedKeyDoNotComeBack() external {
        UsageKey[] memory shapes = _shapes();
        for (uint256 i; i < shapes.length; ++i) {
            for (uint256 j; j < shapes.length; ++j) {
                setKey(shapes[i]);
                by(payer).removeUsageApiKey(MANAGED, KEY);
                setKey(shapes[j]);
                assertKey(shapes[j]);
            }
        }
    }

    function test_GrantsOfOneKeyAreNotAnothers() external {
        UsageKey[] memory shapes = _shapes();
        for (uint256 i; i < shapes.length; ++i) {
            shapes[i].usageApiKeyHash = 1000 + i;
            setKey(shapes[i]);
        }
        for (uint256 i; i < shapes.length; ++i) {
            assertKey(shapes[i]);
        }
    }
}
