// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @notice Runs other code in its own storage, as the diamond runs a facet.
contract DelegateCaller {
    /// Sets a slot, such as one where a facet's code looks for the owner and the payers.
    function plant(bytes32 slot, bytes32 value) external {
        assembly {
            sstore(slot, value)
        }
    }

    function delegate(address target, bytes calldata data) external returns (bool ok, bytes memory result) {
        return target.delegatecall(data);
    }
}

/// @notice Forwards calls of any caller, like a contract between a payer and the diamond.
contract Forwarder {
    function forward(address target, bytes calldata data) external returns (bool ok, bytes memory result) {
        return target.call(data);
    }
}
