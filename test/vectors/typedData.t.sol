// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { Vm } from "../utils/Vm.sol";

/// @notice The digests of the typed-data envelope equal those of EIP-712, computed step by step from the vectors that the
/// TypeScript tests read too.
contract TypedDataTest {
    Vm private constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));

    function test_Digests() external view {
        string memory json = vm.readFile("packages/protocol/vectors/typed-data.json");
        uint256 count;
        for (;; ++count) {
            string memory vector = string.concat("[", vm.toString(count), "]");
            if (!vm.keyExistsJson(json, vector)) break;
            bytes32 domain = keccak256(
                abi.encode(
                    keccak256("EIP712Domain(string name,string version,uint256 chainId)"),
                    keccak256("Service ChainSecured"),
                    keccak256("1"),
                    vm.parseJsonUint(json, string.concat(vector, ".chainId"))
                )
            );
            string memory primaryType = vm.parseJsonString(json, string.concat(vector, ".primaryType"));
            bytes32 message = keccak256(
                abi.encode(
                    keccak256(bytes(string.concat(primaryType, "(address address,uint256 issuedAt)"))),
                    vm.parseJsonAddress(json, string.concat(vector, ".address")),
                    vm.parseJsonUint(json, string.concat(vector, ".issuedAt"))
                )
            );
            vm.assertEq(
                keccak256(abi.encodePacked(bytes2(0x1901), domain, message)),
                vm.parseJsonBytes32(json, string.concat(vector, ".digest"))
            );
        }
        vm.assertEq(count, 8, "two vectors for each of four primary types");
    }
}
