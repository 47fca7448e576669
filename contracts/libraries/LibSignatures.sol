// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IErrors } from "../interfaces/IErrors.sol";
import { IERC1271 } from "@openzeppelin/contracts/interfaces/IERC1271.sol";
import { ECDSA } from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";

/// @title LibSignatures
/// @notice Verifies signatures of wallets.
///
/// A contract wallet is untrusted code: it can burn all gas that it gets, or return megabytes that the caller pays to copy.
/// Therefore its gas is limited, and 32 bytes of its reply are read. The limit is enough for multi-owner and passkey wallets.
library LibSignatures {
    uint256 private constant ERC1271_GAS = 1_000_000;
    /// 64/63 of ERC1271_GAS (EIP-150), plus the gas used before the call of the wallet.
    uint256 private constant NEEDED_GAS = 1_020_000;

    function isValid(address wallet, bytes32 digest, bytes calldata signature) internal view returns (bool) {
        if (wallet == address(0)) return false;
        return recover(digest, signature) == wallet || _isValidErc1271(wallet, digest, signature);
    }

    /// @return signer Zero for an invalid signature, including a malleable one (high s).
    function recover(bytes32 digest, bytes calldata signature) internal pure returns (address signer) {
        if (signature.length == 65) {
            (signer,,) = ECDSA.tryRecover(digest, signature);
        } else if (signature.length == 64) {
            (signer,,) = ECDSA.tryRecover(digest, bytes32(signature[:32]), bytes32(signature[32:]));
        }
    }

    function _isValidErc1271(address wallet, bytes32 digest, bytes calldata signature)
        private
        view
        returns (bool valid)
    {
        if (wallet.code.length == 0) return false;
        bytes memory data = abi.encodeCall(IERC1271.isValidSignature, (digest, signature));
        bytes32 magic = IERC1271.isValidSignature.selector;
        uint256 available = gasleft();
        // memory-safe: writes the scratch space only.
        assembly ("memory-safe") {
            mstore(0, 0)
            let ok := staticcall(ERC1271_GAS, wallet, add(data, 32), mload(data), 0, 32)
            valid := and(and(ok, gt(returndatasize(), 31)), eq(mload(0), magic))
        }
        // A wallet that ran out of gas has not refused the signature.
        if (!valid && available < NEEDED_GAS) revert IErrors.InsufficientGas(available, NEEDED_GAS);
    }
}
