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

/// @notice Returns these bytes, or reverts with them.
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

/// @notice Uses all of its gas.
contract GasBurningWallet {
    function isValidSignature(bytes32, bytes calldata) external pure returns (bytes4) {
        while (true) { }
        return MAGIC;
    }
}

/// @notice Uses `gasToUse` gas before it accepts.
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

/// @notice Accepts, with an answer of `size` bytes, or reverts with as many.
contract HugeAnswerWallet {
    uint256 private immutable size;
    bool private immutable reverts;

    constructor(uint256 size_, bool reverts_) {
        (size, reverts) = (size_, reverts_);
    }

    fallback() external {
        (uint256 length, bool fails) = (size, reverts);
        assembly {
            mstore(0, shl(224, 0x1626ba7e))
            if fails { revert(0, length) }
            return(0, length)
        }
    }
}

/// @notice Accepts once and writes state, which a static call forbids.
contract WritingWallet {
    uint256 private calls;

    function isValidSignature(bytes32, bytes calldata) external returns (bytes4) {
        ++calls;
        return MAGIC;
    }
}

/// @notice Makes a call to its caller and accepts, whether the call succeeds or not.
contract ReenteringWallet {
    bytes private data;

    function reenterWith(bytes calldata data_) external {
        data = data_;
    }

    function isValidSignature(bytes32, bytes calldata) external returns (bytes4) {
        // The result is ignored: only the effects of the call matter. Half of the gas is kept for the answer.
        (bool ok,) = msg.sender.call{ gas: gasleft() / 2 }(data);
        ok;
        return MAGIC;
    }

    /// Makes the same call in a transaction of its own.
    function callNow(address target) external returns (bool ok) {
        (ok,) = target.call(data);
    }
}

/// @notice Calls its caller for its own acceptance, and returns the same.
contract RecursiveWallet {
    function isValidSignature(bytes32 digest, bytes calldata signature) external view returns (bytes4) {
        (bool ok, bytes memory result) = msg.sender
            .staticcall(
                abi.encodeWithSignature(
                    "isValidWalletSignature(address,bytes32,bytes)", address(this), digest, signature
                )
            );
        return ok && abi.decode(result, (bool)) ? MAGIC : bytes4(0);
    }
}

/// @notice Returns its calldata, which starts with the magic value.
contract EchoWallet {
    fallback(bytes calldata data) external returns (bytes memory) {
        return data;
    }
}

/// @notice Accepts every signature of its owner, whatever the digest was made for.
contract NaiveWallet {
    address private immutable owner;

    constructor(address owner_) {
        owner = owner_;
    }

    function isValidSignature(bytes32 digest, bytes calldata signature) external view returns (bytes4) {
        return _signer(_message(digest), signature) == owner ? MAGIC : bytes4(0xffffffff);
    }

    function _message(bytes32 digest) internal view virtual returns (bytes32) {
        return digest;
    }

    function _signer(bytes32 message, bytes calldata signature) private pure returns (address) {
        if (signature.length != 65) return address(0);
        return ecrecover(message, uint8(signature[64]), bytes32(signature[:32]), bytes32(signature[32:64]));
    }
}

/// @notice Accepts a signature of a message that contains this wallet, like a Safe.
contract SafeLikeWallet is NaiveWallet {
    constructor(address owner_) NaiveWallet(owner_) { }

    function messageOf(bytes32 digest) external view returns (bytes32) {
        return _message(digest);
    }

    function _message(bytes32 digest) internal view override returns (bytes32) {
        bytes32 domain = keccak256(
            abi.encode(
                keccak256("EIP712Domain(uint256 chainId,address verifyingContract)"),
                block.chainid,
                address(this)
            )
        );
        bytes32 message =
            keccak256(abi.encode(keccak256("SafeMessage(bytes message)"), keccak256(abi.encode(digest))));
        return keccak256(abi.encodePacked(hex"1901", domain, message));
    }
}

/// @notice A wallet that accepts the signatures of a key.
contract WalletOfKey {
    address private immutable key;

    constructor(address key_) {
        key = key_;
    }

    function isValidSignature(bytes32 digest, bytes calldata signature) external view returns (bytes4) {
        (bytes32 r, bytes32 s) = abi.decode(signature[:64], (bytes32, bytes32));
        return ecrecover(digest, uint8(signature[64]), r, s) == key ? MAGIC : bytes4(0);
    }
}
