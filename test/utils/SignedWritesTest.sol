// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IActionWrites } from "../../contracts/interfaces/IActionWrites.sol";
import { IGroupWrites } from "../../contracts/interfaces/IGroupWrites.sol";
import { AttackTest } from "./AttackTest.sol";

/// @notice Signs writes as the EIP-712 types of ISignedWrites say, written by hand.
abstract contract SignedWritesTest is AttackTest {
    uint256 internal constant DEADLINE = NOW + 60;
    string internal constant ADMIN = "admin";

    function domainSeparator(uint256 chainId, address diamond) internal pure returns (bytes32) {
        return keccak256(
            abi.encode(
                keccak256(
                    "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"
                ),
                keccak256("Service ChainSecured"),
                keccak256("1"),
                chainId,
                diamond
            )
        );
    }

    function typedDigest(bytes32 structHash) internal view returns (bytes32) {
        bytes32 domain = domainSeparator(block.chainid, address(accountConfig));
        return keccak256(abi.encodePacked(hex"1901", domain, structHash));
    }

    function signature(string memory signer, bytes32 digest) internal pure returns (bytes memory) {
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(keyOf(signer), digest);
        return abi.encodePacked(r, s, v);
    }

    /// @notice Signs with the digest of the contract.
    function sign(string memory signer, uint256 hash, bytes[] memory calls, uint256 nonce)
        internal
        view
        returns (bytes memory)
    {
        return signature(signer, accountConfig.hashSignedWrites(hash, calls, nonce, DEADLINE));
    }

    /// @notice Signs and submits as a stranger.
    function submit(string memory signer, uint256 hash, bytes[] memory calls, uint256 nonce)
        internal
        returns (bytes[] memory)
    {
        bytes memory signed = sign(signer, hash, calls, nonce);
        return by(stranger).executeSigned(hash, calls, nonce, DEADLINE, signed);
    }

    function refusedSigned(
        uint256 hash,
        bytes[] memory calls,
        uint256 nonce,
        bytes memory signed,
        bytes memory revertData
    ) internal {
        vm.expectRevert(revertData);
        by(stranger).executeSigned(hash, calls, nonce, DEADLINE, signed);
    }

    function one(bytes memory a) internal pure returns (bytes[] memory calls) {
        calls = new bytes[](1);
        calls[0] = a;
    }

    function two(bytes memory a, bytes memory b) internal pure returns (bytes[] memory calls) {
        calls = new bytes[](2);
        (calls[0], calls[1]) = (a, b);
    }

    function addGroupCall(uint256 hash) internal view returns (bytes memory) {
        return abi.encodeCall(IGroupWrites.addGroup, (hash, NAME, DESCRIPTION, list(ACTION), list(wallet)));
    }

    function addActionCall(uint256 hash) internal pure returns (bytes memory) {
        return abi.encodeCall(IActionWrites.addAction, (hash, NAME, DESCRIPTION, NO_ACTION));
    }
}
