// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IActionWrites } from "../../contracts/interfaces/IActionWrites.sol";
import { IGroupWrites } from "../../contracts/interfaces/IGroupWrites.sol";
import { ISignedWrites } from "../../contracts/interfaces/ISignedWrites.sol";
import { SignedWritesTest } from "../utils/SignedWritesTest.sol";

/// @notice The types of signed writes, against the compiled ABI of the interface, and the encodings that are refused.
contract SignedTypesTest is SignedWritesTest {
    /// Writes of accounts that cannot be signed: they are for api payers.
    string[5] private unsignable = [
        "newAccount",
        "convertToChainSecuredAccount",
        "convertWithConsent",
        "rotateAccountKey",
        "retireManagedAccount"
    ];
    string[6] private interfaces = [
        "IAccountWrites", "IUsageKeyWrites", "IGroupWrites", "IMemberWrites", "IActionWrites", "IWalletWrites"
    ];

    function _isUnsignable(string memory name) private view returns (bool) {
        for (uint256 i; i < unsignable.length; ++i) {
            if (keccak256(bytes(unsignable[i])) == keccak256(bytes(name))) return true;
        }
        return false;
    }

    /// The digest of each function with the largest arguments is that of the type which its ABI gives; one more is refused.
    function test_EveryWriteHasTheTypeOfItsAbi() external {
        uint256 count;
        for (uint256 i; i < interfaces.length; ++i) {
            string memory json = vm.readFile(artifact(interfaces[i]));
            for (uint256 item; vm.keyExistsJson(json, _path(item, "type")); ++item) {
                if (keccak256(bytes(vm.parseJsonString(json, _path(item, "type")))) != keccak256("function"))
                {
                    continue;
                }
                string memory name = vm.parseJsonString(json, _path(item, "name"));
                if (_isUnsignable(name)) continue;
                _assertType(json, item, name);
                ++count;
            }
        }
        vm.assertTrue(count > 23, "too few functions");
    }

    function _path(uint256 item, string memory field) private pure returns (string memory) {
        return string.concat(".abi[", vm.toString(item), "].", field);
    }

    struct Type {
        uint256 count;
        uint256 dynamics;
        string members;
        string types;
        bytes head;
        bytes tail;
        bytes words;
        /// The positions of words that are as large as their type permits, below 2²⁵⁶ - 1.
        uint256[] limited;
    }

    function _assertType(string memory json, uint256 item, string memory name) private {
        Type memory t;
        while (vm.keyExistsJson(json, _input(item, t.count, "type"))) {
            ++t.count;
        }
        for (uint256 i; i < t.count; ++i) {
            string memory comma = i == 0 ? "" : ",";
            string memory kind = vm.parseJsonString(json, _input(item, i, "type"));
            string memory label = vm.parseJsonString(json, _input(item, i, "name"));
            t.members = string.concat(t.members, comma, kind, " ", label);
            t.types = string.concat(t.types, comma, kind);
            _append(t, i, kind);
        }
        string memory typeName =
            string.concat(_capital(name), "(", t.members, ",address signer,uint256 nonce,uint256 deadline)");
        bytes32 structHash = keccak256(
            bytes.concat(keccak256(bytes(typeName)), t.words, abi.encode(admin, uint256(5), DEADLINE))
        );
        bytes memory data = bytes.concat(selectorOf(string.concat(name, "(", t.types, ")")), t.head, t.tail);
        bytes32 digest = accountConfig.hashSignedWrites(type(uint256).max, admin, one(data), 5, DEADLINE);
        vm.assertEq(digest, typedDigest(structHash), typeName);
        for (uint256 i; i < t.limited.length; ++i) {
            bytes memory larger = _with(data, t.limited[i], _wordAt(data, t.limited[i]) + 1);
            vm.expectRevert(abi.encodeWithSelector(ISignedWrites.MalformedCall.selector, 0));
            accountConfig.hashSignedWrites(type(uint256).max, admin, one(larger), 5, DEADLINE);
        }
    }

    /// Every text has one byte, and every array one element.
    function _append(Type memory t, uint256 position, string memory kind) private pure {
        bytes32 hash = keccak256(bytes(kind));
        bool isText = hash == keccak256("string");
        bool isArray = hash == keccak256("uint256[]") || hash == keccak256("address[]");
        uint256 word = type(uint256).max;
        if (hash == keccak256("address") || hash == keccak256("address[]")) word = type(uint160).max;
        if (hash == keccak256("bool")) word = 1;
        if (isText) word = 0xff << 248;
        if (isText || isArray) {
            uint256 offset = 32 * t.count + 64 * t.dynamics++;
            t.head = bytes.concat(t.head, bytes32(offset));
            t.tail = bytes.concat(t.tail, bytes32(uint256(1)), bytes32(word));
            t.words = bytes.concat(t.words, isText ? keccak256(hex"ff") : keccak256(abi.encode(word)));
            position = offset / 32 + 1;
        } else {
            t.head = bytes.concat(t.head, bytes32(word));
            t.words = bytes.concat(t.words, bytes32(word));
        }
        if (isText || word == type(uint256).max) return;
        uint256[] memory limited = new uint256[](t.limited.length + 1);
        for (uint256 i; i < t.limited.length; ++i) {
            limited[i] = t.limited[i];
        }
        limited[t.limited.length] = position;
        t.limited = limited;
    }

    function _wordAt(bytes memory data, uint256 position) private pure returns (uint256 word) {
        // memory-safe: reads only.
        assembly ("memory-safe") {
            word := mload(add(add(data, 36), mul(32, position)))
        }
    }

    function _input(uint256 item, uint256 i, string memory field) private pure returns (string memory) {
        return _path(item, string.concat("inputs[", vm.toString(i), "].", field));
    }

    function _capital(string memory name) private pure returns (string memory) {
        bytes memory result = bytes.concat(bytes(name));
        result[0] = bytes1(uint8(result[0]) - 32);
        return string(result);
    }

    /// The types follow in alphabetical order, whatever the order of the writes.
    function test_SeveralWritesInAnyOrder() external view {
        bytes[] memory calls = new bytes[](4);
        calls[0] = abi.encodeCall(IGroupWrites.removeGroup, (SECURED, GROUP));
        calls[1] = abi.encodeCall(IActionWrites.removeAction, (SECURED, ACTION));
        calls[2] = abi.encodeCall(IActionWrites.addActionToGroup, (SECURED, GROUP, ACTION));
        calls[3] = calls[0];
        bytes memory add = "AddActionToGroup(uint256 apiKeyHash,uint256 groupId,uint256 actionHash)";
        bytes memory removeAction = "RemoveAction(uint256 apiKeyHash,uint256 actionHash)";
        bytes memory removeGroup = "RemoveGroup(uint256 apiKeyHash,uint256 groupId)";
        bytes memory writes =
            "Writes(RemoveGroup write1,RemoveAction write2,AddActionToGroup write3,RemoveGroup write4,address signer,uint256 nonce,uint256 deadline)";
        bytes32 removed = keccak256(abi.encode(keccak256(removeGroup), SECURED, GROUP));
        bytes32 structHash = keccak256(
            abi.encode(
                keccak256(bytes.concat(writes, add, removeAction, removeGroup)),
                removed,
                keccak256(abi.encode(keccak256(removeAction), SECURED, ACTION)),
                keccak256(abi.encode(keccak256(add), SECURED, GROUP, ACTION)),
                removed,
                admin,
                uint256(5),
                DEADLINE
            )
        );
        vm.assertEq(
            accountConfig.hashSignedWrites(SECURED, admin, calls, 5, DEADLINE), typedDigest(structHash)
        );
    }

    // ------------------------------------------------------------------------------------- malformed encodings

    function _refused(bytes memory data) private {
        bytes memory malformed = abi.encodeWithSelector(ISignedWrites.MalformedCall.selector, 0);
        vm.expectRevert(malformed);
        accountConfig.hashSignedWrites(SECURED, admin, one(data), 0, DEADLINE);
        vm.expectRevert(malformed);
        by(stranger).executeSigned(SECURED, admin, one(data), 0, DEADLINE, "");
    }

    /// @notice Replaces a word of the arguments.
    function _with(bytes memory data, uint256 position, uint256 word) private pure returns (bytes memory) {
        bytes memory changed = bytes.concat(data);
        // memory-safe: inside `changed`.
        assembly ("memory-safe") {
            mstore(add(add(changed, 36), mul(32, position)), word)
        }
        return changed;
    }

    function test_RevertWhen_CalldataIsCutOrExtended() external {
        bytes memory data = addGroupCall(SECURED);
        for (uint256 length = 4; length < data.length; ++length) {
            bytes memory cut = bytes.concat(data);
            // memory-safe: shortens an array that was allocated here.
            assembly ("memory-safe") {
                mstore(cut, length)
            }
            _refused(cut);
        }
        _refused(bytes.concat(data, hex"00"));
        _refused(bytes.concat(data, bytes32(0)));
        _refused(bytes.concat(data, bytes20(admin)));
        _refused(abi.encodePacked(abi.encodeCall(IGroupWrites.removeGroup, (SECURED, 1)), hex"00"));
    }

    /// name at word 1, its length at word 5, its bytes at word 6; description 2, 7, 8; CIDs 3, 9, 10; wallets 4, 11, 12.
    function test_RevertWhen_OffsetIsNotCanonical() external {
        bytes memory data = addGroupCall(SECURED);
        for (uint256 argument = 1; argument < 5; ++argument) {
            uint256 offset = 32 * (3 + 2 * argument);
            uint256[6] memory others =
                [offset - 32, offset + 32, offset + 64, 0, type(uint256).max, offset + (1 << 255)];
            for (uint256 i; i < others.length; ++i) {
                _refused(_with(data, argument, others[i]));
            }
        }
    }

    function test_RevertWhen_LengthIsWrong() external {
        bytes memory data = addGroupCall(SECURED);
        for (uint256 argument = 1; argument < 5; ++argument) {
            uint256 position = 3 + 2 * argument;
            uint256[6] memory lengths =
                [uint256(0), 65, 1000, type(uint256).max, type(uint256).max / 32 + 1, 1 << 251];
            for (uint256 i; i < lengths.length; ++i) {
                _refused(_with(data, position, lengths[i]));
            }
        }
        // One byte less leaves a byte of the text in the padding.
        _refused(_with(data, 5, 3));
    }

    function test_RevertWhen_PaddingIsDirty() external {
        bytes memory data = addGroupCall(SECURED);
        uint256 name = uint256(bytes32(bytes(NAME)));
        _refused(_with(data, 6, name | 1));
        _refused(_with(data, 6, name | (1 << 216)));
        _refused(_with(data, 12, uint256(uint160(wallet)) | (1 << 160)));
        _refused(_with(data, 12, uint256(uint160(wallet)) | (1 << 255)));
        for (uint256 size = 1; size < 32; ++size) {
            data = abi.encodeCall(IGroupWrites.updateGroupMetadata, (SECURED, GROUP, text(size), ""));
            _refused(_with(data, 5, _wordAt(data, 5) | 1));
        }
    }

    /// A malformed text is refused, also when the next one is said to start at byte 0 or 1 and ends with the arguments.
    function test_RevertWhen_AnOffsetPointsToTheStart() external {
        bytes4 selector = IGroupWrites.updateGroupMetadata.selector;
        uint256 high = 1 << 248;
        bytes memory zeros = new bytes(31);
        bytes[5] memory calls = [
            // The first text is beyond the end. The second one would be the arguments.
            abi.encodePacked(selector, abi.encode(96, 1, 128, 0)),
            abi.encodePacked(selector, abi.encode(high, 95 * high, 128, 1), bytes1(0)),
            // The first text is longer than everything, longer than the rest, or not padded with zeros.
            abi.encodePacked(selector, abi.encode(high, 128 * high, 128, 1, 1000), bytes1(0)),
            abi.encodePacked(selector, abi.encode(high, 128 * high, 128, 1, 100), bytes1(0)),
            abi.encodePacked(selector, abi.encode(high, 160 * high, 128, 1, 1), hex"ff01", zeros)
        ];
        for (uint256 i; i < calls.length; ++i) {
            vm.expectRevert(abi.encodeWithSelector(ISignedWrites.MalformedCall.selector, 0));
            accountConfig.hashSignedWrites(i == 0 ? 96 : high, admin, one(calls[i]), 0, DEADLINE);
        }
    }

    function test_RevertWhen_AddressOrFlagIsDirty() external {
        _refused(
            abi.encodeWithSelector(
                bytes4(keccak256("removeWalletDerivation(uint256,address)")), SECURED, uint256(1) << 160
            )
        );
        UsageKey memory k = newKey(UNKNOWN);
        k.accountApiKeyHash = SECURED;
        bytes memory data = encodeSetKey(k);
        for (uint256 flag = 6; flag < 9; ++flag) {
            accountConfig.hashSignedWrites(SECURED, admin, one(_with(data, flag, 1)), 0, DEADLINE);
            _refused(_with(data, flag, 2));
        }
    }

    /// Encodings by the compiler are canonical, and different arguments have different digests.
    function testFuzz_DigestsAreInjective(
        string calldata name,
        string calldata otherName,
        uint256[] calldata cidHashes,
        address[] calldata pkpIds
    ) external view {
        bytes memory data = abi.encodeCall(
            IGroupWrites.addGroup, (SECURED, name, otherName, cidHashes, pkpIds)
        );
        bytes memory swapped =
            abi.encodeCall(IGroupWrites.addGroup, (SECURED, otherName, name, cidHashes, pkpIds));
        bytes32 digest = accountConfig.hashSignedWrites(SECURED, admin, one(data), 0, DEADLINE);
        bytes32 other = accountConfig.hashSignedWrites(SECURED, admin, one(swapped), 0, DEADLINE);
        vm.assertEq(digest == other, keccak256(bytes(name)) == keccak256(bytes(otherName)));
        bytes32 structHash = keccak256(
            abi.encode(
                keccak256(
                    "AddGroup(uint256 apiKeyHash,string name,string description,uint256[] cidHashes,address[] pkpIds,address signer,uint256 nonce,uint256 deadline)"
                ),
                SECURED,
                keccak256(bytes(name)),
                keccak256(bytes(otherName)),
                keccak256(abi.encodePacked(cidHashes)),
                keccak256(abi.encodePacked(pkpIds)),
                admin,
                0,
                DEADLINE
            )
        );
        vm.assertEq(digest, typedDigest(structHash));
    }
}
