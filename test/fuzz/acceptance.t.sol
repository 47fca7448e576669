// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IErrors } from "../../contracts/interfaces/IErrors.sol";
import { ISignedWrites } from "../../contracts/interfaces/ISignedWrites.sol";
import { IViewsFacet } from "../../contracts/interfaces/IViewsFacet.sol";
import { AttackTest } from "../utils/AttackTest.sol";

/// @notice acceptAccount, cancelTransfer, accountState, convertWithConsent, retireManagedAccount, setConsentRequired.
contract AcceptanceFuzzTest is AttackTest {
    /// The account waits for any wallet, and goes back to its giver or stays, by what the wallet does first.
    function testFuzz_cancelTransfer(address wallet_, bool accepts, bool byGiver) external {
        vm.assume(wallet_ != address(0) && wallet_ != admin && wallet_ != address(accountConfig));
        vm.assume(accountConfig.allApiKeyHashesToMaster(identity(wallet_)) == 0);
        by(admin).transferChainSecuredAccountOwnership(SECURED, wallet_);
        IViewsFacet.AccountState memory state = accountConfig.accountState(identity(wallet_));
        vm.assertTrue(state.state == IViewsFacet.HashState.Waiting);
        vm.assertEq(state.masterApiKeyHash, SECURED);
        vm.assertEq(state.giver, admin);
        if (accepts) {
            by(wallet_).acceptAccount(SECURED);
            expectRevert(IErrors.NoPendingTransfer.selector, SECURED);
        }
        by(byGiver ? admin : wallet_).cancelTransfer(SECURED);
        vm.assertEq(accountConfig.getAccountWalletAddress(SECURED), accepts ? wallet_ : admin);
        vm.assertTrue(accountConfig.accountState(SECURED).accepted);
        vm.assertEq(accountConfig.allApiKeyHashesToMaster(identity(wallet_)), accepts ? SECURED : 0);
    }

    /// Any other hash is unused, and no account or key has it.
    function testFuzz_accountState(uint256 hash) external view {
        IViewsFacet.AccountState memory state = accountConfig.accountState(hash);
        vm.assertEq(state.masterApiKeyHash == 0, accountConfig.allApiKeyHashesToMaster(hash) == 0);
        vm.assertEq(state.state == IViewsFacet.HashState.Unused, state.masterApiKeyHash == 0);
    }

    /// No bytes but the signature of the account key are a consent, up to its deadline.
    function testFuzz_convertWithConsent(bytes calldata forged, uint256 deadline, uint40 time) external {
        bytes32 typeHash = keccak256(
            "ConvertToChainSecuredAccount(uint256 apiKeyHash,address newAdminWalletAddress,uint256 deadline)"
        );
        bytes memory consent = consentOf(MANAGED, abi.encode(typeHash, MANAGED, newAdmin, deadline));
        vm.assume(keccak256(forged) != keccak256(consent));
        vm.warp(time);
        bytes memory expired = abi.encodeWithSelector(ISignedWrites.SignatureExpired.selector, deadline);
        vm.expectRevert(
            time > deadline
                ? expired
                : abi.encodeWithSelector(ISignedWrites.InvalidSignature.selector, accountKeyAddress)
        );
        by(payer).convertWithConsent(MANAGED, newAdmin, deadline, forged);
        if (time > deadline) vm.expectRevert(expired);
        by(payer).convertWithConsent(MANAGED, newAdmin, deadline, consent);
        vm.assertEq(accountConfig.accountState(MANAGED).managed, time > deadline);
    }

    function testFuzz_retireManagedAccount(bytes calldata forged) external {
        bytes memory consent = consentOf(MANAGED, retirement(MANAGED));
        vm.assume(keccak256(forged) != keccak256(consent));
        vm.expectRevert(abi.encodeWithSelector(ISignedWrites.InvalidSignature.selector, accountKeyAddress));
        by(payer).retireManagedAccount(MANAGED, DEADLINE, forged);
        by(payer).retireManagedAccount(MANAGED, DEADLINE, consent);
        vm.assertTrue(accountConfig.accountState(MANAGED).state == IViewsFacet.HashState.Ended);
    }

    function testFuzz_setConsentRequired(bool required, address newAdmin_) external {
        vm.assume(newAdmin_ != address(0));
        vm.assume(accountConfig.allApiKeyHashesToMaster(identity(newAdmin_)) == 0);
        by(owner).setConsentRequired(required);
        vm.assertEq(accountConfig.consentRequired(), required);
        if (required) expectRevert(IErrors.ConsentRequired.selector, MANAGED);
        by(payer).convertToChainSecuredAccount(MANAGED, newAdmin_);
        vm.assertEq(accountConfig.accountState(MANAGED).managed, required);
    }
}
