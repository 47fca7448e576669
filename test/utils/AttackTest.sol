// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { Fingerprint } from "./Fingerprint.sol";

/// @notice Attacks by an attacker with an account of their own and every permission in it. The victim is the account of
/// AccountConfigTest.
abstract contract AttackTest is Fingerprint {
    uint256 private constant THIEFS_MANAGED = uint256(keccak256("thief's account key"));

    address internal immutable thief = actor("thief");

    /// The attacker's account.
    uint256 internal lair;
    /// The writer of that account: the thief's wallet, or the api payer, who acts for any holder of an account key.
    address internal attacker;
    /// A usage key of it with every permission.
    uint256 internal lairKey;

    function setUp() public virtual override {
        super.setUp();
        by(thief).newChainSecuredAccount(NAME, DESCRIPTION);
        by(payer).newAccount(THIEFS_MANAGED, true, NAME, DESCRIPTION, thief);
        for (uint256 i; i < 2; ++i) {
            i == 0 ? attackAsHolder() : attackAsWallet();
            // Any action with any wallet.
            by(attacker).addGroup(lair, NAME, DESCRIPTION, list(0), list(address(0)));
            UsageKey memory k = almightyKey(lairKey);
            k.accountApiKeyHash = lair;
            setKeyAs(attacker, k);
        }
    }

    function attackAsHolder() internal {
        (lair, attacker) = (THIEFS_MANAGED, payer);
        lairKey = uint256(keccak256("thief's managed usage key"));
    }

    function attackAsWallet() internal {
        (lair, attacker) = (identity(thief), thief);
        lairKey = uint256(keccak256("thief's ChainSecured usage key"));
    }

    /// @notice Runs an attack from either kind of account on either kind of account, and expects an unchanged victim.
    modifier blocked() {
        for (uint256 i; i < 4; ++i) {
            uint256 snapshot = vm.snapshotState();
            i & 1 == 0 ? enterManaged() : enterSecured();
            i & 2 == 0 ? attackAsHolder() : attackAsWallet();
            bytes32 before = fingerprint(account);
            _;
            vm.assertEq(fingerprint(account), before, "the victim was changed");
            assertUnharmed();
            vm.revertToState(snapshot);
        }
    }

    /// @notice Runs an attack on either kind of account, and expects an unchanged victim.
    modifier blockedInBothModes() {
        for (uint256 i; i < 2; ++i) {
            uint256 snapshot = vm.snapshotState();
            i == 0 ? enterManaged() : enterSecured();
            bytes32 before = fingerprint(account);
            _;
            vm.assertEq(fingerprint(account), before, "the victim was changed");
            assertUnharmed();
            vm.revertToState(snapshot);
        }
    }

    /// @notice The victim still works: its key runs its action, and its writer adds a wallet, an action, a group and a key.
    function assertUnharmed() internal {
        assertCan(key, ACTION, wallet, true, true);
        assertCan(key, LOOSE_ACTION, looseWallet, false, false);
        address pkpId = actor("the victim's next wallet");
        uint256 cidHash = uint256(keccak256("the victim's next action"));
        by(writer).registerWalletDerivation(account, pkpId, pathOf(0xacc), NAME, DESCRIPTION);
        by(writer).addAction(account, NAME, DESCRIPTION, cidHash);
        uint256 groupId = by(writer).addGroup(account, NAME, DESCRIPTION, list(cidHash), list(pkpId));
        UsageKey memory k = newKey(uint256(keccak256("the victim's next usage key")));
        k.executeInGroups = list(groupId);
        setKey(k);
        assertCan(k.usageApiKeyHash, cidHash, pkpId, true, true);
        assertCan(k.usageApiKeyHash, ACTION, wallet, false, false);
    }

    /// @notice A path minted for the attacker's account.
    function lairPath(uint256 random) internal view returns (uint256) {
        return attacker == payer ? random : (uint256(uint160(attacker)) << 96) | random;
    }

    /// @notice Makes a call and expects the revert `revertData`.
    function refused(address caller, bytes memory data, bytes memory revertData) internal {
        by(caller);
        (bool ok, bytes memory result) = address(accountConfig).call(data);
        vm.assertFalse(ok, "the call was not refused");
        vm.assertEq(result, revertData);
    }
}
