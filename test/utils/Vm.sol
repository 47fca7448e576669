// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @notice The cheatcodes of forge that tests and scripts use.
interface Vm {
    struct Log {
        bytes32[] topics;
        bytes data;
        address emitter;
    }

    /// @notice The gas that a call used, with `isolate` that of a whole transaction.
    struct Gas {
        uint64 gasLimit;
        uint64 gasTotalUsed;
        uint64 gasMemoryUsed;
        int64 gasRefunded;
        uint64 gasRemaining;
    }

    struct SignedDelegation {
        uint8 v;
        bytes32 r;
        bytes32 s;
        uint64 nonce;
        address implementation;
    }

    function addr(uint256 privateKey) external pure returns (address);
    function sign(uint256 privateKey, bytes32 digest) external pure returns (uint8 v, bytes32 r, bytes32 s);
    function signAndAttachDelegation(address implementation, uint256 privateKey)
        external
        returns (SignedDelegation memory);
    function label(address account, string calldata name) external;

    function prank(address caller) external;
    function prank(address caller, address origin) external;
    function startPrank(address caller) external;
    function stopPrank() external;
    function warp(uint256 timestamp) external;
    function chainId(uint256 newChainId) external;
    function setNonceUnsafe(address account, uint64 newNonce) external;
    function deal(address account, uint256 balance) external;
    function etch(address account, bytes calldata code) external;
    function load(address account, bytes32 slot) external view returns (bytes32);
    function store(address account, bytes32 slot, bytes32 value) external;
    function snapshotState() external returns (uint256 snapshotId);
    function revertToState(uint256 snapshotId) external returns (bool);
    function getCode(string calldata artifact) external view returns (bytes memory creationCode);

    function lastCallGas() external view returns (Gas memory gas);
    function snapshotValue(string calldata group, string calldata name, uint256 value) external;

    function assume(bool condition) external pure;
    function expectRevert(bytes calldata revertData) external;
    function expectRevert() external;
    function expectEmit(address emitter) external;
    function recordLogs() external;
    function getRecordedLogs() external returns (Log[] memory);

    function assertTrue(bool condition) external pure;
    function assertTrue(bool condition, string calldata message) external pure;
    function assertFalse(bool condition) external pure;
    function assertFalse(bool condition, string calldata message) external pure;
    function assertEq(bool left, bool right) external pure;
    function assertEq(bool left, bool right, string calldata message) external pure;
    function assertEq(uint256 left, uint256 right) external pure;
    function assertEq(uint256 left, uint256 right, string calldata message) external pure;
    function assertEq(address left, address right) external pure;
    function assertEq(address left, address right, string calldata message) external pure;
    function assertEq(bytes32 left, bytes32 right) external pure;
    function assertEq(bytes32 left, bytes32 right, string calldata message) external pure;
    function assertEq(string calldata left, string calldata right) external pure;
    function assertEq(bytes calldata left, bytes calldata right) external pure;
    function assertEq(bytes calldata left, bytes calldata right, string calldata message) external pure;
    function assertEq(uint256[] calldata left, uint256[] calldata right) external pure;
    function assertEq(uint256[] calldata left, uint256[] calldata right, string calldata message)
        external
        pure;
    function assertEq(address[] calldata left, address[] calldata right) external pure;
    function assertNotEq(address left, address right) external pure;
    function assertNotEq(bytes32 left, bytes32 right) external pure;
    function assertLt(uint256 left, uint256 right) external pure;
    function assertLe(uint256 left, uint256 right, string calldata message) external pure;
    function assertApproxEqRel(uint256 left, uint256 right, uint256 maxDelta, string calldata message)
        external
        pure;
    function assertLt(uint256 left, uint256 right, string calldata message) external pure;

    function toString(uint256 value) external pure returns (string memory);
    function toString(bytes32 value) external pure returns (string memory);
    function envOr(string calldata name, uint256 defaultValue) external view returns (uint256);
    function readFile(string calldata path) external view returns (string memory);
    function readFileBinary(string calldata path) external view returns (bytes memory);
    function writeFileBinary(string calldata path, bytes calldata data) external;
    function writeLine(string calldata path, string calldata line) external;
    function removeFile(string calldata path) external;
    function keyExistsJson(string calldata json, string calldata key) external view returns (bool);
    function parseJsonKeys(string calldata json, string calldata key) external pure returns (string[] memory);
    function parseJsonString(string calldata json, string calldata key) external pure returns (string memory);
    function parseJson(string calldata json, string calldata key)
        external
        pure
        returns (bytes memory abiEncoded);
    function parseJsonUint(string calldata json, string calldata key) external pure returns (uint256);
    function parseJsonBytes32(string calldata json, string calldata key) external pure returns (bytes32);
    function parseJsonBytes(string calldata json, string calldata key) external pure returns (bytes memory);
    function parseJsonAddress(string calldata json, string calldata key) external pure returns (address);
    function parseJsonAddressArray(string calldata json, string calldata key)
        external
        pure
        returns (address[] memory);
}
