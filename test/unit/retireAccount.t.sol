// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IAccountWrites } from "../../contracts/interfaces/IAccountWrites.sol";
import { IErrors } from "../../contracts/interfaces/IErrors.sol";
import { MasterGuards } from "../utils/WriteGuards.sol";

contract RetireAccountTest is MasterGuards {
    function writeAs(address caller, uint256 apiKeyHash) internal override {
        // No question to the contract: guards expect the revert of the next call.
        bool managed = writer == payer && (apiKeyHash == MANAGED || (apiKeyHash == key && account == MANAGED));
        bytes32 digest = typedDigest(keccak256(retirement(apiKeyHash)));
        if (!managed) {
            by(caller).retireAccount(apiKeyHash);
        } else {
            by(caller).retireManagedAccount(apiKeyHash, DEADLINE, signature("account key address", digest));
        }
    }

    function _assertNothing(uint256 hash) private {
        (uint256 master, address adminWallet, bool managed, bool isUsageKey, uint256 expiration) =
            accountConfig.resolve(hash);
        vm.assertEq(master, 0);
        vm.assertEq(adminWallet, address(0));
        vm.assertFalse(managed || isUsageKey);
        vm.assertEq(expiration, 0);
        vm.prank(writer);
        vm.assertFalse(accountConfig.accountExistsAndIsMutable(hash));
        assertCan(hash, ACTION, wallet, false, false);
        expectRevert(IErrors.AccountDoesNotExist.selector, hash);
        accountConfig.listApiKeys(hash, 0, 10);
        expectRevert(IErrors.AccountDoesNotExist.selector, hash);
        by(writer).addGroup(hash, NAME, DESCRIPTION, list(), wallets());
        expectRevert(IErrors.AccountDoesNotExist.selector, hash);
        by(writer).retireAccount(hash);
        expectRevert(IErrors.AccountAlreadyExists.selector, hash);
        by(payer).newAccount(hash, true, NAME, DESCRIPTION, accountKeyAddress);
    }

    function test_Retire() external inBothModes {
        uint256 count = accountConfig.accountCount();
        uint256 path = pathOf(1);
        expectEvent();
        emit IAccountWrites.AccountRetired(account);
        retire(account);
        assertEvents(1);
        _assertNothing(account);
        _assertNothing(key);
        vm.assertEq(accountConfig.getWalletDerivation(account, wallet), 0);
        vm.assertEq(accountConfig.getPathOwnerMaster(path), 0);
        vm.assertEq(accountConfig.accountCount(), count);
    }

    function test_RevertGiven_ManagedAccount() external {
        address[3] memory callers = [payer, owner, accountKeyAddress];
        for (uint256 i; i < 3; ++i) {
            expectRevert(IErrors.ConsentRequired.selector, MANAGED);
            by(callers[i]).retireAccount(MANAGED);
        }
    }

    function test_PathStaysTaken() external {
        retireManaged(MANAGED);
        by(payer).newAccount(UNKNOWN, true, NAME, DESCRIPTION, accountKeyAddress);
        expectRevert(IErrors.DerivationPathAlreadyRegistered.selector, 1);
        by(payer).registerWalletDerivation(UNKNOWN, wallet, 1, NAME, DESCRIPTION);
    }

    function test_UsageKeyHashStaysTaken() external {
        retireManaged(MANAGED);
        uint256 left = key;
        enterSecured();
        expectRevert(IErrors.AccountAlreadyExists.selector, left);
        setKey(newKey(left));
    }

    /// Rule 20.
    function test_RevertWhen_HashOfARemovedUsageKeyIsUsed() external {
        uint256[2] memory removed = [key, UNKNOWN];
        by(payer).removeAllUsageApiKeys(MANAGED);
        setKey(newKey(UNKNOWN));
        by(payer).removeUsageApiKey(MANAGED, UNKNOWN);
        retireManaged(MANAGED);
        enterSecured();
        for (uint256 i; i < 2; ++i) {
            expectRevert(IErrors.AccountAlreadyExists.selector, removed[i]);
            setKey(newKey(removed[i]));
        }
    }

    /// Another hash with the same lower 127 bits, which key the storage.
    function test_RevertGiven_HashSharesTheLowerBits() external {
        retireManaged(MANAGED);
        expectRevert(IErrors.AccountAlreadyExists.selector, MANAGED ^ (1 << 200));
        by(payer).newAccount(MANAGED ^ (1 << 200), true, NAME, DESCRIPTION, accountKeyAddress);
    }

    function test_WalletCannotOpenAnother() external {
        by(admin).retireAccount(SECURED);
        expectRevert(IErrors.AccountAlreadyExists.selector, SECURED);
        by(admin).newChainSecuredAccount(NAME, DESCRIPTION);
        expectRevert(IErrors.AccountAlreadyExists.selector, SECURED);
        by(payer).convertToChainSecuredAccount(MANAGED, admin);
    }

    function test_ConvertedAccount() external {
        convert();
        by(newAdmin).retireAccount(identity(newAdmin));
        _assertNothing(MANAGED);
        _assertNothing(identity(newAdmin));
        expectRevert(IErrors.AccountAlreadyExists.selector, identity(newAdmin));
        by(newAdmin).newChainSecuredAccount(NAME, DESCRIPTION);
    }

    function test_RotatedAccount() external {
        rotate(MANAGED, UNKNOWN);
        expectEvent();
        emit IAccountWrites.AccountRetired(MANAGED);
        retireManaged(UNKNOWN);
        _assertNothing(MANAGED);
        _assertNothing(UNKNOWN);
        _assertNothing(key);
    }

    /// Rule 14: the wallet did not choose the account.
    function test_TransferredAccount() external {
        enterSecured();
        by(admin).transferChainSecuredAccountOwnership(SECURED, newAdmin);
        expectRevert(IErrors.AccountNotAccepted.selector, identity(newAdmin));
        by(newAdmin).retireAccount(identity(newAdmin));
        by(newAdmin).retireAccount(SECURED);
        assertEvents(1);
        _assertNothing(SECURED);
        _assertNothing(identity(newAdmin));
        by(newAdmin).newChainSecuredAccount(NAME, DESCRIPTION);
        vm.assertEq(accountConfig.allApiKeyHashesToMaster(identity(newAdmin)), identity(newAdmin));
    }

    /// Rule 9: the hashes of a retired account give way to a wallet whose identity they are.
    function test_WalletIdentityWins() external {
        uint256 squatted = identity(stranger);
        by(payer).newAccount(squatted, true, NAME, DESCRIPTION, accountKeyAddress);
        (account, writer) = (squatted, payer);
        setKey(newKey(identity(newAdmin)));
        retireManaged(squatted);
        by(stranger).newChainSecuredAccount(NAME, DESCRIPTION);
        assertEvents(1);
        by(newAdmin).newChainSecuredAccount(NAME, DESCRIPTION);
        assertEvents(1);
        vm.assertEq(accountConfig.allApiKeyHashesToMaster(squatted), squatted);
        vm.assertEq(accountConfig.listGroups(squatted, 0, 10), list());
    }
}
