// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IAccountWrites } from "../interfaces/IAccountWrites.sol";
import { IErrors } from "../interfaces/IErrors.sol";
import { ISignedWrites } from "../interfaces/ISignedWrites.sol";
import { AccountConfigStorage as S, AccountWord, Ref } from "../libraries/AccountConfigStorage.sol";
import { LibAccounts } from "../libraries/LibAccounts.sol";
import { LibAuthority } from "../libraries/LibAuthority.sol";
import { LibIdentities } from "../libraries/LibIdentities.sol";
import { LibSignatures } from "../libraries/LibSignatures.sol";
import { LibSignedWrites } from "../libraries/LibSignedWrites.sol";

/// @notice Signed writes, see ISignedWrites.
contract SignedWritesFacet is ISignedWrites {
    /// @inheritdoc ISignedWrites
    function executeSigned(
        uint256 apiKeyHash,
        address signer,
        bytes[] calldata calls,
        uint256 nonce,
        uint256 deadline,
        bytes calldata signature
    ) external returns (bytes[] memory results) {
        if (block.timestamp > deadline) revert SignatureExpired(deadline);
        bytes32 digest = LibSignedWrites.digest(apiKeyHash, signer, calls, nonce, deadline);
        (uint256 masterHash, Ref ref) = _accountOf(apiKeyHash, signer, bytes4(calls[0]));
        if (!LibSignatures.isValid(signer, digest, signature)) revert InvalidSignature(signer);
        _useNonce(apiKeyHash, ref, nonce);
        results = _execute(calls, signer);
        emit SignedWritesExecuted(masterHash, signer, nonce, digest);
    }

    function _execute(bytes[] calldata calls, address signer) private returns (bytes[] memory results) {
        results = new bytes[](calls.length);
        for (uint256 i; i < calls.length; ++i) {
            // The diamond calls itself and appends the wallet that acts, see LibAuthority.sender.
            (bool ok, bytes memory result) = address(this).call(abi.encodePacked(calls[i], signer));
            if (!ok) {
                // memory-safe: reads an allocated array of bytes.
                assembly ("memory-safe") {
                    revert(add(result, 32), mload(result))
                }
            }
            results[i] = result;
        }
    }

    /// @notice Returns the account whose nonces the wallet uses under a hash.
    /// @param first The function of the first write.
    /// @return masterHash The account, or the identity of the wallet that has none.
    function _accountOf(uint256 hash, address signer, bytes4 first)
        private
        view
        returns (uint256 masterHash, Ref ref)
    {
        AccountWord header;
        (masterHash, ref, header,) = LibAccounts.tryResolveForWrite(hash);
        bool isChainSecured = S.exists(header) && !LibAccounts.isManaged(header);
        if (isChainSecured) {
            if (LibAccounts.adminOf(header) == signer) return (masterHash, ref);
            bool takesBack = first == IAccountWrites.cancelTransfer.selector;
            if (takesBack && LibIdentities.giverOf(ref, header) == signer) return (masterHash, ref);
        }
        // No account or usage key of another caller under its identity stops a wallet from opening its own.
        if (hash == LibAccounts.walletIdentity(signer) && !LibIdentities.isTaken(hash)) {
            return (hash, S.refOf(hash, 1));
        }
        if (!S.exists(header)) revert IErrors.AccountDoesNotExist(hash);
        if (!isChainSecured) revert AccountIsManaged(hash);
        revert IErrors.NoAccountAccess(hash, signer);
    }

    /// @inheritdoc ISignedWrites
    function cancelNonce(uint256 apiKeyHash, uint256 cancelledNonce) external {
        address signer = LibAuthority.sender();
        (uint256 masterHash, Ref ref) = _accountOf(apiKeyHash, signer, bytes4(0));
        _useNonce(apiKeyHash, ref, cancelledNonce);
        emit NonceCancelled(masterHash, signer, cancelledNonce);
    }

    function _useNonce(uint256 apiKeyHash, Ref ref, uint256 nonce) private {
        if (_isUsed(apiKeyHash, ref, nonce)) revert NonceAlreadyUsed(apiKeyHash, nonce);
        S.load().accountNonces[Ref.unwrap(ref)][nonce >> 8] |= 1 << (nonce & 255);
    }

    function _isUsed(uint256 apiKeyHash, Ref ref, uint256 nonce) private view returns (bool) {
        mapping(uint256 => mapping(uint256 => uint256)) storage words = S.load().accountNonces;
        // Nonces that a wallet used under its identity stay used in the account that the identity names later.
        uint256 word =
            words[Ref.unwrap(ref)][nonce >> 8] | words[Ref.unwrap(S.refOf(apiKeyHash, 1))][nonce >> 8];
        return (word >> (nonce & 255)) & 1 != 0;
    }

    /// @inheritdoc ISignedWrites
    function isNonceUsed(uint256 apiKeyHash, uint256 nonce) external view returns (bool) {
        (, Ref ref, AccountWord header,) = LibAccounts.tryResolveForWrite(apiKeyHash);
        if (!S.exists(header) || LibAccounts.isManaged(header)) ref = S.refOf(apiKeyHash, 1);
        return _isUsed(apiKeyHash, ref, nonce);
    }

    /// @inheritdoc ISignedWrites
    function hashSignedWrites(
        uint256 apiKeyHash,
        address signer,
        bytes[] calldata calls,
        uint256 nonce,
        uint256 deadline
    ) external view returns (bytes32) {
        return LibSignedWrites.digest(apiKeyHash, signer, calls, nonce, deadline);
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
