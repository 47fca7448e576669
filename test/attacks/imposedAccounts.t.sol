// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IErrors } from "../../contracts/interfaces/IErrors.sol";
import { AttackTest } from "../utils/AttackTest.sol";

/// @notice Rule 14: a giver transfers an account that permits every action with every wallet to a victim, and keeps a usage
/// key.
contract ImposedAccountAttackTest is AttackTest {
    uint256 private immutable VICTIM = identity(stranger);
    uint256 private immutable PATH = uint256(uint160(stranger)) << 96 | 7;

    /// The account of AttackTest has a group with every action and every wallet, and `lairKey` with every permission.
    function setUp() public override {
        super.setUp();
        attackAsWallet();
        by(thief).transferChainSecuredAccountOwnership(lair, stranger);
    }

    function _register() private {
        by(stranger).registerWalletDerivation(VICTIM, noWallet, PATH, NAME, DESCRIPTION);
    }

    function _assertSafe() private view {
        assertCan(lairKey, ACTION, noWallet, true, false);
        vm.assertEq(accountConfig.getWalletDerivation(lairKey, noWallet), 0);
    }

    function test_VictimOpensItsOwnAccount() external {
        by(stranger).newChainSecuredAccount(NAME, DESCRIPTION);
        _register();
        _assertSafe();
        vm.assertEq(accountConfig.getWalletDerivation(VICTIM, noWallet), PATH);
    }

    function test_VictimConvertsItsManagedAccount() external {
        by(payer).convertToChainSecuredAccount(MANAGED, stranger);
        _register();
        _assertSafe();
        vm.assertEq(accountConfig.getWalletDerivation(MANAGED, noWallet), PATH);
    }

    /// The victim does not look at its identity before it registers a wallet.
    function test_VictimRegistersAtOnce() external {
        expectRevert(IErrors.AccountNotAccepted.selector, VICTIM);
        _register();
        _assertSafe();
        by(stranger).newChainSecuredAccount(NAME, DESCRIPTION);
        _register();
        _assertSafe();
    }

    /// The giver cannot register for the victim, and cannot take a path of the victim.
    function test_GiverRegistersForTheVictim() external {
        expectNoAccess(lairKey, thief);
        by(thief).registerWalletDerivation(lairKey, noWallet, PATH, NAME, DESCRIPTION);
        _openAndRegister();
        _assertSafe();
    }

    function _openAndRegister() private {
        by(stranger).newChainSecuredAccount(NAME, DESCRIPTION);
        _register();
    }

    /// A second imposed account, before or after, changes nothing.
    function test_SecondGiver() external {
        by(admin).transferChainSecuredAccountOwnership(SECURED, stranger);
        expectRevert(IErrors.AccountNotAccepted.selector, VICTIM);
        _register();
        _openAndRegister();
        _assertSafe();
        expectRevert(IErrors.AccountAlreadyExists.selector, VICTIM);
        by(payer).convertToChainSecuredAccount(MANAGED, stranger);
    }

    /// No write under the identity of the victim reaches the account that was pushed onto it, and none accepts it.
    function test_VictimWritesUnderItsIdentity() external {
        expectRevert(IErrors.AccountNotAccepted.selector, VICTIM);
        by(stranger).addGroup(VICTIM, NAME, DESCRIPTION, list(), wallets());
        expectRevert(IErrors.AccountNotAccepted.selector, VICTIM);
        by(stranger).addAction(VICTIM, NAME, DESCRIPTION, NO_ACTION);
        expectRevert(IErrors.AccountNotAccepted.selector, VICTIM);
        by(stranger).acceptAccount(VICTIM);
        expectRevert(IErrors.AccountNotAccepted.selector, lairKey);
        by(stranger).addGroup(lairKey, NAME, DESCRIPTION, list(), wallets());
        vm.assertFalse(accountConfig.accountState(lair).accepted);
        vm.assertEq(accountConfig.allApiKeyHashesToMaster(VICTIM), 0);
    }

    /// The victim opened its account before: no account can be transferred to it.
    function test_VictimHasAnAccount() external {
        _openAndRegister();
        expectRevert(IErrors.AccountAlreadyExists.selector, VICTIM);
        by(admin).transferChainSecuredAccountOwnership(SECURED, stranger);
        vm.assertEq(accountConfig.allApiKeyHashesToMaster(VICTIM), VICTIM);
    }
}
