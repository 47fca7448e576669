// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IAccountWrites } from "../../contracts/interfaces/IAccountWrites.sol";
import { IActionWrites } from "../../contracts/interfaces/IActionWrites.sol";
import { IErrors } from "../../contracts/interfaces/IErrors.sol";
import { IGroupWrites } from "../../contracts/interfaces/IGroupWrites.sol";
import { IUsageKeyWrites } from "../../contracts/interfaces/IUsageKeyWrites.sol";
import { IWalletWrites } from "../../contracts/interfaces/IWalletWrites.sol";
import { AttackTest } from "../utils/AttackTest.sol";

/// @notice Attacks that take another party's hash: of an account, of a usage key, or the identity of a wallet (rules 9
/// and 10).
contract IdentityAttackTest is AttackTest {
    uint256 private constant SQUATTERS_KEY = uint256(keccak256("squatter's usage key"));

    function _setKeyCall(uint256 account_, uint256 usageHash) private view returns (bytes memory) {
        UsageKey memory k = almightyKey(usageHash);
        k.accountApiKeyHash = account_;
        return encodeSetKey(k);
    }

    function _exists(uint256 hash) private pure returns (bytes memory) {
        return abi.encodeWithSelector(IErrors.AccountAlreadyExists.selector, hash);
    }

    function _newAccountCall(uint256 hash) private view returns (bytes memory) {
        return abi.encodeCall(IAccountWrites.newAccount, (hash, true, NAME, DESCRIPTION, thief));
    }

    // ---------------------------------------------------------------------------------------- names that are taken

    /// An account that held the victim's key would decide what it may do.
    function test_ClaimTheVictimsUsageKey() external blocked {
        refused(attacker, _setKeyCall(lair, key), _exists(key));
        refused(payer, _newAccountCall(key), _exists(key));
        vm.assertEq(accountConfig.allApiKeyHashesToMaster(key), account);
    }

    /// A usage key on the victim's hash would make every call of the victim a call of the attacker's scoped key.
    function test_ClaimTheVictimsMasterHashAsUsageKey() external blocked {
        refused(attacker, _setKeyCall(lair, account), _exists(account));
        refused(payer, _newAccountCall(account), _exists(account));
        vm.assertEq(accountConfig.allApiKeyHashesToMaster(account), account);
    }

    function test_ClaimTheVictimsAliasAsUsageKey() external {
        convert();
        for (uint256 i; i < 2; ++i) {
            i == 0 ? attackAsHolder() : attackAsWallet();
            refused(attacker, _setKeyCall(lair, identity(newAdmin)), _exists(identity(newAdmin)));
        }
        refused(payer, _newAccountCall(identity(newAdmin)), _exists(identity(newAdmin)));
        vm.assertEq(accountConfig.allApiKeyHashesToMaster(identity(newAdmin)), MANAGED);
        assertUnharmed();
    }

    /// An account key as a usage key of its own account would stop being an account key.
    function test_OwnMasterHashAsUsageKey() external inBothModes {
        bytes32 before = fingerprint(account);
        refused(writer, _setKeyCall(account, account), _exists(account));
        vm.assertEq(fingerprint(account), before);
        assertUnharmed();
    }

    /// Hash 0 must stay free, because unset fields are 0.
    function test_HashZero() external blocked {
        bytes memory zeroKey = abi.encodeWithSelector(IErrors.UsageApiKeyHashIsZero.selector);
        bytes memory zeroAccount = abi.encodeWithSelector(IErrors.AccountHashIsZero.selector);
        bytes memory noAccount = abi.encodeWithSelector(IErrors.AccountDoesNotExist.selector, 0);
        refused(attacker, _setKeyCall(lair, 0), zeroKey);
        refused(payer, _newAccountCall(0), zeroAccount);
        refused(
            attacker,
            abi.encodeCall(IGroupWrites.addGroup, (0, NAME, DESCRIPTION, list(0), list(address(0)))),
            noAccount
        );
        refused(payer, abi.encodeCall(IAccountWrites.convertToChainSecuredAccount, (0, thief)), noAccount);
        refused(
            attacker,
            abi.encodeCall(IUsageKeyWrites.removeUsageApiKey, (lair, 0)),
            abi.encodeWithSelector(IErrors.UsageApiKeyDoesNotExist.selector, lair, 0)
        );
        refused(
            attacker,
            abi.encodeCall(IActionWrites.addAction, (lair, NAME, DESCRIPTION, 0)),
            abi.encodeWithSelector(IErrors.ActionHashIsZero.selector)
        );
        vm.assertFalse(accountConfig.accountExistsAndIsMutable(0));
        vm.assertEq(accountConfig.allApiKeyHashesToMaster(0), 0);
        vm.assertEq(accountConfig.getWalletDerivation(0, wallet), 0);
        vm.assertEq(accountConfig.getPathOwnerMaster(0), 0);
        assertCan(0, ACTION, wallet, false, false);
        assertCan(0, 0, address(0), false, false);
    }

    /// Only its account can remove a usage key, and an account cannot be removed.
    function test_KeysAndAccountsAreRemovedByTheirOwnersOnly() external blocked {
        bytes memory notThere = abi.encodeWithSelector(IErrors.UsageApiKeyDoesNotExist.selector, lair, key);
        refused(attacker, abi.encodeCall(IUsageKeyWrites.removeUsageApiKey, (lair, key)), notThere);
        refused(
            attacker,
            abi.encodeCall(IUsageKeyWrites.removeUsageApiKey, (lair, account)),
            abi.encodeWithSelector(IErrors.UsageApiKeyDoesNotExist.selector, lair, account)
        );
        refused(
            thief,
            abi.encodeCall(IUsageKeyWrites.removeUsageApiKey, (account, key)),
            abi.encodeWithSelector(IErrors.NoAccountAccess.selector, account, thief)
        );
    }

    /// The attacker front-runs the victim with the hash of a key that the victim is about to add. The victim's call reverts,
    /// the key means nothing in the victim's account, and any other key works. (With random keys the victim loses one
    /// transaction and no permission.)
    function test_OvertakeANewUsageKey() external blocked {
        by(attacker);
        (bool ok,) = address(accountConfig).call(_setKeyCall(lair, UNKNOWN));
        vm.assertTrue(ok);
        refused(writer, _setKeyCall(account, UNKNOWN), _exists(UNKNOWN));
        assertCan(UNKNOWN, ACTION, wallet, true, false);
        vm.assertEq(accountConfig.getWalletDerivation(UNKNOWN, wallet), 0);
        vm.assertEq(accountConfig.listApiKeys(account, 0, 10).length, 1);
    }

    // ------------------------------------------------------------------- the identity of a wallet without an account

    /// @notice Squats `hash` in one of three ways.
    function _squat(uint256 hash, uint256 way) private {
        if (way == 0) {
            by(payer).newAccount(hash, true, NAME, DESCRIPTION, thief);
            by(payer).addGroup(hash, NAME, DESCRIPTION, list(0), wallets());
            by(payer).registerWalletDerivation(hash, noWallet, 0xbad, NAME, DESCRIPTION);
            UsageKey memory k = almightyKey(SQUATTERS_KEY);
            k.accountApiKeyHash = hash;
            setKeyAs(payer, k);
        } else {
            way == 1 ? attackAsHolder() : attackAsWallet();
            by(attacker);
            (bool ok,) = address(accountConfig).call(_setKeyCall(lair, hash));
            vm.assertTrue(ok);
        }
    }

    /// @notice Nothing of the squatter is left under the hash, and only `wallet_` may write it.
    function _assertCleared(uint256 hash, address wallet_, uint256 way) private {
        (, address adminWallet, bool managed, bool isUsageKey,) = accountConfig.resolve(hash);
        vm.assertEq(adminWallet, wallet_);
        vm.assertFalse(managed || isUsageKey);
        vm.assertEq(accountConfig.getWalletDerivation(hash, noWallet), 0);
        assertCan(hash, ACTION, wallet, false, false);
        assertCan(SQUATTERS_KEY, ACTION, wallet, false, false);
        vm.assertEq(accountConfig.allApiKeyHashesToMaster(SQUATTERS_KEY), 0);
        bytes memory addGroup =
            abi.encodeCall(IGroupWrites.addGroup, (hash, NAME, DESCRIPTION, list(), wallets()));
        refused(payer, addGroup, abi.encodeWithSelector(IErrors.NoAccountAccess.selector, hash, payer));
        if (way != 0) {
            // The key was removed from the squatter's account and does not come back.
            vm.assertEq(accountConfig.listApiKeys(lair, 0, 10).length, 1);
            refused(attacker, _setKeyCall(lair, hash), _exists(hash));
            refused(
                attacker,
                abi.encodeCall(IUsageKeyWrites.removeUsageApiKey, (lair, hash)),
                abi.encodeWithSelector(IErrors.UsageApiKeyDoesNotExist.selector, lair, hash)
            );
        }
        refused(payer, _newAccountCall(hash), _exists(hash));
    }

    function test_SquatTheIdentityOfAWalletWithoutAnAccount() external {
        uint256 hash = identity(stranger);
        for (uint256 way; way < 3; ++way) {
            uint256 snapshot = vm.snapshotState();
            _squat(hash, way);
            by(stranger).newChainSecuredAccount(NAME, DESCRIPTION);
            _assertCleared(hash, stranger, way);
            (uint256 keys, uint256 groups, uint256 pkps, uint256 actions) = accountConfig.listSizes(hash);
            vm.assertEq(keys + groups + pkps + actions, 0);
            _assertWorks(hash, stranger);
            vm.revertToState(snapshot);
        }
    }

    function test_SquatTheIdentityOfAWalletThatReceivesAConvertedAccount() external {
        for (uint256 way; way < 3; ++way) {
            uint256 snapshot = vm.snapshotState();
            _squat(identity(newAdmin), way);
            enterManaged();
            convert();
            _assertCleared(identity(newAdmin), newAdmin, way);
            vm.assertEq(accountConfig.allApiKeyHashesToMaster(identity(newAdmin)), MANAGED);
            _assertWorks(identity(newAdmin), newAdmin);
            assertUnharmed();
            vm.revertToState(snapshot);
        }
    }

    function test_SquatTheIdentityOfAWalletThatReceivesATransferredAccount() external {
        for (uint256 way; way < 3; ++way) {
            uint256 snapshot = vm.snapshotState();
            _squat(identity(newAdmin), way);
            enterSecured();
            by(admin).transferChainSecuredAccountOwnership(SECURED, newAdmin);
            (writer, mintedFor) = (newAdmin, newAdmin);
            by(newAdmin).acceptAccount(SECURED);
            _assertCleared(identity(newAdmin), newAdmin, way);
            vm.assertEq(accountConfig.allApiKeyHashesToMaster(identity(newAdmin)), SECURED);
            _assertWorks(identity(newAdmin), newAdmin);
            assertUnharmed();
            vm.revertToState(snapshot);
        }
    }

    /// @notice The wallet fills the account that its identity names, and its key runs there.
    function _assertWorks(uint256 hash, address wallet_) private {
        by(wallet_)
            .registerWalletDerivation(hash, wallet_, (uint256(uint160(wallet_)) << 96) | 5, NAME, DESCRIPTION);
        uint256 groupId = by(wallet_).addGroup(hash, NAME, DESCRIPTION, list(NO_ACTION), list(wallet_));
        UsageKey memory k = newKey(uint256(keccak256("key under an identity")));
        k.accountApiKeyHash = hash;
        k.executeInGroups = list(groupId);
        setKeyAs(wallet_, k);
        assertCan(k.usageApiKeyHash, NO_ACTION, wallet_, true, true);
    }

    /// An account is opened under a wallet's identity and converted for the thief. The wallet evicts it too, and the thief
    /// has neither its groups nor its keys afterwards.
    function test_SquatAnIdentityWithAChainSecuredAccount() external {
        uint256 hash = identity(stranger);
        _squat(hash, 0);
        address accomplice = actor("accomplice");
        by(payer).convertToChainSecuredAccount(hash, accomplice);
        by(stranger).newChainSecuredAccount(NAME, DESCRIPTION);
        _assertCleared(hash, stranger, 0);
        bytes memory addGroup = abi.encodeCall(
            IGroupWrites.addGroup, (identity(accomplice), NAME, DESCRIPTION, list(), wallets())
        );
        refused(
            accomplice,
            addGroup,
            abi.encodeWithSelector(IErrors.AccountDoesNotExist.selector, identity(accomplice))
        );
        refused(
            accomplice,
            abi.encodeCall(IAccountWrites.transferChainSecuredAccountOwnership, (hash, thief)),
            abi.encodeWithSelector(IErrors.NoAccountAccess.selector, hash, accomplice)
        );
        _assertWorks(hash, stranger);
    }

    /// The keys of an evicted account name nothing: they do not act in the wallet's account, and become keys of no account.
    function test_KeysOfAnEvictedAccount() external {
        uint256 hash = identity(stranger);
        _squat(hash, 0);
        by(stranger).newChainSecuredAccount(NAME, DESCRIPTION);
        by(stranger).addGroup(hash, NAME, DESCRIPTION, list(0), list(address(0)));
        assertCan(SQUATTERS_KEY, ACTION, noWallet, false, false);
        refused(
            payer,
            abi.encodeCall(
                IWalletWrites.registerWalletDerivation, (MANAGED, noWallet, 0xbad, NAME, DESCRIPTION)
            ),
            abi.encodeWithSelector(IErrors.DerivationPathAlreadyRegistered.selector, 0xbad)
        );
        refused(
            payer,
            abi.encodeCall(IGroupWrites.addGroup, (SQUATTERS_KEY, NAME, DESCRIPTION, list(), wallets())),
            abi.encodeWithSelector(IErrors.AccountDoesNotExist.selector, SQUATTERS_KEY)
        );
        refused(
            stranger,
            abi.encodeCall(IUsageKeyWrites.removeUsageApiKey, (hash, SQUATTERS_KEY)),
            abi.encodeWithSelector(IErrors.UsageApiKeyDoesNotExist.selector, hash, SQUATTERS_KEY)
        );
        enterManaged();
        refused(
            payer,
            encodeSetKey(newKey(SQUATTERS_KEY)),
            abi.encodeWithSelector(IErrors.AccountAlreadyExists.selector, SQUATTERS_KEY)
        );
    }

    /// A wallet evicts only the account under its own identity. No other wallet's identity names the victim's account.
    function test_EvictTheVictim() external blocked {
        address[3] memory callers = [thief, stranger, payer];
        for (uint256 i; i < callers.length; ++i) {
            uint256 snapshot = vm.snapshotState();
            by(callers[i]);
            (bool ok,) = address(accountConfig)
                .call(abi.encodeCall(IAccountWrites.newChainSecuredAccount, (NAME, DESCRIPTION)));
            vm.assertEq(ok, callers[i] != thief);
            vm.assertEq(accountConfig.allApiKeyHashesToMaster(account), account);
            assertCan(key, ACTION, wallet, true, true);
            vm.revertToState(snapshot);
        }
    }

    /// 127 bits of an account's hash and a namespace bit key the storage. A look-alike of the victim's hash is refused in
    /// its namespace, and is another account in the other one.
    function test_HashThatSharesTheStoredBits() external {
        for (uint256 bit = 127; bit < 256; bit += 64) {
            refused(payer, _newAccountCall(MANAGED ^ (1 << bit)), _exists(MANAGED ^ (1 << bit)));
            enterSecured();
            uint256 snapshot = vm.snapshotState();
            bytes32 before = fingerprint(SECURED);
            uint256 lookAlike = SECURED ^ (1 << bit);
            by(payer).newAccount(lookAlike, true, NAME, DESCRIPTION, thief);
            by(payer).addGroup(lookAlike, NAME, DESCRIPTION, list(0), list(address(0)));
            UsageKey memory k = almightyKey(SQUATTERS_KEY);
            k.accountApiKeyHash = lookAlike;
            setKeyAs(payer, k);
            assertCan(SQUATTERS_KEY, ACTION, wallet, true, false);
            vm.assertEq(fingerprint(SECURED), before);
            vm.assertEq(accountConfig.allApiKeyHashesToMaster(lookAlike), lookAlike);
            vm.assertEq(accountConfig.allApiKeyHashesToMaster(SQUATTERS_KEY), lookAlike);
            assertUnharmed();
            vm.revertToState(snapshot);
        }
    }

    // ---------------------------------------------------------------------------------- wallets that have an account

    /// A wallet that chose an account cannot receive another: its identity would name two accounts.
    function test_ConvertToAWalletThatHasOrHadAnAccount() external {
        bytes32 before = fingerprint(SECURED);
        refused(
            payer,
            abi.encodeCall(IAccountWrites.convertToChainSecuredAccount, (MANAGED, admin)),
            _exists(SECURED)
        );
        vm.assertEq(fingerprint(SECURED), before);
        by(admin).transferChainSecuredAccountOwnership(SECURED, newAdmin);
        by(newAdmin).transferChainSecuredAccountOwnership(SECURED, stranger);
        by(stranger).updateGroupMetadata(SECURED, GROUP, NAME, DESCRIPTION);
        address[3] memory taken = [admin, newAdmin, stranger];
        bytes32 managed = fingerprint(MANAGED);
        for (uint256 i; i < taken.length; ++i) {
            refused(
                payer,
                abi.encodeCall(IAccountWrites.convertToChainSecuredAccount, (MANAGED, taken[i])),
                _exists(identity(taken[i]))
            );
            vm.assertEq(accountConfig.allApiKeyHashesToMaster(identity(taken[i])), SECURED);
        }
        vm.assertEq(fingerprint(MANAGED), managed);
        enterManaged();
        assertUnharmed();
    }

    function test_TransferToAWalletThatHasOrHadAnAccount() external {
        convert();
        by(newAdmin).transferChainSecuredAccountOwnership(MANAGED, stranger);
        by(stranger).updateGroupMetadata(MANAGED, GROUP, NAME, DESCRIPTION);
        address[4] memory taken = [admin, newAdmin, stranger, thief];
        for (uint256 i; i < taken.length; ++i) {
            if (taken[i] == admin) {
                // A transfer to the same admin is refused earlier.
                expectRevert(IErrors.AlreadyAdminWallet.selector, SECURED, admin);
                by(admin).transferChainSecuredAccountOwnership(SECURED, admin);
                continue;
            }
            refused(
                admin,
                abi.encodeCall(IAccountWrites.transferChainSecuredAccountOwnership, (SECURED, taken[i])),
                _exists(identity(taken[i]))
            );
        }
        by(admin).transferChainSecuredAccountOwnership(SECURED, accountKeyAddress);
        // It cannot come back either.
        refused(
            accountKeyAddress,
            abi.encodeCall(IAccountWrites.transferChainSecuredAccountOwnership, (SECURED, admin)),
            _exists(SECURED)
        );
        vm.assertEq(accountConfig.getAccountWalletAddress(SECURED), accountKeyAddress);
        vm.assertEq(accountConfig.getAccountWalletAddress(MANAGED), stranger);
    }

    /// A wallet that transferred its account cannot write it any more, by any of its hashes.
    function test_FormerAdminActsByItsAlias() external {
        enterSecured();
        by(admin).transferChainSecuredAccountOwnership(SECURED, newAdmin);
        by(newAdmin).transferChainSecuredAccountOwnership(SECURED, stranger);
        by(stranger).acceptAccount(SECURED);
        (writer, mintedFor) = (stranger, stranger);
        bytes32 before = fingerprint(SECURED);
        uint256[3] memory names = [SECURED, identity(newAdmin), identity(stranger)];
        address[2] memory former = [admin, newAdmin];
        for (uint256 i; i < names.length; ++i) {
            for (uint256 j; j < former.length; ++j) {
                bytes memory noAccess =
                    abi.encodeWithSelector(IErrors.NoAccountAccess.selector, names[i], former[j]);
                refused(
                    former[j],
                    abi.encodeCall(IGroupWrites.addGroup, (names[i], NAME, DESCRIPTION, list(), wallets())),
                    noAccess
                );
                refused(
                    former[j],
                    abi.encodeCall(IAccountWrites.transferChainSecuredAccountOwnership, (names[i], thief)),
                    noAccess
                );
                refused(former[j], _setKeyCall(names[i], UNKNOWN), noAccess);
            }
        }
        vm.assertEq(fingerprint(SECURED), before);
        assertUnharmed();
    }

    /// A thief transfers an account to a wallet that is about to receive another one. The thief loses the account, and the
    /// wallet receives the other account and its identity.
    function test_ThrowAnAccountAtTheReceivingWallet() external {
        by(thief).transferChainSecuredAccountOwnership(identity(thief), newAdmin);
        convert();
        vm.assertEq(accountConfig.allApiKeyHashesToMaster(identity(newAdmin)), MANAGED);
        refused(
            thief,
            abi.encodeCall(IGroupWrites.addGroup, (identity(newAdmin), NAME, DESCRIPTION, list(), wallets())),
            abi.encodeWithSelector(IErrors.NoAccountAccess.selector, identity(newAdmin), thief)
        );
        assertUnharmed();
    }
}
