// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { AccountConfigTest } from "../utils/AccountConfigTest.sol";

/// @notice Derivation paths of wallets that were registered under several writers of an account.
contract MintersTest is AccountConfigTest {
    uint256 private count;
    uint256[] private paths;
    address[] private pkps;

    function _register(address writer_, uint256 path) private {
        _register(writer_, path, address(uint160(10_000 + ++count)));
    }

    function _register(address writer_, uint256 path, address pkpId) private {
        by(writer_).registerWalletDerivation(account, pkpId, path, "", "");
        pkps.push(pkpId);
        paths.push(path);
    }

    function _assertPaths() private view {
        for (uint256 i; i < pkps.length; ++i) {
            vm.assertEq(accountConfig.getWalletDerivation(account, pkps[i]), paths[i]);
        }
        vm.assertEq(accountConfig.getWalletDerivation(account, wallet), 1);
    }

    /// A managed account, converted and transferred, with wallets of each writer and of none.
    function test_PathsOfFormerWriters() external {
        _register(payer, 100);
        address current = actor("admin 0");
        by(payer).convertToChainSecuredAccount(MANAGED, current);
        for (uint256 i = 1; i < 8; ++i) {
            _assertPaths();
            for (uint256 j; j < i % 3; ++j) {
                _register(current, uint256(uint160(current)) << 96 | (100 * i + j));
            }
            address next = actor(vm.toString(i));
            by(current).transferChainSecuredAccountOwnership(MANAGED, next);
            current = next;
        }
        _assertPaths();
        // Paths of former writers, registered again: one of each.
        uint256 known = paths.length;
        for (uint256 i; i < known; ++i) {
            by(current).removeWalletDerivation(MANAGED, pkps[i]);
            _register(current, paths[i], pkps[i]);
        }
        vm.assertEq(accountConfig.getWalletDerivation(MANAGED, wallet), 1);
        for (uint256 i = known; i < pkps.length; ++i) {
            vm.assertEq(accountConfig.getWalletDerivation(MANAGED, pkps[i]), paths[i]);
        }
    }
}
