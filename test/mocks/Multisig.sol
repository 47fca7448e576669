// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @notice The part of a Safe that a deployment uses: some of its owners sign a transaction that any address sends.
contract Multisig {
    address[] private owners;
    uint256 private immutable threshold;
    uint256 public nonce;

    error WrongSigner(address signer);
    error TooFewSignatures(uint256 count);

    constructor(address[] memory owners_, uint256 threshold_) {
        (owners, threshold) = (owners_, threshold_);
    }

    function getThreshold() external view returns (uint256) {
        return threshold;
    }

    function hashOf(address to, bytes calldata data) public view returns (bytes32) {
        return keccak256(abi.encode(block.chainid, address(this), nonce, to, data));
    }

    /// @param signatures Of `hashOf(to, data)`, r, s and v each, in the order of the owners, empty for an owner that does
    /// not sign.
    function execTransaction(address to, bytes calldata data, bytes[] calldata signatures) external {
        bytes32 digest = hashOf(to, data);
        ++nonce;
        uint256 count;
        for (uint256 i; i < signatures.length; ++i) {
            if (signatures[i].length == 0) continue;
            bytes calldata signature = signatures[i];
            address signer =
                ecrecover(digest, uint8(signature[64]), bytes32(signature[:32]), bytes32(signature[32:64]));
            if (signer != owners[i]) revert WrongSigner(signer);
            ++count;
        }
        if (count < threshold) revert TooFewSignatures(count);
        (bool ok, bytes memory result) = to.call(data);
        if (ok) return;
        // memory-safe: reads the bytes that the call returned.
        assembly ("memory-safe") {
            revert(add(result, 32), mload(result))
        }
    }

    /// @notice Returns the message that the owners sign for `isValidSignature(digest, …)`. It contains this wallet, as in a
    /// Safe.
    function messageOf(bytes32 digest) public view returns (bytes32) {
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

    /// @param signatures Of `messageOf(digest)`, 65 bytes each, in the order of the owners.
    function isValidSignature(bytes32 digest, bytes calldata signatures) external view returns (bytes4) {
        bytes32 message = messageOf(digest);
        uint256 count;
        for (uint256 i; i < owners.length && signatures.length >= 65 * (count + 1); ++i) {
            bytes calldata signature = signatures[65 * count:65 * (count + 1)];
            address signer =
                ecrecover(message, uint8(signature[64]), bytes32(signature[:32]), bytes32(signature[32:64]));
            if (signer == owners[i]) ++count;
        }
        return count >= threshold ? this.isValidSignature.selector : bytes4(0xffffffff);
    }
}
