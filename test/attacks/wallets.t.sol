// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IErrors } from "../../contracts/interfaces/IErrors.sol";
import { IGroupWrites } from "../../contracts/interfaces/IGroupWrites.sol";
import { IWalletWrites } from "../../contracts/interfaces/IWalletWrites.sol";
import { AttackTest } from "../utils/AttackTest.sol";

/// @notice Attacks that try to sign with another account's wallet (rules 7 and 8). A key node checks three things before it
/// releases a key: the usage key may use the wallet, the usage key's account has a path for the wallet, and the key at this
/// path has the wallet's address.
contract WalletAttackTest is AttackTest {
    /// @notice The attacker's almighty key could get the key of the victim's wallet only with a path of the victim.
    function _assertNoPathTo(address pkpId) private view {
        uint256 path = accountConfig.getWalletDerivation(lairKey, pkpId);
        vm.assertTrue(path != pathOf(1) && path != pathOf(2), "the attacker has a path of the victim");
        vm.assertEq(accountConfig.getPathOwnerMaster(pathOf(1)), account);
        vm.assertEq(accountConfig.getWalletDerivation(key, wallet), pathOf(1));
    }

    function _register(uint256 hash, address pkpId, uint256 path) private pure returns (bytes memory) {
        return abi.encodeCall(IWalletWrites.registerWalletDerivation, (hash, pkpId, path, NAME, DESCRIPTION));
    }

    function _alreadyRegistered(uint256 path) private pure returns (bytes memory) {
        return abi.encodeWithSelector(IErrors.DerivationPathAlreadyRegistered.selector, path);
    }

    function _notMintedFor(uint256 path, address mintedFor_) private pure returns (bytes memory) {
        return abi.encodeWithSelector(IErrors.DerivationPathNotMintedFor.selector, path, mintedFor_);
    }

    /// @notice The required upper bits of a new path of the attacker's account.
    function _mintable() private view returns (address) {
        return attacker == payer ? address(0) : attacker;
    }

    /// Any account can register the address alone under a path of its own, which has another key.
    function test_RegisterTheVictimsWalletUnderAnOwnPath() external blocked {
        by(attacker).registerWalletDerivation(lair, wallet, lairPath(66), NAME, DESCRIPTION);
        assertCan(lairKey, ACTION, wallet, true, true);
        vm.assertEq(accountConfig.getWalletDerivation(lairKey, wallet), lairPath(66));
        _assertNoPathTo(wallet);
    }

    function test_RegisterTheVictimsWalletUnderItsPath() external blocked {
        refused(attacker, _register(lair, wallet, pathOf(1)), _alreadyRegistered(pathOf(1)));
        refused(attacker, _register(lairKey, wallet, pathOf(1)), _alreadyRegistered(pathOf(1)));
        assertCan(lairKey, ACTION, wallet, true, false);
        _assertNoPathTo(wallet);
    }

    /// A made-up address with a stolen path: an action would get the key of the path.
    function test_RegisterTheVictimsPathUnderAFreshAddress() external blocked {
        refused(attacker, _register(lair, noWallet, pathOf(1)), _alreadyRegistered(pathOf(1)));
        refused(attacker, _register(lairKey, noWallet, pathOf(1)), _alreadyRegistered(pathOf(1)));
        _assertNoPathTo(noWallet);
    }

    /// A path stays with its account after the wallet was removed.
    function test_RegisterThePathOfARemovedWallet() external blocked {
        uint256 snapshot = vm.snapshotState();
        by(writer).removeWalletDerivation(account, wallet);
        refused(attacker, _register(lair, wallet, pathOf(1)), _alreadyRegistered(pathOf(1)));
        refused(attacker, _register(lair, noWallet, pathOf(1)), _alreadyRegistered(pathOf(1)));
        by(writer).registerWalletDerivation(account, wallet, pathOf(1), NAME, DESCRIPTION);
        vm.assertEq(accountConfig.getWalletDerivation(account, wallet), pathOf(1));
        vm.revertToState(snapshot);
    }

    /// An account that changed hands keeps its paths: neither the new mode nor the former admin frees them.
    function test_RegisterThePathsOfAnAccountThatChangedHands() external {
        attackAsHolder();
        uint256 path = pathOf(1);
        convert();
        refused(payer, _register(lair, wallet, path), _alreadyRegistered(path));
        refused(thief, _register(identity(thief), wallet, path), _alreadyRegistered(path));

        enterSecured();
        path = pathOf(1);
        by(admin).transferChainSecuredAccountOwnership(SECURED, stranger);
        // The path was minted for the former admin, who has no account to register it in.
        refused(
            admin,
            _register(SECURED, wallet, path),
            abi.encodeWithSelector(IErrors.NoAccountAccess.selector, SECURED, admin)
        );
        refused(payer, _register(lair, wallet, path), _alreadyRegistered(path));
        vm.assertEq(accountConfig.getWalletDerivation(SECURED, wallet), path);
    }

    /// The attacker front-runs the victim's registration. On a ChainSecured account the path contains the victim's wallet;
    /// on a managed account only an api payer can register the path, and it checks the caller first.
    function test_FrontRunARegistration() external {
        enterSecured();
        uint256 path = pathOf(77);
        refused(thief, _register(identity(thief), noWallet, path), _notMintedFor(path, thief));
        refused(thief, _register(identity(thief), wallet, path), _notMintedFor(path, thief));
        refused(payer, _register(MANAGED, noWallet, path), _notMintedFor(path, address(0)));
        by(admin).registerWalletDerivation(SECURED, noWallet, path, NAME, DESCRIPTION);
        vm.assertEq(accountConfig.getWalletDerivation(SECURED, noWallet), path);
        vm.assertEq(accountConfig.getPathOwnerMaster(path), SECURED);

        // A path that the server minted for a managed account: no wallet can front-run it.
        enterManaged();
        path = pathOf(78);
        refused(thief, _register(identity(thief), noWallet, path), _notMintedFor(path, thief));
        refused(
            thief,
            _register(MANAGED, noWallet, path),
            abi.encodeWithSelector(IErrors.NoAccountAccess.selector, MANAGED, thief)
        );
        by(payer).registerWalletDerivation(MANAGED, noWallet, path, NAME, DESCRIPTION);
        vm.assertEq(accountConfig.getPathOwnerMaster(path), MANAGED);
    }

    /// A path with another wallet in its upper bits is refused, for any lower 96 bits.
    function testFuzz_SquatPathsMintedForOthers(address other, uint96 random) external {
        uint256 path = (uint256(uint160(other)) << 96) | random;
        vm.assume(path != 0 && other != thief && accountConfig.getPathOwnerMaster(path) == 0);
        refused(thief, _register(identity(thief), noWallet, path), _notMintedFor(path, thief));
        if (other != address(0)) {
            refused(payer, _register(MANAGED, noWallet, path), _notMintedFor(path, address(0)));
        }
        vm.assertEq(accountConfig.getPathOwnerMaster(path), 0);
    }

    /// A front-run address blocks no account: the victim registers the same address under its own path.
    function test_OvertakeByAddress() external blocked {
        by(attacker).registerWalletDerivation(lair, noWallet, lairPath(66), NAME, DESCRIPTION);
        uint256 snapshot = vm.snapshotState();
        by(writer).registerWalletDerivation(account, noWallet, pathOf(79), NAME, DESCRIPTION);
        by(writer).addPkpToGroup(account, GROUP, noWallet);
        assertCan(key, ACTION, noWallet, true, true);
        vm.assertEq(accountConfig.getWalletDerivation(key, noWallet), pathOf(79));
        vm.assertEq(accountConfig.getWalletDerivation(lairKey, noWallet), lairPath(66));
        vm.revertToState(snapshot);
    }

    /// Two wallets of the attacker with one path: the second one is refused, also when the first was removed.
    function test_OnePathUnderTwoWallets() external blocked {
        by(attacker).registerWalletDerivation(lair, noWallet, lairPath(66), NAME, DESCRIPTION);
        for (uint256 i; i < 2; ++i) {
            refused(
                attacker,
                _register(lair, wallet, lairPath(66)),
                abi.encodeWithSelector(IErrors.DerivationPathAlreadyRegistered.selector, lairPath(66))
            );
            if (i == 0) by(attacker).removeWalletDerivation(lair, noWallet);
        }
        vm.assertEq(accountConfig.getWalletDerivation(lairKey, wallet), 0);
        vm.assertEq(accountConfig.getPathOwnerMaster(lairPath(66)), lair);
        _assertNoPathTo(wallet);
        _assertNoPathTo(noWallet);
    }

    /// A group that permits "every wallet" permits only those of its own account.
    function test_ForeignWalletInAGroup() external blocked {
        bytes memory noSuchWallet = abi.encodeWithSelector(IErrors.PkpDoesNotExist.selector, lair, 1, wallet);
        refused(attacker, abi.encodeCall(IWalletWrites.addPkpToGroup, (lair, 1, wallet)), noSuchWallet);
        refused(
            attacker,
            abi.encodeCall(
                IGroupWrites.updateGroup, (lair, 1, NAME, DESCRIPTION, list(ACTION), list(wallet))
            ),
            noSuchWallet
        );
        refused(
            attacker,
            abi.encodeCall(IGroupWrites.addGroup, (lair, NAME, DESCRIPTION, list(ACTION), list(wallet))),
            abi.encodeWithSelector(IErrors.PkpDoesNotExist.selector, lair, 2, wallet)
        );
        refused(
            attacker,
            abi.encodeCall(IWalletWrites.addPkpToGroup, (lairKey, 1, wallet)),
            abi.encodeWithSelector(IErrors.PkpDoesNotExist.selector, lairKey, 1, wallet)
        );
        assertCan(lairKey, ACTION, wallet, true, false);
        vm.assertEq(accountConfig.getWalletDerivation(lairKey, wallet), 0);
    }

    /// The execute wildcard grants every group, never a wallet that no group permits.
    function test_WildcardWithAWalletNoGroupPermits() external inBothModes {
        setKey(almightyKey(key));
        assertCan(key, ACTION, looseWallet, true, false);
        assertCan(key, LOOSE_ACTION, wallet, true, false);
        assertCan(key, NO_ACTION, looseWallet, true, false);
        assertCan(key, 0, looseWallet, true, false);
        assertCan(key, ACTION, address(0), true, false);
        // A group that holds the wallet without the action grants neither.
        by(writer).addPkpToGroup(account, EMPTY_GROUP, looseWallet);
        assertCan(key, ACTION, looseWallet, true, false);
        by(writer).addActionToGroup(account, EMPTY_GROUP, LOOSE_ACTION);
        assertCan(key, ACTION, looseWallet, true, false);
        assertCan(key, LOOSE_ACTION, looseWallet, true, true);
    }

    /// Action and wallet in two different groups of the key do not permit both together.
    function test_TwoHalvesAreNoWhole() external inBothModes {
        by(writer).addPkpToGroup(account, EMPTY_GROUP, looseWallet);
        by(writer).addActionToGroup(account, EMPTY_GROUP, LOOSE_ACTION);
        UsageKey memory k = newKey(key);
        k.executeInGroups = list(GROUP, EMPTY_GROUP);
        setKey(k);
        assertCan(key, ACTION, looseWallet, true, false);
        assertCan(key, LOOSE_ACTION, wallet, true, false);
        assertCan(key, ACTION, wallet, true, true);
    }

    /// An item that is removed and added again is in none of its old groups.
    function test_RemovedWalletComesBackInNoGroup() external inBothModes {
        addGroupsUpTo(300);
        by(writer).addPkpToGroup(account, 300, wallet);
        by(writer).addActionToGroup(account, 300, ACTION);
        setKey(almightyKey(key));
        by(writer).removeWalletDerivation(account, wallet);
        assertCan(key, ACTION, wallet, true, false);
        by(writer).registerWalletDerivation(account, wallet, pathOf(1), NAME, DESCRIPTION);
        assertCan(key, ACTION, wallet, true, false);
        assertGroup(GROUP, list(ACTION), wallets());
        assertGroup(300, list(ACTION), wallets());
        by(writer).addPkpToGroup(account, GROUP, wallet);
        assertCan(key, ACTION, wallet, true, true);
    }

    /// A scoped key that may register wallets cannot restore one to its former groups.
    function test_ScopedKeyBringsARemovedWalletBack() external inBothModes {
        by(writer).removeWalletDerivation(account, wallet);
        UsageKey memory k = newKey(key);
        k.createPKPs = true;
        k.executeInGroups = list(0);
        setKey(k);
        by(writer).registerWalletDerivation(key, wallet, pathOf(1), NAME, DESCRIPTION);
        assertCan(key, ACTION, wallet, true, false);
        expectRevert(IErrors.NotAllowedToAddPkpToGroup.selector, key, GROUP);
        by(writer).addPkpToGroup(key, GROUP, wallet);
    }

    function test_RemovedActionComesBackInNoGroup() external inBothModes {
        addGroupsUpTo(300);
        by(writer).addActionToGroup(account, 300, ACTION);
        UsageKey memory k = newKey(key);
        k.executeInGroups = list(GROUP, 300);
        setKey(k);
        by(writer).removeAction(account, ACTION);
        assertCan(key, ACTION, wallet, false, false);
        by(writer).addAction(account, NAME, DESCRIPTION, ACTION);
        assertCan(key, ACTION, wallet, false, false);
        // Also when it is added again through another group.
        by(writer).removeAction(account, ACTION);
        by(writer).addActionToGroup(account, EMPTY_GROUP, ACTION);
        assertCan(key, ACTION, wallet, false, false);
        assertGroup(GROUP, list(), list(wallet));
        by(writer).addActionToGroup(account, GROUP, ACTION);
        assertCan(key, ACTION, wallet, true, true);
    }

    /// An address that shares its stored bits with the victim's wallet is refused, not mistaken for it.
    function test_AddressThatSharesTheStoredBits() external blocked {
        address lookAlike = address(uint160(wallet) ^ (1 << 127));
        assertCan(key, ACTION, lookAlike, true, false);
        vm.assertEq(accountConfig.getWalletDerivation(account, lookAlike), 0);
        by(attacker).registerWalletDerivation(lair, lookAlike, lairPath(66), NAME, DESCRIPTION);
        assertCan(key, ACTION, lookAlike, true, false);
        assertCan(lairKey, ACTION, wallet, true, false);
        refused(
            writer,
            _register(account, lookAlike, pathOf(67)),
            abi.encodeWithSelector(IErrors.IdCollision.selector, lookAlike)
        );
    }
}
