// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @notice The functions of Timelock that the tests use.
interface ITimelock {
    error AccessControlUnauthorizedAccount(address account, bytes32 neededRole);
    error TimelockInsufficientDelay(uint256 delay, uint256 minDelay);
    error TimelockUnexpectedOperationState(bytes32 operationId, bytes32 expectedStates);
    error TimelockUnauthorizedCaller(address caller);

    function schedule(
        address target,
        uint256 value,
        bytes calldata data,
        bytes32 predecessor,
        bytes32 salt,
        uint256 delay
    ) external;
    function execute(address target, uint256 value, bytes calldata data, bytes32 predecessor, bytes32 salt)
        external;
    function cancel(bytes32 id) external;
    function updateDelay(uint256 newDelay) external;
    function hashOperation(
        address target,
        uint256 value,
        bytes calldata data,
        bytes32 predecessor,
        bytes32 salt
    ) external view returns (bytes32);
    function getMinDelay() external view returns (uint256);
    function hasRole(bytes32 role, address account) external view returns (bool);
    function grantRole(bytes32 role, address account) external;
}
