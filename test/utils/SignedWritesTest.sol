// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IActionWrites } from "../../contracts/interfaces/IActionWrites.sol";
import { IGroupWrites } from "../../contracts/interfaces/IGroupWrites.sol";
import { AttackTest } from "./AttackTest.sol";

/// @notice Signs writes as the EIP-712 types of ISignedWrites say, written by hand.
abstract contract SignedWritesTest is AttackTest {
    string internal constant ADMIN = "admin";

    /// @notice Signs with the digest of the contract.
    function sign(string memory signer, uint256 hash, bytes[] memory calls, uint256 nonce)
        internal
        view
        returns (bytes memory)
    {
        address by_ = vm.addr(keyOf(signer));
        return signature(signer, accountConfig.hashSignedWrites(hash, by_, calls, nonce, DEADLINE));
    }

    /// @notice Signs and submits as a stranger.
    function submit(string memory signer, uint256 hash, bytes[] memory calls, uint256 nonce)
        internal
        returns (bytes[] memory)
    {
        bytes memory signed = sign(signer, hash, calls, nonce);
        return by(stranger).executeSigned(hash, vm.addr(keyOf(signer)), calls, nonce, DEADLINE, signed);
    }

    /// @notice As the next one, with `admin` as the signer.
    function refusedSigned(
        uint256 hash,
        bytes[] memory calls,
        uint256 nonce,
        bytes memory signed,
        bytes memory revertData
    ) internal {
        refusedSigned(hash, admin, calls, nonce, signed, revertData);
    }

    function refusedSigned(
        uint256 hash,
        address signer,
        bytes[] memory calls,
        uint256 nonce,
        bytes memory signed,
        bytes memory revertData
    ) internal {
        vm.expectRevert(revertData);
        by(stranger).executeSigned(hash, signer, calls, nonce, DEADLINE, signed);
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
