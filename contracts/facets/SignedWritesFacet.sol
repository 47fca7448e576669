// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IAccountWrites } from "../interfaces/IAccountWrites.sol";
import { IErrors } from "../interfaces/IErrors.sol";
import { ISignedWrites } from "../interfaces/ISignedWrites.sol";
import { LibAccounts } from "../libraries/LibAccounts.sol";
import { LibAuthority } from "../libraries/LibAuthority.sol";
import { LibIdentities } from "../libraries/LibIdentities.sol";
import { LibSignatures } from "../libraries/LibSignatures.sol";
import { LibSignedWrites } from "../libraries/LibSignedWrites.sol";
import { AccountConfigStorage as S } from "../storage/AccountConfigStorage.sol";
import { AccountWord } from "../storage/AccountWord.sol";
import { Bits } from "../storage/Bits.sol";
import { Ref, Refs } from "../storage/Ref.sol";

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
        (uint256 masterHash, Ref ref, Ref own) = _noncesOf(apiKeyHash, signer, bytes4(calls[0]));
        if (!LibSignatures.isValid(signer, digest, signature)) revert InvalidSignature(signer);
        _useNonce(apiKeyHash, signer, ref, own, nonce);
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
    /// @return masterHash The account, or the identity of the wallet that has chosen none.
    /// @return ref The nonces of the account. The wallet's own while it has chosen none, whatever others put under its identity.
    /// @return own The wallet's own nonces when the account waits for it, otherwise `ref`.
    function _noncesOf(uint256 hash, address signer, bytes4 first)
        private
        view
        returns (uint256 masterHash, Ref ref, Ref own)
    {
        uint256 identity = LibAccounts.walletIdentity(signer);
        own = Refs.create(identity, 1);
        if (hash == identity && !LibIdentities.isTaken(hash)) return (hash, own, own);
        AccountWord header;
        (masterHash, ref, header,) = LibAccounts.tryResolveForWrite(hash);
        if (!header.exists()) revert IErrors.AccountDoesNotExist(hash);
        if (header.isManaged()) revert AccountIsManaged(hash);
        if (header.admin() == signer) {
            return (masterHash, ref, header.isPending() ? own : ref);
        }
        bool takesBack = first == IAccountWrites.cancelTransfer.selector;
        if (takesBack && LibIdentities.giverOf(ref, header) == signer) return (masterHash, ref, ref);
        revert IErrors.NoAccountAccess(hash, signer);
    }

    /// @inheritdoc ISignedWrites
    function cancelNonce(uint256 apiKeyHash, uint256 cancelledNonce) external {
        address signer = LibAuthority.sender();
        (uint256 masterHash, Ref ref, Ref own) = _noncesOf(apiKeyHash, signer, bytes4(0));
        _useNonce(apiKeyHash, signer, ref, own, cancelledNonce);
        emit NonceCancelled(masterHash, signer, cancelledNonce);
    }

    function _useNonce(uint256 apiKeyHash, address signer, Ref ref, Ref own, uint256 nonce) private {
        if (_isUsed(ref, LibAccounts.walletIdentity(signer), nonce)) {
            revert NonceAlreadyUsed(apiKeyHash, nonce);
        }
        mapping(uint256 => mapping(uint256 => uint256)) storage words = S.load().accountNonces;
        words[Ref.unwrap(ref)][Bits.wordOf(nonce)] |= Bits.bitOf(nonce);
        // The account can go back to its giver, and its hash to a wallet that transfers another account to this one.
        if (!own.equals(ref)) words[Ref.unwrap(own)][Bits.wordOf(nonce)] |= Bits.bitOf(nonce);
    }

    /// @notice Nonces that a wallet used before it chose an account stay used for it in every account.
    function _isUsed(Ref ref, uint256 identity, uint256 nonce) private view returns (bool) {
        mapping(uint256 => mapping(uint256 => uint256)) storage words = S.load().accountNonces;
        uint256 index = Bits.wordOf(nonce);
        return
            Bits.has(
                words[Ref.unwrap(ref)][index] | words[Ref.unwrap(Refs.create(identity, 1))][index], nonce
            );
    }

    /// @inheritdoc ISignedWrites
    function isNonceUsed(uint256 apiKeyHash, uint256 nonce) external view returns (bool) {
        (, Ref ref, AccountWord header,) = LibAccounts.tryResolveForWrite(apiKeyHash);
        return _isUsed(header.exists() ? ref : Refs.create(apiKeyHash, 1), apiKeyHash, nonce);
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
