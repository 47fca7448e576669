// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @notice Runs a stranger's code in its own storage, as a facet's calls run in the diamond's.
contract DelegateCaller {
    /// The storage of the diamond starts at hashed slots: these are those that its owner and payers would be looked for in.
    function plant(bytes32 slot, bytes32 value) external {
        assembly {
            sstore(slot, value)
        }
    }

    function delegate(address target, bytes calldata data) external returns (bool ok, bytes memory result) {
        return target.delegatecall(data);
    }
}

/// @notice Calls on behalf of whoever calls it, as a payer's helper contract would.
contract Forwarder {
    function forward(address target, bytes calldata data) external returns (bool ok, bytes memory result) {
        return target.call(data);
    }
}
