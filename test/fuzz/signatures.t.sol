// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { AnsweringWallet, MAGIC } from "../mocks/Erc1271Wallets.sol";
import { AccountConfigTest } from "../utils/AccountConfigTest.sol";

/// @notice isValidWalletSignature and isValidAccountSignature.
contract SignaturesFuzzTest is AccountConfigTest {
    /// The order of secp256k1.
    uint256 private constant N = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141;

    function _sign(uint256 privateKey, bytes32 digest) private pure returns (bytes memory, bytes memory) {
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(privateKey, digest);
        return (abi.encodePacked(r, s, v), abi.encodePacked(r, (uint256(v - 27) << 255) | uint256(s)));
    }

    /// Both views and both forms accept only the signer, and only for the digest.
    function testFuzz_Ecdsa(uint256 privateKey, bytes32 digest, address other, bytes32 otherDigest) external {
        privateKey = privateKey % (N - 1) + 1;
        address signer = vm.addr(privateKey);
        vm.assume(other != signer && other.code.length == 0 && otherDigest != digest && signer != admin);
        (bytes memory long, bytes memory short) = _sign(privateKey, digest);
        by(payer).convertToChainSecuredAccount(MANAGED, signer);
        bytes[2] memory forms = [long, short];
        for (uint256 i; i < 2; ++i) {
            vm.assertTrue(accountConfig.isValidWalletSignature(signer, digest, forms[i]));
            vm.assertTrue(accountConfig.isValidAccountSignature(MANAGED, digest, forms[i]));
            vm.assertTrue(accountConfig.isValidAccountSignature(identity(signer), digest, forms[i]));
            vm.assertTrue(accountConfig.isValidAccountSignature(key, digest, forms[i]));
            vm.assertFalse(accountConfig.isValidWalletSignature(other, digest, forms[i]));
            vm.assertFalse(accountConfig.isValidWalletSignature(signer, otherDigest, forms[i]));
            vm.assertFalse(accountConfig.isValidAccountSignature(MANAGED, otherDigest, forms[i]));
            vm.assertFalse(accountConfig.isValidAccountSignature(SECURED, digest, forms[i]));
        }
    }

    /// One changed byte, or one byte more or less, is refused.
    function testFuzz_ChangedSignature(
        uint256 privateKey,
        bytes32 digest,
        uint256 index,
        uint8 change,
        bytes1 more
    ) external view {
        privateKey = privateKey % (N - 1) + 1;
        vm.assume(change != 0);
        address signer = vm.addr(privateKey);
        (bytes memory long, bytes memory short) = _sign(privateKey, digest);
        vm.assertFalse(accountConfig.isValidWalletSignature(signer, digest, bytes.concat(long, more)), "66");
        // 64 bytes and the parity byte make 65: only v itself would make it a signature.
        bytes memory longer = bytes.concat(short, more);
        vm.assertEq(
            accountConfig.isValidWalletSignature(signer, digest, longer),
            keccak256(longer) == keccak256(long),
            "65"
        );
        long[index % 65] ^= bytes1(change);
        short[index % 64] ^= bytes1(change);
        vm.assertFalse(accountConfig.isValidWalletSignature(signer, digest, long), "a changed byte of 65");
        vm.assertFalse(accountConfig.isValidWalletSignature(signer, digest, short), "a changed byte of 64");
    }

    /// The other s that recovers to the signer, with either v.
    function testFuzz_HighS(uint256 privateKey, bytes32 digest) external view {
        privateKey = privateKey % (N - 1) + 1;
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(privateKey, digest);
        address signer = vm.addr(privateKey);
        uint256 high = N - uint256(s);
        vm.assertEq(ecrecover(digest, 55 - v, r, bytes32(high)), signer);
        vm.assertFalse(
            accountConfig.isValidWalletSignature(signer, digest, abi.encodePacked(r, high, uint8(27)))
        );
        vm.assertFalse(
            accountConfig.isValidWalletSignature(signer, digest, abi.encodePacked(r, high, uint8(28)))
        );
    }

    /// Random bytes are refused and never revert.
    function testFuzz_Noise(address wallet_, bytes32 digest, bytes calldata signature) external view {
        vm.assume(wallet_.code.length == 0);
        vm.assertFalse(accountConfig.isValidWalletSignature(wallet_, digest, signature));
        vm.assertFalse(accountConfig.isValidAccountSignature(MANAGED, digest, signature));
        vm.assertFalse(accountConfig.isValidAccountSignature(SECURED, digest, signature));
    }

    /// A contract wallet accepts only with the magic value in a whole word, from a call that succeeded.
    function testFuzz_Answers(bytes calldata answer, bool magic, bool reverts, bytes calldata signature)
        external
    {
        bytes memory data = magic ? bytes.concat(abi.encode(MAGIC), answer) : answer;
        bool accepts = !reverts && data.length > 31 && bytes32(data) == bytes32(MAGIC);
        address wallet_ = address(new AnsweringWallet(data, reverts));
        vm.assertEq(accountConfig.isValidWalletSignature(wallet_, 0, signature), accepts);
        by(payer).convertToChainSecuredAccount(MANAGED, wallet_);
        vm.assertEq(accountConfig.isValidAccountSignature(MANAGED, 0, signature), accepts);
    }
}
