// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {
    AnsweringWallet,
    GasBurningWallet,
    GoodWallet,
    HugeAnswerWallet,
    MAGIC,
    SlowWallet,
    WritingWallet
} from "../mocks/Erc1271Wallets.sol";
import { AccountConfigTest } from "../utils/AccountConfigTest.sol";

contract IsValidWalletSignatureTest is AccountConfigTest {
    /// The order of secp256k1.
    uint256 private constant N = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141;
    bytes32 private constant DIGEST = keccak256("digest");

    function _isValid(address wallet_, bytes memory signature) private view returns (bool) {
        return accountConfig.isValidWalletSignature(wallet_, DIGEST, signature);
    }

    function _sign() private pure returns (bytes memory) {
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(keyOf("stranger"), DIGEST);
        return abi.encodePacked(r, s, v);
    }

    // --------------------------------------------------------------------------------------------------- ECDSA

    function test_Ecdsa() external view {
        vm.assertTrue(_isValid(stranger, _sign()));
        vm.assertFalse(_isValid(admin, _sign()));
        vm.assertFalse(accountConfig.isValidWalletSignature(stranger, keccak256("other"), _sign()));
    }

    function testFuzz_Ecdsa(uint256 privateKey, bytes32 digest) external view {
        privateKey = privateKey % (N - 1) + 1;
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(privateKey, digest);
        address signer = vm.addr(privateKey);
        vm.assertTrue(
            accountConfig.isValidWalletSignature(signer, digest, abi.encodePacked(r, s, v)), "65 bytes"
        );
        bytes32 vs = bytes32((uint256(v - 27) << 255) | uint256(s));
        vm.assertTrue(
            accountConfig.isValidWalletSignature(signer, digest, abi.encodePacked(r, vs)), "64 bytes"
        );
    }

    function test_HighSIsRefused() external view {
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(keyOf("stranger"), DIGEST);
        bytes32 highS = bytes32(N - uint256(s));
        vm.assertEq(ecrecover(DIGEST, v == 27 ? 28 : 27, r, highS), stranger);
        vm.assertFalse(_isValid(stranger, abi.encodePacked(r, highS, v == 27 ? uint8(28) : uint8(27))));
    }

    function test_OtherRecoveryIdsAreRefused() external view {
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(keyOf("stranger"), DIGEST);
        vm.assertFalse(_isValid(stranger, abi.encodePacked(r, s, v - 27)));
        vm.assertFalse(_isValid(stranger, abi.encodePacked(r, s, v + 4)));
        vm.assertFalse(_isValid(stranger, abi.encodePacked(r, s, uint8(0))));
        vm.assertFalse(_isValid(stranger, abi.encodePacked(r, s, uint8(1))));
        vm.assertFalse(_isValid(stranger, abi.encodePacked(r, s, v == 27 ? uint8(28) : uint8(27))));
    }

    function test_OtherLengthsAreRefused() external view {
        vm.assertFalse(_isValid(stranger, ""));
        vm.assertFalse(_isValid(stranger, hex"01"));
        vm.assertFalse(_isValid(stranger, bytes.concat(_sign(), hex"00")));
        vm.assertFalse(_isValid(stranger, new bytes(63)));
        vm.assertFalse(_isValid(stranger, new bytes(66)));
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(keyOf("stranger"), DIGEST);
        bytes memory compact = abi.encodePacked(r, uint256(v - 27) << 255 | uint256(s));
        vm.assertTrue(_isValid(stranger, compact));
        vm.assertFalse(_isValid(stranger, bytes.concat(compact, hex"0000")), "66 bytes");
        // memory-safe: shortens the bytes that were made here.
        assembly ("memory-safe") {
            mstore(compact, 63)
        }
        vm.assertFalse(_isValid(stranger, compact), "63 bytes");
        vm.assertFalse(_isValid(stranger, new bytes(4096)));
    }

    /// ecrecover returns zero for an invalid signature, and the zero address never signs.
    function test_ZeroWalletIsRefused() external view {
        vm.assertFalse(_isValid(address(0), new bytes(65)));
        vm.assertFalse(_isValid(address(0), new bytes(64)));
        vm.assertFalse(_isValid(address(0), _sign()));
    }

    // ------------------------------------------------------------------------------------------------- ERC-1271

    function test_GoodWallet() external {
        address wallet_ = address(new GoodWallet(DIGEST, "signature"));
        vm.assertTrue(_isValid(wallet_, "signature"));
        vm.assertFalse(_isValid(wallet_, "other signature"));
        vm.assertFalse(accountConfig.isValidWalletSignature(wallet_, keccak256("other"), "signature"));
    }

    /// A contract wallet may accept 65 bytes that are not its own ECDSA signature.
    function test_GoodWalletWithEcdsaOfAnOwner() external {
        vm.assertTrue(_isValid(address(new GoodWallet(DIGEST, _sign())), _sign()));
    }

    function test_LongSignature() external {
        vm.assertTrue(_isValid(address(new GoodWallet(DIGEST, new bytes(4096))), new bytes(4096)));
    }

    function test_WrongAnswersAreRefused() external {
        bytes[6] memory answers = [
            bytes(""), // nothing
            abi.encodePacked(MAGIC), // no whole word
            abi.encode(true),
            abi.encode(bytes32(uint256(uint32(MAGIC)))), // at the wrong end
            abi.encode(bytes32(MAGIC) | bytes32(uint256(1))), // with dirt behind
            abi.encode(uint256(0), MAGIC) // in the second word
        ];
        for (uint256 i; i < answers.length; ++i) {
            vm.assertFalse(_isValid(address(new AnsweringWallet(answers[i], false)), "signature"));
        }
        vm.assertTrue(_isValid(address(new AnsweringWallet(abi.encode(MAGIC), false)), "signature"));
        vm.assertTrue(_isValid(address(new AnsweringWallet(abi.encode(MAGIC, 1), false)), "signature"));
    }

    function test_RevertingWalletIsRefused() external {
        vm.assertFalse(_isValid(address(new AnsweringWallet("", true)), "signature"));
        vm.assertFalse(_isValid(address(new AnsweringWallet(abi.encode(MAGIC), true)), "signature"));
    }

    function test_WritingWalletIsRefused() external {
        vm.assertFalse(_isValid(address(new WritingWallet()), "signature"));
    }

    function test_GasIsLimited() external {
        address wallet_ = address(new GasBurningWallet());
        uint256 gas = gasleft();
        vm.assertFalse(_isValid(wallet_, "signature"));
        vm.assertLt(gas - gasleft(), 1_100_000);
        vm.assertTrue(_isValid(address(new SlowWallet(980_000)), "signature"));
        vm.assertFalse(_isValid(address(new SlowWallet(1_000_000)), "signature"));
    }

    function test_HugeAnswerIsNotCopied() external {
        address wallet_ = address(new HugeAnswerWallet(500_000, false));
        uint256 gas = gasleft();
        vm.assertTrue(_isValid(wallet_, "signature"));
        // The wallet pays about 530,000 gas for its own memory. A copy would cost the same again.
        vm.assertLt(gas - gasleft(), 700_000);
    }

    function test_WalletWithoutCodeIsRefused() external view {
        vm.assertFalse(_isValid(noWallet, "signature"));
        // ERC-6492: a signature for a wallet that is not deployed yet.
        vm.assertFalse(
            _isValid(
                noWallet,
                bytes.concat(
                    abi.encode(address(this), "", _sign()),
                    hex"6492649264926492649264926492649264926492649264926492649264926492"
                )
            )
        );
    }
}
