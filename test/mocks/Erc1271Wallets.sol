// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

bytes4 constant MAGIC = 0x1626ba7e;

/// @notice Accepts one digest with one signature.
contract GoodWallet {
    bytes32 private immutable accepted;

    constructor(bytes32 digest, bytes memory signature) {
        accepted = keccak256(abi.encode(digest, signature));
    }

    function isValidSignature(bytes32 digest, bytes calldata signature) external view returns (bytes4) {
        return keccak256(abi.encode(digest, signature)) == accepted ? MAGIC : bytes4(0xffffffff);
    }
}

/// @notice Answers with these bytes, or reverts with them.
contract AnsweringWallet {
    bytes private answer;
    bool private reverts;

    constructor(bytes memory answer_, bool reverts_) {
        (answer, reverts) = (answer_, reverts_);
    }

    fallback(bytes calldata) external returns (bytes memory) {
        bytes memory data = answer;
        if (reverts) {
            // memory-safe: reads the bytes of the answer.
            assembly ("memory-safe") {
                revert(add(data, 32), mload(data))
            }
        }
        return data;
    }
}

/// @notice Uses up all gas that it is given.
contract GasBurningWallet {
    function isValidSignature(bytes32, bytes calldata) external pure returns (bytes4) {
        while (true) { }
        return MAGIC;
    }
}

/// @notice Takes `gasToUse` gas before it accepts.
contract SlowWallet {
    uint256 private immutable gasToUse;

    constructor(uint256 gasToUse_) {
        gasToUse = gasToUse_;
    }

    function isValidSignature(bytes32, bytes calldata) external view returns (bytes4) {
        uint256 end = gasleft() - gasToUse;
        while (gasleft() > end) { }
        return MAGIC;
    }
}

/// @notice Accepts, with half a megabyte behind the answer.
contract HugeAnswerWallet {
    fallback() external {
        assembly {
            mstore(0, shl(224, 0x1626ba7e))
            return(0, 500000)
        }
    }
}

/// @notice Accepts once: writes state, which a static call forbids.
contract WritingWallet {
    uint256 private calls;

    function isValidSignature(bytes32, bytes calldata) external returns (bytes4) {
        ++calls;
        return MAGIC;
    }
}
