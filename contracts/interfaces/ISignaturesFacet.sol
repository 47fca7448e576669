// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title ISignaturesFacet
/// @notice Verifies signatures of wallets, ECDSA and ERC-1271.
interface ISignaturesFacet {
    /// @notice True when `wallet` signed `digest`. Tries ECDSA with low s (65 bytes, or 64 bytes of EIP-2098) first, then the
    /// ERC-1271 function of the deployed wallet with at most 1,000,000 gas and 32 bytes read back. A wallet without code is
    /// never called (no ERC-6492). Reverts with InsufficientGas when a contract wallet that did not accept had less than
    /// 1,000,000 gas.
    function isValidWalletSignature(address wallet, bytes32 digest, bytes calldata signature)
        external
        view
        returns (bool);

    /// @notice The same for the current admin wallet of an account. AccountDoesNotExist for an unknown hash.
    function isValidAccountSignature(uint256 apiKeyHash, bytes32 digest, bytes calldata signature)
        external
        view
        returns (bool);
}
