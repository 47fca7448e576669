// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IErrors } from "../../contracts/interfaces/IErrors.sol";
import { ISignaturesFacet } from "../../contracts/interfaces/ISignaturesFacet.sol";
import { AccountConfigTest } from "../utils/AccountConfigTest.sol";

/// @notice The exact gas of a contract wallet.
contract Erc1271GasTest is AccountConfigTest {
    uint256 private constant ERC1271_GAS = 1_000_000;
    uint256 private constant NEEDED_GAS = 1_020_000;

    /// The wallet accepts if its first opcode sees exactly what is left of 1,000,000.
    function test_WalletHasAMillion() external {
        bytes memory accept = hex"631626ba7e60e01b60005260206000f3";
        // GAS PUSH3 gas EQ PUSH1 accept JUMPI STOP; JUMPDEST accept
        vm.etch(stranger, abi.encodePacked(hex"5a62", uint24(ERC1271_GAS - 2), hex"14600a57005b", accept));
        vm.assertTrue(accountConfig.isValidWalletSignature(stranger, bytes32(0), ""));
    }

    /// @return refused True when the call reverted with InsufficientGas.
    /// @return available The available gas in the error.
    function _ask(uint256 gas) private view returns (bool refused, uint256 available) {
        (bool ok, bytes memory result) = address(accountConfig).staticcall{ gas: gas }(
            abi.encodeCall(ISignaturesFacet.isValidWalletSignature, (stranger, bytes32(0), ""))
        );
        if (ok) return (false, 0);
        vm.assertEq(bytes32(bytes4(result)), bytes32(IErrors.InsufficientGas.selector), "the refusal");
        uint256 needed;
        // memory-safe: reads within the two arguments of the error.
        assembly ("memory-safe") {
            available := mload(add(result, 36))
            needed := mload(add(result, 68))
        }
        vm.assertEq(needed, NEEDED_GAS);
        return (true, available);
    }

    /// A refusal of a wallet counts from 1,020,000 gas on, and not with one less.
    function test_RefusalBelowTheNeededGas() external {
        vm.etch(stranger, hex"00");
        uint256 gas = NEEDED_GAS;
        (bool refused, uint256 available) = _ask(gas);
        vm.assertTrue(refused);
        uint256 last;
        while (refused) {
            last = available;
            // Nearly all of the gas that the caller adds arrives, so this does not overshoot.
            gas += available + 1 < NEEDED_GAS ? NEEDED_GAS - 1 - available : 1;
            (refused, available) = _ask(gas);
        }
        vm.assertEq(last, NEEDED_GAS - 1);
    }
}
