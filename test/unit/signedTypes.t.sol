// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IGroupWrites } from "../../contracts/interfaces/IGroupWrites.sol";
import { ISignedWrites } from "../../contracts/interfaces/ISignedWrites.sol";
import { SignedWritesTest } from "../utils/SignedWritesTest.sol";

/// @notice The types of signed writes, against the compiled ABI of the interface, and the encodings that are refused.
contract SignedTypesTest is SignedWritesTest {
    /// Writes of accounts that cannot be signed: they are for api payers.
    string[3] private unsignable = ["newAccount", "convertToChainSecuredAccount", "rotateAccountKey"];
    string[5] private interfaces =
        ["IAccountWrites", "IUsageKeyWrites", "IGroupWrites", "IActionWrites", "IWalletWrites"];

    function _isUnsignable(string memory name) private view returns (bool) {
        for (uint256 i; i < unsignable.length; ++i) {
            if (keccak256(bytes(unsignable[i])) == keccak256(bytes(name))) return true;
        }
        return false;
    }

    /// The digest of each function with zero or empty arguments is that of the type which its ABI gives.
    function test_EveryWriteHasTheTypeOfItsAbi() external view {
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
        vm.assertTrue(count > 18, "too few functions");
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
        bytes words;
    }

    function _assertType(string memory json, uint256 item, string memory name) private view {
        Type memory t;
        while (vm.keyExistsJson(json, _input(item, t.count, "type"))) {
            ++t.count;
        }
        for (uint256 i; i < t.count; ++i) {
            _append(t, i == 0 ? "" : ",", json, _input(item, i, "type"), _input(item, i, "name"));
        }
        string memory typeName =
            string.concat(_capital(name), "(", t.members, ",uint256 nonce,uint256 deadline)");
        bytes32 structHash =
            keccak256(bytes.concat(keccak256(bytes(typeName)), t.words, abi.encode(uint256(5), DEADLINE)));
        bytes memory data = bytes.concat(
            selectorOf(string.concat(name, "(", t.types, ")")), t.head, new bytes(32 * t.dynamics)
        );
        bytes32 digest = accountConfig.hashSignedWrites(0, one(data), 5, DEADLINE);
        vm.assertEq(digest, typedDigest(structHash), typeName);
    }

    /// Every text and array is empty: one word, its length.
    function _append(
        Type memory t,
        string memory comma,
        string memory json,
        string memory typePath,
        string memory namePath
    ) private pure {
        string memory kind = vm.parseJsonString(json, typePath);
        t.members = string.concat(t.members, comma, kind, " ", vm.parseJsonString(json, namePath));
        t.types = string.concat(t.types, comma, kind);
        bytes1 last = bytes(kind)[bytes(kind).length - 1];
        bool isDynamic = last == "]" || last == "g";
        t.head = bytes.concat(t.head, bytes32(isDynamic ? 32 * (t.count + t.dynamics) : 0));
        t.words = bytes.concat(t.words, isDynamic ? keccak256("") : bytes32(0));
        if (isDynamic) ++t.dynamics;
    }

    function _input(uint256 item, uint256 i, string memory field) private pure returns (string memory) {
        return _path(item, string.concat("inputs[", vm.toString(i), "].", field));
    }

    function _capital(string memory name) private pure returns (string memory) {
        bytes memory result = bytes.concat(bytes(name));
        result[0] = bytes1(uint8(result[0]) - 32);
        return string(result);
    }

    // ------------------------------------------------------------------------------------- malformed encodings

    function _refused(bytes memory data) private {
        bytes memory malformed = abi.encodeWithSelector(ISignedWrites.MalformedCall.selector, 0);
        vm.expectRevert(malformed);
        accountConfig.hashSignedWrites(SECURED, one(data), 0, DEADLINE);
        vm.expectRevert(malformed);
        by(stranger).executeSigned(SECURED, one(data), 0, DEADLINE, "");
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
            accountConfig.hashSignedWrites(SECURED, one(_with(data, flag, 1)), 0, DEADLINE);
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
        bytes32 digest = accountConfig.hashSignedWrites(SECURED, one(data), 0, DEADLINE);
        bytes32 other = accountConfig.hashSignedWrites(SECURED, one(swapped), 0, DEADLINE);
        vm.assertEq(digest == other, keccak256(bytes(name)) == keccak256(bytes(otherName)));
        bytes32 structHash = keccak256(
            abi.encode(
                keccak256(
                    "AddGroup(uint256 apiKeyHash,string name,string description,uint256[] cidHashes,address[] pkpIds,uint256 nonce,uint256 deadline)"
                ),
                SECURED,
                keccak256(bytes(name)),
                keccak256(bytes(otherName)),
                keccak256(abi.encodePacked(cidHashes)),
                keccak256(abi.encodePacked(pkpIds)),
                0,
                DEADLINE
            )
        );
        vm.assertEq(digest, typedDigest(structHash));
    }
}
