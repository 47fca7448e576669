// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { ECDSA } from "solady/utils/ECDSA.sol";

/// @notice The statement of the service about a run of an action, signed by its receipt signer (EIP-712). The address of the
/// signer is the node configuration "receipt-signer" of AccountConfig.
struct RunReceipt {
    /// The id of the run, a UUID.
    bytes16 runId;
    /// Hash of the CID of the code, as AccountConfig stores it.
    uint256 cidHash;
    uint256 usageKeyHash;
    /// SHA-256 of the JSON of the parameters.
    bytes32 paramsHash;
    /// SHA-256 of the response: of the text when it is a string, otherwise of its JSON.
    bytes32 responseHash;
    /// False when the run ended with an error.
    bool succeeded;
    /// The wallets whose keys the run used.
    address[] wallets;
    uint64 durationMs;
    /// The last block that the service knew when the run ended.
    uint64 blockNumber;
}

/// @notice Verifies receipts of runs. A receipt can be shown any number of times: a contract that must accept each once stores
/// its `runId`.
library RunReceipts {
    bytes32 private constant DOMAIN_TYPE =
        keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)");
    bytes32 private constant RECEIPT_TYPE = keccak256(
        "RunReceipt(bytes16 runId,uint256 cidHash,uint256 usageKeyHash,bytes32 paramsHash,bytes32 responseHash,bool succeeded,address[] wallets,uint64 durationMs,uint64 blockNumber)"
    );

    /// @notice Returns the signer of a receipt for the AccountConfig at `accountConfig` on this chain. Reverts for a malformed
    /// signature. Compare the result with the signer that you trust.
    function signerOf(RunReceipt memory receipt, bytes calldata signature, address accountConfig)
        internal
        view
        returns (address)
    {
        return ECDSA.recoverCalldata(digest(receipt, accountConfig), signature);
    }

    /// @notice Returns the digest that the service signs.
    function digest(RunReceipt memory receipt, address accountConfig) internal view returns (bytes32) {
        bytes32 domain = keccak256(
            abi.encode(
                DOMAIN_TYPE, keccak256("Service ChainSecured"), keccak256("1"), block.chainid, accountConfig
            )
        );
        bytes32 message = keccak256(
            abi.encode(
                RECEIPT_TYPE,
                receipt.runId,
                receipt.cidHash,
                receipt.usageKeyHash,
                receipt.paramsHash,
                receipt.responseHash,
                receipt.succeeded,
                keccak256(abi.encodePacked(receipt.wallets)),
                receipt.durationMs,
                receipt.blockNumber
            )
        );
        return keccak256(abi.encodePacked(hex"1901", domain, message));
    }
}
