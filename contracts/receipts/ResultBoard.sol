// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { RunReceipt, RunReceipts } from "./RunReceipts.sol";
import { LibString } from "solady/utils/LibString.sol";

/// @notice An example: stores the latest result of one action with one set of parameters, with a receipt of its run. The
/// action returns the bytes of the result as text, 0x and lower-case hex digits. Any caller may run the action and post the result:
/// the parameters are fixed, so that the caller cannot choose what is computed.
contract ResultBoard {
    /// The receipt is not signed by the receipt signer of this service.
    error WrongSigner();
    /// The receipt is of another action, of other parameters, of another response, or of a run that failed.
    error OtherRun();
    /// A result of the same or a later block is stored.
    error Stale();

    event Posted(bytes16 indexed runId, bytes result);

    address public immutable accountConfig;
    address public immutable receiptSigner;
    uint256 public immutable cidHash;
    /// SHA-256 of the JSON of the parameters.
    bytes32 public immutable paramsHash;

    uint64 public blockNumber;
    bytes public result;

    constructor(address accountConfig_, address receiptSigner_, uint256 cidHash_, bytes32 paramsHash_) {
        accountConfig = accountConfig_;
        receiptSigner = receiptSigner_;
        cidHash = cidHash_;
        paramsHash = paramsHash_;
    }

    /// @notice Stores the result of a run.
    function post(bytes calldata result_, RunReceipt calldata receipt, bytes calldata signature) external {
        if (RunReceipts.signerOf(receipt, signature, accountConfig) != receiptSigner) revert WrongSigner();
        bytes32 responseHash = sha256(bytes(LibString.toHexString(result_)));
        if (receipt.cidHash != cidHash || receipt.paramsHash != paramsHash) revert OtherRun();
        if (receipt.responseHash != responseHash || !receipt.succeeded) revert OtherRun();
        if (receipt.blockNumber <= blockNumber) revert Stale();
        blockNumber = receipt.blockNumber;
        result = result_;
        emit Posted(receipt.runId, result_);
    }
}
