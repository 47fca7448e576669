// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IErrors } from "../../contracts/interfaces/IErrors.sol";
import { IGroupWrites } from "../../contracts/interfaces/IGroupWrites.sol";
import { IWalletWrites } from "../../contracts/interfaces/IWalletWrites.sol";
import { AttackTest } from "../utils/AttackTest.sol";

/// @notice Attacks that want to sign with somebody else's wallet (rules 7 and 8). Whoever releases a key asks for
/// three things: the usage key may use the wallet, the path of the wallet in the usage key's account, and that the key at
/// this path has the wallet's address.
contract WalletAttackTest is AttackTest {
    /// @notice The attacker's almighty key gets at the key of the victim's wallet only by a path of the victim.
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

    /// @notice What the upper bits of a new path have to be for the attacker's account.
    function _mintable() private view returns (address) {
        return attacker == payer ? address(0) : attacker;
    }

    /// The address alone can be claimed by anybody, under a path of his own, where some other key lies.
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

    /// The address is made up, the path is the prize: an action asks for the key by its path.
    function test_RegisterTheVictimsPathUnderAFreshAddress() external blocked {
        refused(attacker, _register(lair, noWallet, pathOf(1)), _alreadyRegistered(pathOf(1)));
        refused(attacker, _register(lairKey, noWallet, pathOf(1)), _alreadyRegistered(pathOf(1)));
        _assertNoPathTo(noWallet);
    }

    /// What the victim has given back to nobody is nobody's: a path stays with its account.
    function test_RegisterThePathOfARemovedWallet() external blocked {
        uint256 snapshot = vm.snapshotState();
        by(writer).removeWalletDerivation(account, wallet);
        refused(attacker, _register(lair, wallet, pathOf(1)), _alreadyRegistered(pathOf(1)));
        refused(attacker, _register(lair, noWallet, pathOf(1)), _alreadyRegistered(pathOf(1)));
        by(writer).registerWalletDerivation(account, wallet, pathOf(1), NAME, DESCRIPTION);
        vm.assertEq(accountConfig.getWalletDerivation(account, wallet), pathOf(1));
        vm.revertToState(snapshot);
    }

    /// An account that changed hands keeps its paths: neither the new mode nor the leaving admin frees them.
    function test_RegisterThePathsOfAnAccountThatChangedHands() external {
        attackAsHolder();
        uint256 path = pathOf(1);
        convert();
        refused(payer, _register(lair, wallet, path), _alreadyRegistered(path));
        refused(thief, _register(identity(thief), wallet, path), _alreadyRegistered(path));

        enterSecured();
        path = pathOf(1);
        by(admin).transferChainSecuredAccountOwnership(SECURED, stranger);
        // The former admin is the wallet that the path was minted for, and has no account to put it in.
        refused(
            admin,
            _register(SECURED, wallet, path),
            abi.encodeWithSelector(IErrors.NoAccountAccess.selector, SECURED, admin)
        );
        refused(payer, _register(lair, wallet, path), _alreadyRegistered(path));
        vm.assertEq(accountConfig.getWalletDerivation(SECURED, wallet), path);
    }

    /// The attacker sees the victim's registration on its way and sends the same with more gas. On a ChainSecured account
    /// the path names the victim's wallet; on a managed one it is the payer's who sends it, and he asks first.
    function test_FrontRunARegistration() external {
        enterSecured();
        uint256 path = pathOf(77);
        refused(thief, _register(identity(thief), noWallet, path), _notMintedFor(path, thief));
        refused(thief, _register(identity(thief), wallet, path), _notMintedFor(path, thief));
        refused(payer, _register(MANAGED, noWallet, path), _notMintedFor(path, address(0)));
        by(admin).registerWalletDerivation(SECURED, noWallet, path, NAME, DESCRIPTION);
        vm.assertEq(accountConfig.getWalletDerivation(SECURED, noWallet), path);
        vm.assertEq(accountConfig.getPathOwnerMaster(path), SECURED);

        // A path that the server minted for a managed account: no wallet can take it on its way.
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

    /// By bytes: no path with another wallet above can be had, whatever its lower 96 bits are.
    function testFuzz_SquatPathsMintedForOthers(address other, uint96 random) external {
        uint256 path = (uint256(uint160(other)) << 96) | random;
        vm.assume(path != 0 && other != thief && accountConfig.getPathOwnerMaster(path) == 0);
        refused(thief, _register(identity(thief), noWallet, path), _notMintedFor(path, thief));
        if (other != address(0)) {
            refused(payer, _register(MANAGED, noWallet, path), _notMintedFor(path, address(0)));
        }
        vm.assertEq(accountConfig.getPathOwnerMaster(path), 0);
    }

    /// The wallet that overtook by address blocks nobody: the victim registers the same address under his own path.
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

    /// Both wallets of the attacker name one path; neither gets near a path of the victim.
    function test_OnePathUnderTwoWallets() external blocked {
        by(attacker).registerWalletDerivation(lair, noWallet, lairPath(66), NAME, DESCRIPTION);
        by(attacker).registerWalletDerivation(lair, wallet, lairPath(66), NAME, DESCRIPTION);
        vm.assertEq(accountConfig.getWalletDerivation(lairKey, wallet), lairPath(66));
        vm.assertEq(accountConfig.getPathOwnerMaster(lairPath(66)), lair);
        _assertNoPathTo(wallet);
        _assertNoPathTo(noWallet);
    }

    /// A group that permits "every wallet" permits those of its own account.
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
        // Nor does a group that holds the wallet without the action.
        by(writer).addPkpToGroup(account, EMPTY_GROUP, looseWallet);
        assertCan(key, ACTION, looseWallet, true, false);
        by(writer).addActionToGroup(account, EMPTY_GROUP, LOOSE_ACTION);
        assertCan(key, ACTION, looseWallet, true, false);
        assertCan(key, LOOSE_ACTION, looseWallet, true, true);
    }

    /// Action and wallet in two groups that the key may execute in are not a group that permits both.
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

    /// Something that was removed comes back as a stranger: its old groups do not let it in.
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

    /// A scoped key that may register wallets cannot bring one back into the groups that it was in.
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
        // Also when it comes back by way of another group.
        by(writer).removeAction(account, ACTION);
        by(writer).addActionToGroup(account, EMPTY_GROUP, ACTION);
        assertCan(key, ACTION, wallet, false, false);
        assertGroup(GROUP, list(), list(wallet));
        by(writer).addActionToGroup(account, GROUP, ACTION);
        assertCan(key, ACTION, wallet, true, true);
    }

    /// An address that shares its stored bits with the victim's wallet is refused, not confused with it.
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
