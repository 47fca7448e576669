// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { AccountConfigTest } from "../utils/AccountConfigTest.sol";

/// @notice What happens at the end of a counter: a refusal, never a wrap. The counters are set in storage.
contract LimitsTest is AccountConfigTest {
    uint256 private constant SLOT = 0xf88df543e5e95813ecb0251c097ee84f31da7b168b1af3612d75f0ed6598df00;
    uint256 private constant REF = (MANAGED & ((1 << 127) - 1)) << 1;

    /// @notice Sets bits of the word at `key_` of the mapping at `offset` of the struct.
    function _set(uint256 offset, uint256 key_, uint256 bits) private {
        bytes32 slot = keccak256(abi.encode(key_, SLOT + offset));
        vm.store(address(accountConfig), slot, vm.load(address(accountConfig), slot) | bytes32(bits));
    }

    function test_RevertGiven_TooManyUsageKeys() external {
        _set(0, MANAGED, ((1 << 28) - 1) << 164);
        expectInvalidRequest("too many usage keys");
        setKey(newKey(UNKNOWN));
        setKey(almightyKey(key));
    }

    function test_RevertGiven_TooManyActions() external {
        _set(0, MANAGED, ((1 << 24) - 1) << 192);
        expectInvalidRequest("too many items");
        by(payer).addAction(MANAGED, NAME, DESCRIPTION, NO_ACTION);
        by(payer).registerWalletDerivation(MANAGED, noWallet, pathOf(3), NAME, DESCRIPTION);
    }

    function test_RevertGiven_TooManyWallets() external {
        _set(0, MANAGED, ((1 << 24) - 1) << 216);
        expectInvalidRequest("too many items");
        by(payer).registerWalletDerivation(MANAGED, noWallet, pathOf(3), NAME, DESCRIPTION);
        by(payer).addAction(MANAGED, NAME, DESCRIPTION, NO_ACTION);
    }

    function test_RevertGiven_TooManyGroups() external {
        _set(1, REF, ((1 << 24) - 1) << 102);
        expectInvalidRequest("too many groups");
        by(payer).addGroup(MANAGED, NAME, DESCRIPTION, list(), wallets());
    }

    function test_LastGroup() external {
        _set(1, REF, ((1 << 24) - 4) << 102);
        uint256 groupId = by(payer).addGroup(MANAGED, NAME, DESCRIPTION, list(ACTION), list(wallet));
        vm.assertEq(groupId, (1 << 24) - 1);
        UsageKey memory k = newKey(key);
        k.manageIPFSIdsInGroups = list(groupId);
        setKey(k);
        by(payer).addActionToGroup(key, groupId, LOOSE_ACTION);
        assertGroup(groupId, list(ACTION, LOOSE_ACTION), list(wallet));
    }

    function test_RevertGiven_TooManyUpdatesOfAUsageKey() external {
        addGroupsUpTo(64);
        _set(0, key, ((1 << 24) - 1) << 35);
        UsageKey memory k = newKey(key);
        k.executeInGroups = list(1, 64);
        expectInvalidRequest("too many updates of this usage key: remove it and add it again");
        setKey(k);
        by(payer).removeUsageApiKey(MANAGED, key);
        setKey(k);
        assertKey(k);
    }

    function test_RevertGiven_TooManyUpdatesOfAGroup() external {
        _set(5, REF << 128 | GROUP, ((1 << 15) - 1) << 240);
        by(payer).updateGroup(MANAGED, GROUP, NAME, DESCRIPTION, list(ACTION), list(wallet));
        for (uint256 i = 1; i <= 30; ++i) {
            by(payer).addActionToGroup(MANAGED, GROUP, i);
        }
        expectInvalidRequest("too many updates of this group: remove it and add another");
        by(payer).updateGroup(MANAGED, GROUP, NAME, DESCRIPTION, list(ACTION), list(wallet));
    }
}
