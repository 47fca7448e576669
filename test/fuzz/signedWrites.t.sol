// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { ISignedWrites } from "../../contracts/interfaces/ISignedWrites.sol";
import { SignedWritesTest } from "../utils/SignedWritesTest.sol";

/// @notice executeSigned, cancelNonce, isNonceUsed, hashSignedWrites, eip712Domain.
contract SignedWritesFuzzTest is SignedWritesTest {
    function setUp() public override {
        super.setUp();
        enterSecured();
    }

    /// Any nonce works once, and only while the deadline has not passed.
    function testFuzz_executeSigned(uint256 nonce, uint256 deadline, uint40 time) external {
        bytes[] memory calls = one(addGroupCall(SECURED));
        bytes32 digest = accountConfig.hashSignedWrites(SECURED, admin, calls, nonce, deadline);
        bytes memory signed = signature(ADMIN, digest);
        vm.warp(time);
        if (time > deadline) {
            vm.expectRevert(abi.encodeWithSelector(ISignedWrites.SignatureExpired.selector, deadline));
            by(stranger).executeSigned(SECURED, admin, calls, nonce, deadline, signed);
            vm.assertFalse(accountConfig.isNonceUsed(SECURED, nonce));
            return;
        }
        (, uint256 groups,,) = accountConfig.listSizes(SECURED);
        by(stranger).executeSigned(SECURED, admin, calls, nonce, deadline, signed);
        (, uint256 after_,,) = accountConfig.listSizes(SECURED);
        vm.assertEq(after_, groups + 1);
        vm.assertTrue(accountConfig.isNonceUsed(SECURED, nonce));
        vm.expectRevert(abi.encodeWithSelector(ISignedWrites.NonceAlreadyUsed.selector, SECURED, nonce));
        by(stranger).executeSigned(SECURED, admin, calls, nonce, deadline, signed);
    }

    /// No other bytes are a signature, and no change of what was signed is covered by it.
    function testFuzz_executeSigned_Refused(bytes calldata forged, uint256 nonce, uint256 otherNonce)
        external
    {
        vm.assume(nonce != otherNonce);
        bytes[] memory calls = one(addGroupCall(SECURED));
        bytes memory refusal = abi.encodeWithSelector(ISignedWrites.InvalidSignature.selector, admin);
        bytes memory signed = sign(ADMIN, SECURED, calls, nonce);
        vm.assume(keccak256(forged) != keccak256(signed));
        refusedSigned(SECURED, calls, nonce, forged, refusal);
        refusedSigned(SECURED, calls, otherNonce, signed, refusal);
        refusedSigned(SECURED, one(addActionCall(SECURED)), nonce, signed, refusal);
        vm.assertFalse(accountConfig.isNonceUsed(SECURED, nonce));
    }

    /// A cancelled nonce is used, in the account only whose admin cancelled it.
    function testFuzz_cancelNonce(uint256 nonce, uint256 other, address caller) external {
        vm.assume(nonce != other && caller != address(0) && caller != address(accountConfig));
        vm.assume(caller != admin);
        expectNoAccess(SECURED, caller);
        by(caller).cancelNonce(SECURED, nonce);
        by(caller).cancelNonce(identity(caller), nonce);
        vm.assertTrue(accountConfig.isNonceUsed(identity(caller), nonce));
        vm.assertFalse(accountConfig.isNonceUsed(identity(caller), other));
        vm.assertFalse(accountConfig.isNonceUsed(SECURED, nonce));
        by(admin).cancelNonce(SECURED, other);
        bytes[] memory calls = one(addGroupCall(SECURED));
        bytes memory refusal = abi.encodeWithSelector(ISignedWrites.NonceAlreadyUsed.selector, SECURED, other);
        refusedSigned(SECURED, calls, other, sign(ADMIN, SECURED, calls, other), refusal);
        submit(ADMIN, SECURED, calls, nonce);
    }

    /// The domain and the digests name the contract and the chain.
    function testFuzz_eip712Domain_hashSignedWrites(uint64 chainId, uint256 nonce) external {
        vm.assume(chainId != 0);
        bytes[] memory calls = two(addGroupCall(SECURED), addActionCall(SECURED));
        bytes32 here = accountConfig.hashSignedWrites(SECURED, admin, calls, nonce, DEADLINE);
        uint256 before = block.chainid;
        vm.chainId(chainId);
        (, string memory name, string memory version, uint256 chain, address verifying,,) =
            accountConfig.eip712Domain();
        vm.assertEq(keccak256(bytes(name)), keccak256("Service ChainSecured"));
        vm.assertEq(keccak256(bytes(version)), keccak256("1"));
        vm.assertEq(chain, chainId);
        vm.assertEq(verifying, address(accountConfig));
        bytes32 there = accountConfig.hashSignedWrites(SECURED, admin, calls, nonce, DEADLINE);
        vm.assertEq(here == there, before == chainId);
    }
}
