// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IDiamond } from "../../contracts/interfaces/IDiamond.sol";
import { RandomCalls } from "../utils/RandomCalls.sol";

/// @notice Any calldata for any function by any caller. The functions come from the interface, so new ones are covered.
contract CalldataFuzzTest is RandomCalls {
    uint256 private constant CALLS = 6;
    /// More gas than any call needs, so an empty revert comes from the decoder.
    uint256 private constant GAS = 30_000_000;

    bytes32 private before;
    /// Hash of a revert that is expected here although it is not an error of the interface.
    bytes32 private alsoRight;

    function setUp() public override {
        super.setUp();
        before = _everything();
    }

    /// @notice Makes a call by a random caller on the state of the set-up, and expects a typed failure without effects.
    function _send(bytes memory data, string memory signature)
        private
        returns (bool ok, bytes memory result)
    {
        address caller = randomCaller();
        vm.prank(caller);
        uint256 gas = gasleft();
        (ok, result) = address(accountConfig).call{ gas: GAS }(data);
        vm.assertLt(gas - gasleft(), GAS / 2, signature);
        if (ok) return (ok, result);
        if (keccak256(result) != alsoRight) assertTyped(result, signature);
        vm.assertEq(_everything(), before, signature);
    }

    /// @notice The same, where the decoder may also find a length that no memory holds (a cut's list is copied to memory).
    function _sendGarbled(bytes memory data, string memory signature) private {
        alsoRight = keccak256(abi.encodeWithSignature("Panic(uint256)", 0x41));
        _send(data, signature);
        delete alsoRight;
    }

    function _everything() private view returns (bytes32) {
        return keccak256(abi.encode(fingerprint(), fingerprint(MANAGED), fingerprint(SECURED)));
    }

    /// The decoder accepts every valid encoding, for any values.
    function testFuzz_AnyArguments(uint256 seed_) external {
        seed = seed_;
        for (uint256 i; i < CALLS; ++i) {
            string memory signature = signatures[(seed_ % signatures.length + i) % signatures.length];
            uint256 snapshot = vm.snapshotState();
            (bool ok, bytes memory result) = _send(randomCall(signature), signature);
            // An init that reverts without data becomes InitializationFailed, so no revert is empty.
            vm.assertTrue(ok || result.length != 0, signature);
            uint256 seed__ = seed;
            vm.revertToState(snapshot);
            seed = seed__;
        }
    }

    /// Every function, and the generator knows its types.
    function test_EveryFunctionIsReached() external {
        for (uint256 i; i < signatures.length; ++i) {
            uint256 snapshot = vm.snapshotState();
            (bool ok, bytes memory result) = _send(randomCall(signatures[i]), signatures[i]);
            vm.assertTrue(ok || result.length != 0, signatures[i]);
            vm.assertTrue(ok || bytes4(result) != IDiamond.FunctionNotFound.selector, signatures[i]);
            vm.revertToState(snapshot);
        }
    }

    /// Invalid encodings: bytes and words replaced, cut off or appended, or random bytes.
    function testFuzz_AnyCalldata(uint256 seed_) external {
        seed = seed_;
        for (uint256 i; i < CALLS; ++i) {
            string memory signature = signatures[(seed_ % signatures.length + i) % signatures.length];
            uint256 snapshot = vm.snapshotState();
            _sendGarbled(_garble(randomCall(signature)), signature);
            uint256 seed__ = seed;
            vm.revertToState(snapshot);
            seed = seed__;
        }
    }

    function _garble(bytes memory data) private returns (bytes memory) {
        uint256 kind = random(5);
        if (kind == 0) return bytes.concat(bytes4(data), randomBytes(random(200)));
        if (kind == 1) return bytes.concat(data, randomBytes(random(70)));
        uint256 length = data.length;
        if (kind == 2) {
            uint256 shorter = 4 + random(length - 3);
            // memory-safe: shortens bytes that were made for this call.
            assembly ("memory-safe") {
                mstore(data, shorter)
            }
            return data;
        }
        if (length == 4) return data;
        if (kind == 3) {
            data[4 + random(length - 4)] = bytes1(uint8(random(256)));
            return data;
        }
        uint256[8] memory words = [
            0,
            32,
            length - 4,
            length - 36,
            uint256(1) << 63,
            type(uint64).max,
            uint256(1) << 255,
            type(uint256).max
        ];
        uint256 word = words[random(words.length)];
        uint256 offset = 36 + 32 * random((length - 4) / 32);
        // memory-safe: writes a whole word of bytes that were made for this call.
        assembly ("memory-safe") {
            mstore(add(data, offset), word)
        }
        return data;
    }

    /// Fewer than 4 bytes name a function only by chance, and then without arguments.
    function testFuzz_ShortCalldata(bytes3 data, uint8 length) external {
        bytes memory short = bytes.concat(data);
        length %= 4;
        // memory-safe: shortens bytes that were made here.
        assembly ("memory-safe") {
            mstore(short, length)
        }
        (bool ok, bytes memory result) = _send(short, "short");
        vm.assertFalse(ok);
        bytes4 selector = bytes4(short);
        if (accountConfig.facetAddress(selector) == address(0)) {
            vm.assertEq(result, abi.encodeWithSelector(IDiamond.FunctionNotFound.selector, selector));
        }
    }

    function testFuzz_UnknownSelector(bytes4 selector, bytes calldata rest) external {
        vm.assume(accountConfig.facetAddress(selector) == address(0));
        (bool ok, bytes memory result) = _send(bytes.concat(selector, rest), "unknown");
        vm.assertFalse(ok);
        vm.assertEq(result, abi.encodeWithSelector(IDiamond.FunctionNotFound.selector, selector));
    }

    /// Rule 13: every call with ETH is refused.
    function testFuzz_NoFunctionTakesEth(uint256 seed_, uint256 value) external {
        seed = seed_;
        string memory signature = signatures[seed_ % signatures.length];
        bytes memory data = randomCall(signature);
        address caller = randomCaller();
        value = value % 1e30 + 1;
        vm.deal(caller, value);
        vm.prank(caller);
        (bool ok, bytes memory result) = address(accountConfig).call{ value: value }(data);
        vm.assertFalse(ok, signature);
        vm.assertEq(result, "", signature);
        vm.assertEq(address(accountConfig).balance, 0);
        vm.assertEq(_everything(), before, signature);
    }
}
