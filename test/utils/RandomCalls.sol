// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { Fingerprint } from "./Fingerprint.sol";
import { Random } from "./Random.sol";

/// @notice Random arguments for any function, generated from its signature, also for functions added later.
abstract contract RandomCalls is Fingerprint, Random {
    error UnknownType(string type_);

    /// The signature of every function of the interface.
    string[] internal signatures;
    /// The number of bytes of every error of the interface, 1 for an error with a text.
    mapping(bytes4 selector => uint256) internal errorLength;

    function setUp() public virtual override {
        super.setUp();
        string memory json = vm.readFile(artifact("IAccountConfig"));
        signatures = vm.parseJsonKeys(json, ".methodIdentifiers");
        string[] memory errors = _strings(json, "$.abi[?(@.type=='error')].name");
        for (uint256 i; i < errors.length; ++i) {
            string memory path = string.concat("$.abi[?(@.name=='", errors[i], "')].inputs[*].type");
            string[] memory types = _strings(json, path);
            string memory signature;
            for (uint256 j; j < types.length; ++j) {
                signature = string.concat(signature, j == 0 ? "" : ",", types[j]);
            }
            bytes4 selector = bytes4(keccak256(bytes(string.concat(errors[i], "(", signature, ")"))));
            errorLength[selector] = _same(signature, "string") ? 1 : 4 + 32 * types.length;
        }
    }

    /// @notice The strings that a path finds in a JSON text: none, one or several.
    function _strings(string memory json, string memory path) private pure returns (string[] memory found) {
        try vm.parseJsonString(json, path) returns (string memory one) {
            found = new string[](1);
            found[0] = one;
        } catch {
            bytes memory encoded = vm.parseJson(json, path);
            if (encoded.length != 0) found = abi.decode(encoded, (string[]));
        }
    }

    /// @notice A failed call returns no data (the decoder) or an error of the interface: no Panic, no Error(string).
    function assertTyped(bytes memory result, string memory signature) internal view {
        if (result.length == 0) return;
        vm.assertTrue(result.length >= 4, signature);
        uint256 length = errorLength[bytes4(result)];
        if (length == 0) vm.assertEq(result, "", signature);
        if (length > 1) vm.assertEq(result.length, length, signature);
    }

    // ------------------------------------------------------------------------------------------------- arguments

    /// @notice Returns calldata that decodes, with known and unknown values.
    function randomCall(string memory signature) internal returns (bytes memory) {
        bytes memory text_ = bytes(signature);
        uint256 start;
        while (text_[start] != "(") ++start;
        string[] memory types = new string[](20);
        uint256 count;
        uint256 depth;
        for (uint256 i = start + 1; i < text_.length; ++i) {
            if (depth == 0 && (text_[i] == "," || text_[i] == ")")) {
                if (i > start + 1) types[count++] = _slice(text_, start + 1, i);
                start = i;
            } else if (text_[i] == "(") {
                ++depth;
            } else if (text_[i] == ")") {
                --depth;
            }
        }
        bytes memory head;
        bytes memory tail;
        for (uint256 i; i < count; ++i) {
            (bytes memory value, bool dynamic) = _value(types[i]);
            if (dynamic) {
                head = bytes.concat(head, bytes32(32 * count + tail.length));
                tail = bytes.concat(tail, value);
            } else {
                head = bytes.concat(head, value);
            }
        }
        return bytes.concat(bytes4(keccak256(text_)), head, tail);
    }

    /// @return value The encoding in place, or at an offset when `dynamic`.
    function _value(string memory type_) private returns (bytes memory value, bool dynamic) {
        if (_same(type_, "uint256")) return (abi.encode(randomNumber()), false);
        if (_same(type_, "address")) return (abi.encode(randomAddress()), false);
        if (_same(type_, "bool")) return (abi.encode(random(2)), false);
        if (_same(type_, "bytes32")) return (abi.encode(randomNumber()), false);
        if (_same(type_, "bytes4")) return (abi.encode(_randomSelector()), false);
        if (_same(type_, "string")) return (_behindOffset(abi.encode(_randomText(1030))), true);
        if (_same(type_, "bytes")) return (_behindOffset(abi.encode(_randomText(300))), true);
        if (_same(type_, "bytes[]")) return (_behindOffset(abi.encode(_randomCalls())), true);
        if (_same(type_, "(address,uint8,bytes4[])[]")) return (_behindOffset(_randomCuts()), true);
        bool numbers = _same(type_, "uint256[]");
        if (!numbers && !_same(type_, "address[]")) revert UnknownType(type_);
        uint256[] memory values = new uint256[](random(8) == 0 ? random(53) : random(4));
        for (uint256 i; i < values.length; ++i) {
            values[i] = numbers ? randomNumber() : uint160(randomAddress());
        }
        return (_behindOffset(abi.encode(values)), true);
    }

    function randomNumber() internal returns (uint256) {
        uint256 kind = random(8);
        if (kind < 3) return random(5);
        uint256[10] memory known = [
            MANAGED, SECURED, key, UNKNOWN, identity(newAdmin), ACTION, LOOSE_ACTION, NO_ACTION, pathOf(1), 77
        ];
        if (kind < 6) return known[random(known.length)];
        if (kind == 6) return uint256(1) << random(256);
        random(1);
        return seed;
    }

    function randomAddress() internal returns (address) {
        address[10] memory known = [
            wallet,
            looseWallet,
            noWallet,
            admin,
            newAdmin,
            payer,
            owner,
            address(accountConfig),
            address(0),
            address(4)
        ];
        uint256 kind = random(known.length + 1);
        return kind < known.length ? known[kind] : address(uint160(random(type(uint256).max)));
    }

    function randomCaller() internal returns (address) {
        address[6] memory callers = [payer, admin, owner, stranger, otherPayer, newAdmin];
        return callers[random(callers.length)];
    }

    function _randomSelector() private returns (bytes4) {
        if (random(4) == 0) return bytes4(uint32(random(1 << 32)));
        return bytes4(keccak256(bytes(signatures[random(signatures.length)])));
    }

    function _randomText(uint256 longest) private returns (string memory) {
        return text(random(4) == 0 ? random(longest) : random(70));
    }

    function _randomCalls() private returns (bytes[] memory calls) {
        calls = new bytes[](random(3));
        for (uint256 i; i < calls.length; ++i) {
            calls[i] = randomCall(signatures[random(signatures.length)]);
        }
    }

    /// @notice Returns one cut, which is rarely valid.
    function _randomCuts() private returns (bytes memory) {
        bytes4[] memory selectors = new bytes4[](random(3));
        for (uint256 i; i < selectors.length; ++i) {
            selectors[i] = _randomSelector();
        }
        Cut[] memory cuts = new Cut[](1);
        cuts[0] = Cut(randomAddress(), random(3), selectors);
        return abi.encode(cuts);
    }

    /// A FacetCut whose action is not checked.
    struct Cut {
        address facetAddress;
        uint256 action;
        bytes4[] functionSelectors;
    }

    // --------------------------------------------------------------------------------------------------- helpers

    /// @notice The encoding of a single dynamic value without its offset.
    function _behindOffset(bytes memory encoded) private pure returns (bytes memory value) {
        value = new bytes(encoded.length - 32);
        // memory-safe: copies within bytes that were made here.
        assembly ("memory-safe") {
            mcopy(add(value, 32), add(encoded, 64), mload(value))
        }
    }

    function _slice(bytes memory data, uint256 from, uint256 to) private pure returns (string memory) {
        bytes memory part = new bytes(to - from);
        for (uint256 i = from; i < to; ++i) {
            part[i - from] = data[i];
        }
        return string(part);
    }

    function _same(string memory a, string memory b) private pure returns (bool) {
        return keccak256(bytes(a)) == keccak256(bytes(b));
    }
}
