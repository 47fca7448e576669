// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { ISignaturesFacet } from "../interfaces/ISignaturesFacet.sol";
import { LibAccounts } from "../libraries/LibAccounts.sol";
import { LibSignatures } from "../libraries/LibSignatures.sol";
import { AccountWord } from "../storage/AccountWord.sol";

/// @notice Verifies signatures, see ISignaturesFacet.
contract SignaturesFacet is ISignaturesFacet {
    /// @inheritdoc ISignaturesFacet
    function isValidWalletSignature(address wallet, bytes32 digest, bytes calldata signature)
        external
        view
        returns (bool)
    {
        return LibSignatures.isValid(wallet, digest, signature);
    }

    /// @inheritdoc ISignaturesFacet
    function isValidAccountSignature(uint256 apiKeyHash, bytes32 digest, bytes calldata signature)
        external
        view
        returns (bool)
    {
        (,, AccountWord header,) = LibAccounts.resolve(apiKeyHash);
        return LibSignatures.isValid(header.admin(), digest, signature);
    }
}
