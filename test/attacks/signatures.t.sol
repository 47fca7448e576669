// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { NaiveWallet, SafeLikeWallet } from "../mocks/Erc1271Wallets.sol";
import { AttackTest } from "../utils/AttackTest.sol";

/// @notice A signature for one wallet as a signature for another wallet of the same owner.
///
/// The contract gets a digest and cannot know its contents: a wallet that accepts its owner's signature of any digest
/// accepts the same signature for two wallets. Therefore the envelope names the wallet (`message.address`), and the verifier
/// computes the digest from the claimed wallet instead of taking a digest.
contract SignatureAttackTest is AttackTest {
    bytes32 private constant CONVERT = keccak256("ConvertAccount(address address,uint256 issuedAt)");
    bytes32 private constant BILLING = keccak256("BillingAuth(address address,uint256 issuedAt)");

    string private constant OWNER = "owner of two wallets";

    NaiveWallet private naive;
    NaiveWallet private otherNaive;
    SafeLikeWallet private safe;
    SafeLikeWallet private otherSafe;

    function setUp() public override {
        super.setUp();
        address owner_ = actor(OWNER);
        (naive, otherNaive) = (new NaiveWallet(owner_), new NaiveWallet(owner_));
        (safe, otherSafe) = (new SafeLikeWallet(owner_), new SafeLikeWallet(owner_));
    }

    /// @notice The digest of an envelope for `wallet_`, issued now.
    function _digest(bytes32 primaryType, uint256 chainId, address wallet_) private view returns (bytes32) {
        bytes32 domain = keccak256(
            abi.encode(
                keccak256("EIP712Domain(string name,string version,uint256 chainId)"),
                keccak256("Service ChainSecured"),
                keccak256("1"),
                chainId
            )
        );
        bytes32 message = keccak256(abi.encode(primaryType, wallet_, block.timestamp));
        return keccak256(abi.encodePacked(hex"1901", domain, message));
    }

    function _digest(address wallet_) private view returns (bytes32) {
        return _digest(CONVERT, block.chainid, wallet_);
    }

    function _sign(bytes32 message) private pure returns (bytes memory) {
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(keyOf(OWNER), message);
        return abi.encodePacked(r, s, v);
    }

    /// @notice The check of a verifier: true when this wallet signed the envelope that names it.
    function _verifies(address wallet_, bytes memory signature) private view returns (bool) {
        return accountConfig.isValidWalletSignature(wallet_, _digest(wallet_), signature);
    }

    /// The same digest as viem's hashTypedData of the envelope.
    function test_DigestVector() external view {
        address wallet_ = 0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266;
        vm.assertEq(block.timestamp, 1_800_000_000);
        vm.assertEq(
            _digest(CONVERT, 31337, wallet_),
            0x901ad30f4d37ef9b8d2d31df7f25d01ebfb860729f704252afa9710b132f9628
        );
        vm.assertEq(
            _digest(BILLING, 31337, wallet_),
            0xda36a05661ebc06a8f849268830ebc137b6ba5ed2fa93186d64dcca168f42abb
        );
    }

    function test_SignatureOfOneWalletForAnother() external {
        bytes memory signature = _sign(_digest(address(naive)));
        vm.assertTrue(_verifies(address(naive), signature));
        vm.assertFalse(_verifies(address(otherNaive), signature));
        vm.assertFalse(_verifies(address(safe), signature));
        vm.assertFalse(_verifies(actor(OWNER), signature), "the owner's own account");
        vm.assertTrue(_verifies(address(otherNaive), _sign(_digest(address(otherNaive)))));
    }

    function test_SignatureOfOneSafeForAnother() external {
        bytes memory signature = _sign(safe.messageOf(_digest(address(safe))));
        vm.assertTrue(_verifies(address(safe), signature));
        vm.assertFalse(_verifies(address(otherSafe), signature));
        vm.assertFalse(_verifies(address(naive), signature));
        vm.assertFalse(_verifies(actor(OWNER), signature));
        // Bound twice: the first Safe's digest is not the other's message either.
        vm.assertFalse(
            accountConfig.isValidWalletSignature(address(otherSafe), _digest(address(safe)), signature)
        );
    }

    /// An owner's own signature is not a signature of their contract wallets, and the reverse.
    function test_SignatureOfTheOwnerForHisWallets() external {
        bytes memory signature = _sign(_digest(actor(OWNER)));
        vm.assertTrue(_verifies(actor(OWNER), signature));
        vm.assertFalse(_verifies(address(naive), signature));
        vm.assertFalse(_verifies(address(safe), signature));
    }

    /// The contract cannot prevent this: a verifier that forwards a given digest, instead of the digest that names the
    /// wallet, gets the right answer for that digest. A wallet like a Safe prevents it.
    function test_DigestThatDoesNotNameTheWallet() external view {
        bytes32 digest = _digest(address(naive));
        vm.assertTrue(accountConfig.isValidWalletSignature(address(otherNaive), digest, _sign(digest)));
        vm.assertFalse(accountConfig.isValidWalletSignature(address(otherSafe), digest, _sign(digest)));
    }

    function test_SignatureOfAnotherFlowChainOrTime() external {
        bytes memory signature = _sign(_digest(address(naive)));
        vm.assertFalse(
            accountConfig.isValidWalletSignature(
                address(naive), _digest(BILLING, block.chainid, address(naive)), signature
            )
        );
        vm.assertFalse(
            accountConfig.isValidWalletSignature(
                address(naive), _digest(CONVERT, block.chainid + 1, address(naive)), signature
            )
        );
        vm.warp(NOW + 1);
        vm.assertFalse(_verifies(address(naive), signature));
    }

    /// The same for an account: a signature of the old admin wallet is not one of the new admin wallet.
    function test_SignatureOfTheFormerAdminWallet() external {
        by(payer).convertToChainSecuredAccount(MANAGED, address(naive));
        bytes memory signature = _sign(_digest(address(naive)));
        vm.assertTrue(accountConfig.isValidAccountSignature(MANAGED, _digest(address(naive)), signature));
        by(address(naive)).transferChainSecuredAccountOwnership(MANAGED, address(otherSafe));
        vm.assertFalse(accountConfig.isValidAccountSignature(MANAGED, _digest(address(naive)), signature));
        vm.assertFalse(accountConfig.isValidAccountSignature(MANAGED, _digest(address(otherSafe)), signature));
    }
}
