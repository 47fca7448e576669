// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { AccountConfigTest } from "../utils/AccountConfigTest.sol";

/// @notice Measures whole transactions, with 21,000, calldata, cold access and refunds. Tests that use it run with
/// `isolate`, in which every call of the test is a transaction of its own.
abstract contract GasTest is AccountConfigTest {
    /// 12 and 60 bytes.
    string internal constant LABEL = "twelve bytes";
    string internal constant TEXT = "a description of sixty bytes, as people may write them ... .";

    /// @notice Returns the gas that the last call used.
    function used() internal view returns (uint256) {
        return vm.lastCallGas().gasTotalUsed;
    }

    /// @notice Compares gas with the committed snapshot, or writes the snapshot.
    /// @param group The name of a file in snapshots.
    function keep(string memory group, string memory name, uint256 gas) internal {
        if (updatesSnapshots()) vm.snapshotValue(group, name, gas);
        else vm.assertApproxEqRel(gas, kept(group, name), 0.01e18, name);
    }

    function kept(string memory group, string memory name) internal view returns (uint256) {
        string memory json = vm.readFile(string.concat("snapshots/", group, ".json"));
        return vm.parseJsonUint(json, string.concat("['", name, "']"));
    }

    function updatesSnapshots() internal view returns (bool) {
        return vm.envOr("UPDATE_SNAPSHOTS", uint256(0)) != 0;
    }

    function actionAt(uint256 i) internal pure returns (uint256) {
        return uint256(keccak256(abi.encode("action", i)));
    }

    function walletAt(uint256 i) internal pure returns (address) {
        return address(uint160(uint256(keccak256(abi.encode("wallet", i)))));
    }

    function keyAt(uint256 i) internal pure returns (uint256) {
        return uint256(keccak256(abi.encode("usage key", i)));
    }

    /// @return hashes 10 actions.
    function actionsFrom(uint256 first) internal pure returns (uint256[] memory hashes) {
        hashes = new uint256[](10);
        for (uint256 i; i < 10; ++i) {
            hashes[i] = actionAt(first + i);
        }
    }

    /// @return pkpIds 10 wallets.
    function walletsFrom(uint256 first) internal pure returns (address[] memory pkpIds) {
        pkpIds = new address[](10);
        for (uint256 i; i < 10; ++i) {
            pkpIds[i] = walletAt(first + i);
        }
    }

    /// @notice Sends a transaction by `caller`, which must succeed. Works for views too.
    function send(address caller, bytes memory data) internal returns (uint256 gas) {
        by(caller);
        (bool ok, bytes memory result) = address(accountConfig).call(data);
        gas = used();
        // memory-safe: reads the bytes that the call returned.
        assembly ("memory-safe") {
            if iszero(ok) { revert(add(result, 32), mload(result)) }
        }
    }
}
