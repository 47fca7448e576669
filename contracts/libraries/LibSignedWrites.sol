// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IAccountWrites } from "../interfaces/IAccountWrites.sol";
import { ISignedWrites } from "../interfaces/ISignedWrites.sol";
import { LibSignedTypes } from "./LibSignedTypes.sol";

/// @title LibSignedWrites
/// @notice The EIP-712 digest of writes, computed from the calldata that runs. See ISignedWrites for the types.
library LibSignedWrites {
    string internal constant NAME = "Service ChainSecured";
    string internal constant VERSION = "1";
    uint256 internal constant MAX_CALLS = 16;

    bytes32 private constant DOMAIN_TYPE =
        keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)");
    string private constant TAIL = ",address signer,uint256 nonce,uint256 deadline)";

    function digest(
        uint256 apiKeyHash,
        address signer,
        bytes[] calldata calls,
        uint256 nonce,
        uint256 deadline
    ) internal view returns (bytes32) {
        if (calls.length == 0 || calls.length > MAX_CALLS) {
            revert ISignedWrites.SignedCallsOutOfRange(calls.length, MAX_CALLS);
        }
        bytes memory tail = abi.encode(signer, nonce, deadline);
        return digestOf(
            calls.length == 1 ? _single(apiKeyHash, calls[0], tail) : _several(apiKeyHash, calls, tail)
        );
    }

    /// @param content The hash of a struct.
    function digestOf(bytes32 content) internal view returns (bytes32) {
        bytes32 domain = keccak256(
            abi.encode(
                DOMAIN_TYPE, keccak256(bytes(NAME)), keccak256(bytes(VERSION)), block.chainid, address(this)
            )
        );
        return keccak256(abi.encodePacked(hex"1901", domain, content));
    }

    function _single(uint256 apiKeyHash, bytes calldata call_, bytes memory tail)
        private
        pure
        returns (bytes32)
    {
        (string memory text, bytes memory words) = _encode(apiKeyHash, call_, 0);
        bytes32 typeHash = keccak256(abi.encodePacked(text, TAIL));
        return keccak256(abi.encodePacked(typeHash, words, tail));
    }

    function _several(uint256 apiKeyHash, bytes[] calldata calls, bytes memory tail)
        private
        pure
        returns (bytes32)
    {
        bytes memory members;
        bytes memory hashes;
        string[] memory types = new string[](calls.length);
        uint256 count;
        for (uint256 i; i < calls.length; ++i) {
            (string memory text, bytes memory words) = _encode(apiKeyHash, calls[i], i);
            text = string.concat(text, ")");
            hashes = bytes.concat(hashes, keccak256(abi.encodePacked(keccak256(bytes(text)), words)));
            members = bytes.concat(
                members, i == 0 ? bytes("") : bytes(","), _name(text), " write", _decimal(i + 1)
            );
            count = _insert(types, count, text);
        }
        bytes memory encodedType = bytes.concat("Writes(", members, bytes(TAIL));
        for (uint256 i; i < count; ++i) {
            encodedType = bytes.concat(encodedType, bytes(types[i]));
        }
        return keccak256(abi.encodePacked(keccak256(encodedType), hashes, tail));
    }

    /// @notice Inserts a type in alphabetical order, once. The first 32 bytes of two types differ.
    function _insert(string[] memory types, uint256 count, string memory text)
        private
        pure
        returns (uint256)
    {
        uint256 position;
        while (position < count && bytes32(bytes(types[position])) < bytes32(bytes(text))) ++position;
        if (position < count && bytes32(bytes(types[position])) == bytes32(bytes(text))) return count;
        for (uint256 i = count; i > position; --i) {
            types[i] = types[i - 1];
        }
        types[position] = text;
        return count + 1;
    }

    /// @notice The name of the struct: what precedes the parenthesis.
    function _name(string memory text) private pure returns (bytes memory name) {
        uint256 length;
        while (bytes(text)[length] != "(") ++length;
        name = new bytes(length);
        for (uint256 i; i < length; ++i) {
            name[i] = bytes(text)[i];
        }
    }

    /// @param number 1 to 16.
    function _decimal(uint256 number) private pure returns (bytes memory) {
        // The casts are safe: the code of a digit.
        if (number < 10) return abi.encodePacked(uint8(48 + number));
        return abi.encodePacked("1", uint8(38 + number));
    }

    /// @return text The type of the call without its end.
    /// @return words The encoded members of the struct: a word, or the hash of a text or array. Refuses every encoding of the
    /// arguments but the canonical one, so that no other reading of the same bytes exists.
    function _encode(uint256 apiKeyHash, bytes calldata call_, uint256 index)
        private
        pure
        returns (string memory text, bytes memory words)
    {
        bytes4 selector = call_.length < 4 ? bytes4(0) : bytes4(call_);
        uint256 kinds;
        (text, kinds) = LibSignedTypes.describe(selector);
        if (kinds == 0) revert ISignedWrites.NotSignable(index, selector);
        bool ok;
        (ok, words) = _encode(call_[4:], kinds);
        if (!ok) revert ISignedWrites.MalformedCall(index);
        if (selector == IAccountWrites.newChainSecuredAccount.selector) return (text, words);
        uint256 named = uint256(bytes32(words));
        if (named != apiKeyHash) revert ISignedWrites.CallOfAnotherAccount(index, named);
    }

    /// @return ok False for an encoding that is not canonical.
    function _encode(bytes calldata arguments, uint256 kinds)
        private
        pure
        returns (bool ok, bytes memory words)
    {
        uint256 head;
        for (uint256 rest = kinds; rest != 0; (, rest) = LibSignedTypes.next(rest)) {
            // Unchecked: at most 13 parameters.
            unchecked {
                head += 32;
            }
        }
        if (arguments.length < head) return (false, words);
        words = new bytes(head);
        // The position of the next text or array: each follows the one before without a gap.
        uint256 next = head;
        for (uint256 position; position < head; position += 32) {
            uint256 kind;
            (kind, kinds) = LibSignedTypes.next(kinds);
            uint256 word = _wordAt(arguments, position);
            if (kind >= LibSignedTypes.STRING) {
                if (word != next) return (false, words);
                (ok, next, word) = _hashAt(arguments, next, kind);
                if (!ok) return (false, words);
            } else if (kind == LibSignedTypes.ADDRESS) {
                if (word >> 160 != 0) return (false, words);
            } else if (kind == LibSignedTypes.BOOL) {
                if (word > 1) return (false, words);
            }
            // memory-safe: inside `words`, whose length is `head`.
            assembly ("memory-safe") {
                mstore(add(add(words, 32), position), word)
            }
        }
        ok = next == arguments.length;
    }

    /// @return ok False when the text or array at `start` is malformed or leaves the calldata.
    /// @return next The position after it.
    /// @return hash The hash of its bytes or words.
    function _hashAt(bytes calldata arguments, uint256 start, uint256 kind)
        private
        pure
        returns (bool ok, uint256 next, uint256 hash)
    {
        if (start + 32 > arguments.length) return (false, next, hash);
        uint256 size = _wordAt(arguments, start);
        if (size > arguments.length) return (false, next, hash);
        if (kind != LibSignedTypes.STRING) size *= 32;
        start += 32;
        next = start + ((size + 31) & ~uint256(31));
        if (next > arguments.length) return (false, next, hash);
        // The padding of a text.
        if (size & 31 != 0 && _wordAt(arguments, next - 32) << (8 * (size & 31)) != 0) {
            return (false, next, hash);
        }
        for (uint256 position = start; kind == LibSignedTypes.ADDRESSES && position < next; position += 32) {
            if (_wordAt(arguments, position) >> 160 != 0) return (false, next, hash);
        }
        // memory-safe: uses memory beyond the free memory pointer, for the hash only.
        assembly ("memory-safe") {
            let free := mload(0x40)
            calldatacopy(free, add(arguments.offset, start), size)
            hash := keccak256(free, size)
        }
        ok = true;
    }

    /// @param position At most 32 bytes before the end.
    function _wordAt(bytes calldata arguments, uint256 position) private pure returns (uint256 word) {
        // memory-safe: accesses no memory.
        assembly ("memory-safe") {
            word := calldataload(add(arguments.offset, position))
        }
    }
}
