// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IViewsFacet } from "../../contracts/interfaces/IViewsFacet.sol";
import { StorageAccess } from "./StorageAccess.sol";

/// @notice Lists of keys leave out removed groups, whatever pages the key and the one before it in the list have.
contract RemovedGroupsTest is StorageAccess {
    /// In the pages 1, 2, 4 and 16.
    uint256[4] private removed = [uint256(70), 134, 262, 1030];
    /// In page 8, at the position of 262 and 1030 in their words of 256.
    uint256 private constant KEPT = 518;

    function setUp() public override {
        super.setUp();
        uint256[6] memory ids = [removed[0], removed[1], removed[2], KEPT, removed[3], 1200];
        for (uint256 i; i < ids.length; ++i) {
            addGroupAs(ids[i], list(), wallets());
        }
    }

    function _set(uint256 hash, uint256[] memory groupIds) private {
        UsageKey memory k = newKey(hash);
        k.executeInGroups = groupIds;
        setKey(k);
    }

    function test_EveryOrderOfKeys() external {
        uint256 hash = 1000;
        for (uint256 i; i < removed.length; ++i) {
            _set(++hash, list(KEPT));
            _set(++hash, list(removed[i]));
            for (uint256 j; j < removed.length; ++j) {
                _set(++hash, list(removed[j]));
                _set(++hash, list(removed[i]));
                if (j > i) _set(++hash, list(removed[i], removed[j]));
            }
        }
        for (uint256 i; i < removed.length; ++i) {
            by(writer).removeGroup(account, removed[i]);
        }
        uint256 found;
        for (uint256 page; page < 4; ++page) {
            IViewsFacet.UsageApiKey[] memory keys = accountConfig.listApiKeys(account, page, 20);
            for (uint256 i; i < keys.length; ++i) {
                uint256[] memory groupIds = keys[i].permissions.executeInGroups;
                if (keys[i].usageApiKeyHash <= 1000 || keys[i].usageApiKeyHash > hash) continue;
                ++found;
                for (uint256 k; k < groupIds.length; ++k) {
                    vm.assertEq(groupIds[k], KEPT);
                }
            }
        }
        vm.assertEq(found, hash - 1000);
    }
}
