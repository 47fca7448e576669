// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IGroupWrites } from "../../contracts/interfaces/IGroupWrites.sol";
import { IUsageKeyWrites } from "../../contracts/interfaces/IUsageKeyWrites.sol";
import { AccountConfigTest } from "../utils/AccountConfigTest.sol";
import { Random } from "../utils/Random.sol";

/// @notice The events that LibEventsAssembly emits against those that Solidity emits, byte for byte.
contract LibEventsAssemblyTest is AccountConfigTest, Random {
    function _groups() private returns (uint256[] memory groups) {
        groups = new uint256[](random(8));
        for (uint256 i; i < groups.length; ++i) {
            groups[i] = random(3);
        }
    }

    function testFuzz_usageApiKeySet(uint256 seed_) external inBothModes {
        seed = seed_;
        UsageKey memory k = newKey(UNKNOWN);
        (k.expiration, k.balance) = (random(1 << 40), random(type(uint256).max));
        (k.name, k.description) = (text(random(129)), text(random(1025)));
        (k.createGroups, k.deleteGroups, k.createPKPs) = (random(2) == 0, random(2) == 0, random(2) == 0);
        (k.manageIPFSIdsInGroups, k.addPkpToGroups) = (_groups(), _groups());
        (k.removePkpFromGroups, k.executeInGroups) = (_groups(), _groups());
        expectEvent();
        emit IUsageKeyWrites.UsageApiKeySet(
            account,
            UNKNOWN,
            k.expiration,
            k.balance,
            k.name,
            k.description,
            IUsageKeyWrites.UsageApiKeyPermissions({
                createGroups: k.createGroups,
                deleteGroups: k.deleteGroups,
                createPKPs: k.createPKPs,
                manageIPFSIdsInGroups: k.manageIPFSIdsInGroups,
                addPkpToGroups: k.addPkpToGroups,
                removePkpFromGroups: k.removePkpFromGroups,
                executeInGroups: k.executeInGroups
            })
        );
        setKey(k);
    }

    function _contents() private returns (uint256[] memory cidHashes, address[] memory pkpIds) {
        (cidHashes, pkpIds) = (new uint256[](random(11)), new address[](random(11)));
        for (uint256 i; i < cidHashes.length; ++i) {
            cidHashes[i] = [0, ACTION, LOOSE_ACTION][random(3)];
        }
        for (uint256 i; i < pkpIds.length; ++i) {
            pkpIds[i] = [address(0), wallet, looseWallet][random(3)];
        }
    }

    function testFuzz_groupAddedAndUpdated(uint256 seed_) external inBothModes {
        seed = seed_;
        (uint256[] memory cidHashes, address[] memory pkpIds) = _contents();
        (string memory name, string memory description) = (text(random(129)), text(random(1025)));
        expectEvent();
        emit IGroupWrites.GroupAdded(account, NO_GROUP, name, description, cidHashes, pkpIds);
        by(writer).addGroup(account, name, description, cidHashes, pkpIds);
        (cidHashes, pkpIds) = _contents();
        expectEvent();
        emit IGroupWrites.GroupUpdated(account, NO_GROUP, name, description, cidHashes, pkpIds);
        by(writer).updateGroup(account, NO_GROUP, name, description, cidHashes, pkpIds);
    }
}
