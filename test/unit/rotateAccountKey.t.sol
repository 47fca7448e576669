// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IAccountWrites } from "../../contracts/interfaces/IAccountWrites.sol";
import { IErrors } from "../../contracts/interfaces/IErrors.sol";
import { IViewsFacet } from "../../contracts/interfaces/IViewsFacet.sol";
import { AccountConfigTest } from "../utils/AccountConfigTest.sol";

/// @notice Rule 17.
contract RotateAccountKeyTest is AccountConfigTest {
    uint256 private constant NEW_HASH = uint256(keccak256("new account key"));
    uint256 private constant NEWER_HASH = uint256(keccak256("newer account key"));

    /// `hash` names nothing, in any function or view that takes a credential.
    function _assertNothing(uint256 hash) private {
        (uint256 master, address adminWallet, bool managed, bool isUsageKey, uint256 expiration) =
            accountConfig.resolve(hash);
        vm.assertEq(master, 0);
        vm.assertEq(adminWallet, address(0));
        vm.assertFalse(managed || isUsageKey);
        vm.assertEq(expiration, 0);
        vm.assertEq(accountConfig.allApiKeyHashesToMaster(hash), 0);
        vm.assertEq(accountConfig.getWalletDerivation(hash, wallet), 0);
        IViewsFacet.Explanation memory e = accountConfig.explainExecution(hash, ACTION, wallet);
        vm.assertEq(uint256(e.actionRule), uint256(IViewsFacet.ExecutionRule.KeyUnknown));
        address[3] memory callers = [payer, owner, newAdmin];
        for (uint256 i; i < callers.length; ++i) {
            vm.prank(callers[i]);
            vm.assertFalse(accountConfig.accountExistsAndIsMutable(hash));
            expectRevert(IErrors.AccountDoesNotExist.selector, hash);
            by(callers[i]).addGroup(hash, NAME, DESCRIPTION, list(), wallets());
            expectRevert(IErrors.AccountDoesNotExist.selector, hash);
            by(callers[i]).retireAccount(hash);
        }
        expectRevert(IErrors.AccountDoesNotExist.selector, hash);
        accountConfig.getAccountWalletAddress(hash);
        expectRevert(IErrors.AccountDoesNotExist.selector, hash);
        accountConfig.listSizes(hash);
        expectRevert(IErrors.AccountDoesNotExist.selector, hash);
        accountConfig.listApiKeys(hash, 0, 10);
        expectRevert(IErrors.AccountDoesNotExist.selector, hash);
        accountConfig.isValidAccountSignature(hash, 0, "");
        expectRevert(IErrors.AccountDoesNotExist.selector, hash);
        by(payer).convertToChainSecuredAccount(hash, newAdmin);
        expectRevert(IErrors.AccountDoesNotExist.selector, hash);
        by(payer).rotateAccountKey(hash, UNKNOWN, newAdmin, DEADLINE, "");
        // It is never used again.
        expectRevert(IErrors.AccountAlreadyExists.selector, hash);
        by(payer).newAccount(hash, true, NAME, DESCRIPTION, accountKeyAddress);
        expectRevert(IErrors.AccountAlreadyExists.selector, hash);
        this.setKeyAt(hash);
    }

    /// A new key in the ChainSecured account, whatever the account under test.
    function setKeyAt(uint256 hash) external {
        UsageKey memory k = newKey(hash);
        k.accountApiKeyHash = SECURED;
        setKeyAs(admin, k);
    }

    function _assertAccount(uint256 hash) private {
        (uint256 master, address adminWallet, bool managed, bool isUsageKey,) = accountConfig.resolve(hash);
        vm.assertEq(master, MANAGED);
        vm.assertEq(adminWallet, addressOfKey(hash));
        vm.assertTrue(managed);
        vm.assertFalse(isUsageKey);
        account = hash;
        assertGroup(GROUP, list(ACTION), list(wallet));
        vm.assertEq(usageKey(key).permissions.executeInGroups, list(GROUP));
        assertCan(key, ACTION, wallet, true, true);
        vm.assertEq(accountConfig.getPathOwnerMaster(1), MANAGED);
    }

    function test_Rotate() external {
        uint256 count = accountConfig.accountCount();
        bytes memory consent = consentOf(MANAGED, rotation(MANAGED, NEW_HASH, addressOfKey(NEW_HASH)));
        expectEvent();
        emit IAccountWrites.AccountKeyRotated(MANAGED, MANAGED, NEW_HASH, addressOfKey(NEW_HASH));
        by(payer).rotateAccountKey(MANAGED, NEW_HASH, addressOfKey(NEW_HASH), DEADLINE, consent);
        assertEvents(1);
        _assertAccount(NEW_HASH);
        _assertNothing(MANAGED);
        vm.assertEq(accountConfig.accountCount(), count);
    }

    function test_Twice() external {
        rotate(MANAGED, NEW_HASH);
        rotate(NEW_HASH, NEWER_HASH);
        _assertAccount(NEWER_HASH);
        _assertNothing(MANAGED);
        _assertNothing(NEW_HASH);
    }

    function test_NewKeyHasTheAuthorityOfTheMaster() external {
        rotate(MANAGED, NEW_HASH);
        account = NEW_HASH;
        setKey(almightyKey(UNKNOWN));
        by(payer).addGroup(NEW_HASH, NAME, DESCRIPTION, list(), wallets());
        by(payer).removeUsageApiKey(NEW_HASH, UNKNOWN);
        by(payer).registerWalletDerivation(NEW_HASH, noWallet, 9, NAME, DESCRIPTION);
        vm.assertEq(accountConfig.getPathOwnerMaster(9), MANAGED);
    }

    function test_ConversionAfterwards() external {
        rotate(MANAGED, NEW_HASH);
        expectEvent();
        emit IAccountWrites.AccountConvertedToChainSecured(MANAGED, addressOfKey(NEW_HASH), newAdmin);
        by(payer).convertToChainSecuredAccount(NEW_HASH, newAdmin);
        vm.assertEq(accountConfig.allApiKeyHashesToMaster(identity(newAdmin)), MANAGED);
        vm.assertEq(accountConfig.allApiKeyHashesToMaster(NEW_HASH), MANAGED);
        by(newAdmin).addGroup(NEW_HASH, NAME, DESCRIPTION, list(), wallets());
        by(newAdmin).addGroup(identity(newAdmin), NAME, DESCRIPTION, list(), wallets());
        // For the admin wallet the master hash names the account again. It is not a credential: nothing resolves it.
        by(newAdmin).addGroup(MANAGED, NAME, DESCRIPTION, list(), wallets());
        expectNoAccess(MANAGED, payer);
        by(payer).addGroup(MANAGED, NAME, DESCRIPTION, list(), wallets());
        vm.assertEq(accountConfig.allApiKeyHashesToMaster(MANAGED), 0);
        (uint256 master,,,,) = accountConfig.resolve(MANAGED);
        vm.assertEq(master, 0);
        by(newAdmin).retireAccount(MANAGED);
        vm.assertEq(accountConfig.allApiKeyHashesToMaster(NEW_HASH), 0);
        expectRevert(IErrors.AccountDoesNotExist.selector, MANAGED);
        by(newAdmin).retireAccount(MANAGED);
    }

    /// Fault: the key that was replaced signed for the account.
    function test_ReplacedKeySignsNothing() external {
        rotate(MANAGED, NEW_HASH);
        bytes32 digest = keccak256("anything");
        vm.assertFalse(
            accountConfig.isValidAccountSignature(NEW_HASH, digest, signature("account key address", digest))
        );
        bytes memory signed = signature(privateKeys[addressOfKey(NEW_HASH)], digest);
        vm.assertTrue(accountConfig.isValidAccountSignature(NEW_HASH, digest, signed));
    }

    /// Rule 9: a wallet whose identity is the hash of a former or current account key opens its account.
    function test_WalletIdentityWins() external {
        uint256 squatted = identity(stranger);
        rotate(MANAGED, squatted);
        uint256 snapshot = vm.snapshotState();
        expectEvent();
        emit IAccountWrites.AccountEvicted(MANAGED, stranger);
        by(stranger).newChainSecuredAccount(NAME, DESCRIPTION);
        assertEvents(2);
        vm.assertEq(accountConfig.allApiKeyHashesToMaster(squatted), squatted);
        vm.assertEq(accountConfig.allApiKeyHashesToMaster(key), 0);
        vm.revertToState(snapshot);

        rotate(squatted, NEW_HASH);
        snapshot = vm.snapshotState();
        by(stranger).newChainSecuredAccount(NAME, DESCRIPTION);
        assertEvents(1);
        vm.assertEq(accountConfig.allApiKeyHashesToMaster(squatted), squatted);
        _assertAccount(NEW_HASH);
        vm.revertToState(snapshot);

        by(payer).convertToChainSecuredAccount(NEW_HASH, stranger);
        vm.assertEq(accountConfig.allApiKeyHashesToMaster(squatted), MANAGED);
    }

    /// An account is evicted once: its other hashes are free without an event.
    function test_TwoWalletsClaimHashesOfOneAccount() external {
        uint256 first = identity(stranger);
        by(payer).newAccount(first, true, NAME, DESCRIPTION, accountKeyAddress);
        rotate(first, identity(newAdmin));
        expectEvent();
        emit IAccountWrites.AccountEvicted(first, newAdmin);
        by(newAdmin).newChainSecuredAccount(NAME, DESCRIPTION);
        assertEvents(2);
        by(stranger).newChainSecuredAccount(NAME, DESCRIPTION);
        assertEvents(1);
        vm.assertEq(accountConfig.allApiKeyHashesToMaster(first), first);
    }

    /// A ChainSecured account only loses the name that belongs to the wallet.
    function test_WalletClaimsTheKeyOfAConvertedAccount() external {
        rotate(MANAGED, identity(stranger));
        by(payer).convertToChainSecuredAccount(identity(stranger), newAdmin);
        by(stranger).newChainSecuredAccount(NAME, DESCRIPTION);
        assertEvents(1);
        vm.assertEq(accountConfig.allApiKeyHashesToMaster(identity(stranger)), identity(stranger));
        vm.assertEq(accountConfig.allApiKeyHashesToMaster(identity(newAdmin)), MANAGED);
        assertCan(key, ACTION, wallet, true, true);
    }

    /// The wallet whose identity is the master hash gets the account, and the hash names it again.
    function test_ConversionToTheWalletOfTheMasterHash() external {
        uint256 hash = identity(stranger);
        by(payer).newAccount(hash, true, NAME, DESCRIPTION, accountKeyAddress);
        rotate(hash, NEW_HASH);
        by(payer).convertToChainSecuredAccount(NEW_HASH, stranger);
        vm.assertEq(accountConfig.allApiKeyHashesToMaster(hash), hash);
        by(stranger).addGroup(hash, NAME, DESCRIPTION, list(), wallets());
    }

    // ------------------------------------------- reverts, in their order: each call has all later mistakes too

    function test_RevertWhen_NewHashIsZero() external {
        expectRevert(IErrors.AccountHashIsZero.selector);
        by(stranger).rotateAccountKey(UNKNOWN, 0, newAdmin, DEADLINE, "");
    }

    function test_RevertWhen_NewAddressIsZero() external {
        expectRevert(IErrors.AdminWalletIsZero.selector);
        by(stranger).rotateAccountKey(UNKNOWN, SECURED, address(0), DEADLINE, "");
    }

    function test_RevertGiven_NoAccount() external {
        expectRevert(IErrors.AccountDoesNotExist.selector, UNKNOWN);
        by(stranger).rotateAccountKey(UNKNOWN, SECURED, newAdmin, DEADLINE, "");
        expectRevert(IErrors.AccountDoesNotExist.selector, 0);
        by(stranger).rotateAccountKey(0, SECURED, newAdmin, DEADLINE, "");
    }

    function test_RevertGiven_UsageKeyHash() external inBothModes {
        setKey(almightyKey(key));
        expectRevert(IErrors.NotMasterAccount.selector, key);
        by(stranger).rotateAccountKey(key, SECURED, newAdmin, DEADLINE, "");
    }

    function test_RevertGiven_ChainSecured() external {
        expectRevert(IErrors.AlreadyChainSecured.selector, SECURED);
        by(stranger).rotateAccountKey(SECURED, SECURED, newAdmin, DEADLINE, "");
        expectRevert(IErrors.AlreadyChainSecured.selector, SECURED);
        by(admin).rotateAccountKey(SECURED, NEW_HASH, newAdmin, DEADLINE, "");
        convert();
        expectRevert(IErrors.AlreadyChainSecured.selector, identity(newAdmin));
        by(payer).rotateAccountKey(identity(newAdmin), NEW_HASH, newAdmin, DEADLINE, "");
    }

    function test_RevertGiven_CallerIsNoPayer() external {
        address[4] memory callers = [stranger, owner, admin, accountKeyAddress];
        for (uint256 i; i < callers.length; ++i) {
            expectNoAccess(MANAGED, callers[i]);
            by(callers[i]).rotateAccountKey(MANAGED, SECURED, newAdmin, DEADLINE, "");
        }
    }

    function test_RevertGiven_NewHashIsInUse() external {
        enterSecured();
        setKey(newKey(NEWER_HASH));
        uint256[4] memory taken = [MANAGED, SECURED, key, NEWER_HASH];
        for (uint256 i; i < taken.length; ++i) {
            expectRevert(IErrors.AccountAlreadyExists.selector, taken[i]);
            by(payer).rotateAccountKey(MANAGED, taken[i], newAdmin, DEADLINE, "");
        }
    }

    /// The key was rotated to the identity of a wallet, and the account is converted to this wallet.
    function test_ConvertedToTheWalletWhoseIdentityIsTheKey() external {
        uint256 hash = identity(newAdmin);
        rotate(MANAGED, hash);
        by(payer).convertToChainSecuredAccount(hash, newAdmin);
        assertEvents(1);
        (uint256 master, address adminWallet, bool managed,,) = accountConfig.resolve(hash);
        vm.assertEq(master, MANAGED);
        vm.assertEq(adminWallet, newAdmin);
        vm.assertFalse(managed);
        assertCan(key, ACTION, wallet, true, true);
        by(newAdmin).addGroup(hash, NAME, DESCRIPTION, list(ACTION), list(wallet));
    }
}
