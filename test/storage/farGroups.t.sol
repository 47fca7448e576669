// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { StorageAccess } from "./StorageAccess.sol";

/// @notice Checks and grants of groups far apart, whose pages are in several words of a key's directory.
contract FarGroupsTest is StorageAccess {
    uint256 private constant KEY = uint256(keccak256("new usage key"));
    /// At the ends of a page, of a word of groups and of a word of a directory, and between them.
    uint256[14] private ids = [
        uint256(700), 1500, 1536, 1600, 1800, 8000, 8191, 8192, 12_300, 16_383, 16_384, 16_700, 24_600, 33_000
    ];
    /// In every one of these groups.
    uint256 private constant SHARED = uint256(keccak256("shared action"));

    function setUp() public override {
        super.setUp();
        for (uint256 i; i < ids.length; ++i) {
            addGroupAs(ids[i], list(_actionOf(i), SHARED), i == 0 ? list(wallet, looseWallet) : list(wallet));
        }
    }

    function _actionOf(uint256 i) private pure returns (uint256) {
        return uint256(keccak256(abi.encode("action of a group", i)));
    }

    /// @notice Lets the key execute in the first group and in every second one of the others.
    function _setKey(uint256 first) private {
        UsageKey memory k = newKey(KEY);
        k.executeInGroups = new uint256[]((ids.length - first + 1) / 2 + 1);
        k.executeInGroups[0] = GROUP;
        for (uint256 i = first; i < ids.length; i += 2) {
            k.executeInGroups[(i - first) / 2 + 1] = ids[i];
        }
        setKey(k);
        assertKey(k);
    }

    function test_EveryGroupIsGrantedAsGiven() external {
        for (uint256 first; first < 2; ++first) {
            _setKey(first);
            for (uint256 i; i < ids.length; ++i) {
                bool granted = i % 2 == first;
                assertCan(KEY, _actionOf(i), wallet, granted, granted);
                vm.assertEq(accountConfig.canExecuteAction(KEY, _actionOf(i)), granted);
                vm.assertEq(accountConfig.canUseWalletInAction(KEY, _actionOf(i), wallet), granted);
            }
        }
    }

    function test_ActionWithoutTheWallet() external {
        by(writer).registerWalletDerivation(account, noWallet, pathOf(9), "", "");
        _setKey(0);
        assertCan(KEY, ACTION, wallet, true, true);
        assertCan(KEY, ACTION, noWallet, true, false);
        vm.assertTrue(accountConfig.canExecuteAction(KEY, ACTION));
        assertCan(KEY, SHARED, noWallet, true, false);
    }

    /// Pages without a directory after pages with one.
    function test_FarGroupsAreWithdrawn() external {
        for (uint256 first; first < 2; ++first) {
            _setKey(first);
            UsageKey memory k = newKey(KEY);
            k.executeInGroups = list(GROUP, ids[0], ids[1]);
            setKey(k);
            for (uint256 i; i < ids.length; ++i) {
                assertCan(KEY, _actionOf(i), wallet, i < 2, i < 2);
            }
        }
    }

    /// Two pages, each in a word of its own.
    function test_PairsOfGroups() external {
        for (uint256 i = 1; i < ids.length; ++i) {
            UsageKey memory k = newKey(KEY);
            k.executeInGroups = list(ids[i - 1], ids[i]);
            setKey(k);
            for (uint256 j; j < ids.length; ++j) {
                bool granted = j + 1 == i || j == i;
                assertCan(KEY, _actionOf(j), wallet, granted, granted);
            }
        }
    }

    /// The first group that permits the action is the only one that permits the wallet.
    function test_WalletInTheFirstGroup() external {
        _setKey(0);
        assertCan(KEY, SHARED, looseWallet, true, true);
        _setKey(1);
        assertCan(KEY, SHARED, looseWallet, true, false);
    }
}
