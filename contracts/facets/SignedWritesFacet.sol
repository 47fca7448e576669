// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IAccountWrites } from "../interfaces/IAccountWrites.sol";
import { ISignedWrites } from "../interfaces/ISignedWrites.sol";
import { AccountConfigStorage as S, AccountWord } from "../libraries/AccountConfigStorage.sol";
import { LibAccounts } from "../libraries/LibAccounts.sol";
import { LibSignatures } from "../libraries/LibSignatures.sol";
import { LibSignedWrites } from "../libraries/LibSignedWrites.sol";

/// @notice Signed writes, see ISignedWrites.
contract SignedWritesFacet is ISignedWrites {
    /// @inheritdoc ISignedWrites
    function executeSigned(
        uint256 apiKeyHash,
        bytes[] calldata calls,
        uint256 nonce,
        uint256 deadline,
        bytes calldata signature
    ) external returns (bytes[] memory results) {
        if (block.timestamp > deadline) revert SignatureExpired(deadline);
        bytes32 digest = LibSignedWrites.digest(apiKeyHash, calls, nonce, deadline);
        (uint256 masterHash, address signer) = _verify(apiKeyHash, calls[0], digest, signature);
        if (!_useNonce(signer, nonce)) revert NonceAlreadyUsed(signer, nonce);
        results = new bytes[](calls.length);
        for (uint256 i; i < calls.length; ++i) {
            // The diamond calls itself and appends the wallet that acts, see LibAccounts.sender.
            (bool ok, bytes memory result) = address(this).call(abi.encodePacked(calls[i], signer));
            if (!ok) {
                // memory-safe: reads an allocated array of bytes.
                assembly ("memory-safe") {
                    revert(add(result, 32), mload(result))
                }
            }
            results[i] = result;
        }
        emit SignedWritesExecuted(masterHash, signer, nonce);
    }

    /// @return masterHash The account, or the identity of the wallet that opens one.
    function _verify(uint256 apiKeyHash, bytes calldata first, bytes32 digest, bytes calldata signature)
        private
        view
        returns (uint256 masterHash, address signer)
    {
        if (bytes4(first) == IAccountWrites.newChainSecuredAccount.selector) {
            signer = LibSignatures.recover(digest, signature);
            if (signer == address(0) || LibAccounts.walletIdentity(signer) != apiKeyHash) {
                revert InvalidSignature(signer);
            }
            return (apiKeyHash, signer);
        }
        AccountWord header;
        (masterHash,, header,) = LibAccounts.resolve(apiKeyHash);
        if (LibAccounts.isManaged(header)) revert AccountIsManaged(apiKeyHash);
        signer = LibAccounts.adminOf(header);
        if (!LibSignatures.isValid(signer, digest, signature)) revert InvalidSignature(signer);
    }

    /// @inheritdoc ISignedWrites
    function cancelNonce(uint256 nonce) external {
        if (!_useNonce(msg.sender, nonce)) revert NonceAlreadyUsed(msg.sender, nonce);
        emit NonceCancelled(msg.sender, nonce);
    }

    /// @return fresh False for a nonce that was used before.
    function _useNonce(address signer, uint256 nonce) private returns (bool fresh) {
        mapping(uint256 => uint256) storage words = S.load().nonces[signer];
        uint256 word = words[nonce >> 8];
        uint256 bit = 1 << (nonce & 255);
        fresh = word & bit == 0;
        words[nonce >> 8] = word | bit;
    }

    /// @inheritdoc ISignedWrites
    function isNonceUsed(address signer, uint256 nonce) external view returns (bool) {
        return (S.load().nonces[signer][nonce >> 8] >> (nonce & 255)) & 1 != 0;
    }

    /// @inheritdoc ISignedWrites
    function hashSignedWrites(uint256 apiKeyHash, bytes[] calldata calls, uint256 nonce, uint256 deadline)
        external
        view
        returns (bytes32)
    {
        return LibSignedWrites.digest(apiKeyHash, calls, nonce, deadline);
    }

    /// @inheritdoc ISignedWrites
    function eip712Domain()
        external
        view
        returns (
            bytes1 fields,
            string memory name,
            string memory version,
            uint256 chainId,
            address verifyingContract,
            bytes32 salt,
            uint256[] memory extensions
        )
    {
        // Name, version, chain id and contract.
        (fields, name, version) = (hex"0f", LibSignedWrites.NAME, LibSignedWrites.VERSION);
        (chainId, verifyingContract) = (block.chainid, address(this));
        (salt, extensions) = (bytes32(0), new uint256[](0));
    }
}
