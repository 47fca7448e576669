// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { ISignedWrites } from "../interfaces/ISignedWrites.sol";
import { AccountWord } from "../storage/AccountWord.sol";
import { LibSignatures } from "./LibSignatures.sol";
import { LibSignedWrites } from "./LibSignedWrites.sol";

/// @title LibConsent
/// @notice The consent of the holder of an account key, an EIP-712 signature by the address of the key. See IAccountWrites.
///
/// No nonce: each of these writes ends the hash or the mode that the consent names, so it happens once.
library LibConsent {
    bytes32 internal constant ROTATE = keccak256(
        "RotateAccountKey(uint256 apiKeyHash,uint256 newApiKeyHash,address newAdminWalletAddress,uint256 deadline)"
    );
    bytes32 internal constant RETIRE = keccak256("RetireManagedAccount(uint256 apiKeyHash,uint256 deadline)");
    bytes32 internal constant CONVERT = keccak256(
        "ConvertToChainSecuredAccount(uint256 apiKeyHash,address newAdminWalletAddress,uint256 deadline)"
    );

    /// @param content The struct hash of the consent.
    function requireConsent(AccountWord header, bytes32 content, uint256 deadline, bytes calldata consent)
        internal
        view
    {
        if (block.timestamp > deadline) revert ISignedWrites.SignatureExpired(deadline);
        address holder = header.admin();
        if (!LibSignatures.isValid(holder, LibSignedWrites.digestOf(content), consent)) {
            revert ISignedWrites.InvalidSignature(holder);
        }
    }
}
