// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IErrors } from "../../contracts/interfaces/IErrors.sol";
import { GoodWallet } from "../mocks/Erc1271Wallets.sol";
import { AccountConfigTest } from "../utils/AccountConfigTest.sol";

contract IsValidAccountSignatureTest is AccountConfigTest {
    bytes32 private constant DIGEST = keccak256("digest");

    function _isValid(uint256 hash, string memory signer) private view returns (bool) {
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(keyOf(signer), DIGEST);
        return accountConfig.isValidAccountSignature(hash, DIGEST, abi.encodePacked(r, s, v));
    }

    function test_AdminWallet() external {
        vm.assertTrue(_isValid(SECURED, "admin"));
        vm.assertFalse(_isValid(SECURED, "stranger"));
        vm.assertTrue(_isValid(MANAGED, "account key address"));
        enterSecured();
        vm.assertTrue(_isValid(key, "admin"));
    }

    function test_CurrentAdminOnly() external {
        by(admin).transferChainSecuredAccountOwnership(SECURED, newAdmin);
        vm.assertFalse(_isValid(SECURED, "admin"));
        vm.assertTrue(_isValid(SECURED, "new admin"));
        expectRevert(IErrors.AccountNotAccepted.selector, identity(newAdmin));
        accountConfig.isValidAccountSignature(identity(newAdmin), DIGEST, "");
        by(newAdmin).acceptAccount(SECURED);
        vm.assertTrue(_isValid(identity(newAdmin), "new admin"));
    }

    function test_AfterConversion() external {
        convert();
        vm.assertFalse(_isValid(MANAGED, "account key address"));
        vm.assertTrue(_isValid(MANAGED, "new admin"));
    }

    function test_ContractWallet() external {
        address wallet_ = address(new GoodWallet(DIGEST, "signature"));
        by(payer).convertToChainSecuredAccount(MANAGED, wallet_);
        vm.assertTrue(accountConfig.isValidAccountSignature(MANAGED, DIGEST, "signature"));
        vm.assertFalse(accountConfig.isValidAccountSignature(MANAGED, DIGEST, "other"));
    }

    function test_RevertGiven_NoAccount() external {
        expectRevert(IErrors.AccountDoesNotExist.selector, UNKNOWN);
        accountConfig.isValidAccountSignature(UNKNOWN, DIGEST, "");
    }
}
