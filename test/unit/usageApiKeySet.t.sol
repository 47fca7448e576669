// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IUsageKeyWrites } from "../../contracts/interfaces/IUsageKeyWrites.sol";
import { AccountConfigTest } from "../utils/AccountConfigTest.sol";

/// @notice The event of setUsageApiKey equals the ABI encoding of its arguments byte for byte, for any lengths and any valid
/// encoding of the calldata.
contract UsageApiKeySetTest is AccountConfigTest {
    function _key(uint256 nameLength, uint256 descriptionLength) private view returns (UsageKey memory k) {
        k = newKey(UNKNOWN);
        (k.name, k.description) = (_ones(nameLength), _ones(descriptionLength));
        (k.expiration, k.balance) = (NOW + 7, type(uint256).max);
        (k.createGroups, k.deleteGroups, k.createPKPs) = (true, false, true);
        k.manageIPFSIdsInGroups = list(1);
        k.addPkpToGroups = list(2, 1);
        k.removePkpFromGroups = list();
        k.executeInGroups = list(1, 2, 1);
    }

    /// @notice A text without a zero byte.
    function _ones(uint256 length) private pure returns (string memory) {
        bytes memory value = new bytes(length);
        for (uint256 i; i < length; ++i) {
            value[i] = 0xff;
        }
        return string(value);
    }

    function _expect(UsageKey memory k) private {
        expectEvent();
        emit IUsageKeyWrites.UsageApiKeySet(
            account,
            k.usageApiKeyHash,
            k.expiration,
            k.balance,
            k.name,
            k.description,
            IUsageKeyWrites.UsageApiKeyPermissions({
                createGroups: k.createGroups,
                deleteGroups: k.deleteGroups,
                createPKPs: k.createPKPs,
                manageIPFSIdsInGroups: k.manageIPFSIdsInGroups,
                addPkpToGroups: k.addPkpToGroups,
                removePkpFromGroups: k.removePkpFromGroups,
                executeInGroups: k.executeInGroups
            })
        );
    }

    function test_TextsOfEveryLength() external {
        for (uint256 length; length <= 66; ++length) {
            UsageKey memory k = _key(length, 66 - length);
            _expect(k);
            setKey(k);
        }
    }

    function test_TextsOfWholeWords() external {
        for (uint256 words; words < 9; ++words) {
            UsageKey memory k = _key(32 * (words / 3), 32 * (words % 3));
            _expect(k);
            setKey(k);
        }
    }

    /// Bytes after a text in the calldata are not in the event.
    function test_PaddingThatIsNotZero() external {
        for (uint256 length; length <= 33; ++length) {
            UsageKey memory k = _key(length, 33 - length);
            bytes memory data = encodeSetKey(k);
            _dirty(data, 4); // name
            _dirty(data, 5); // description
            _expect(k);
            vm.prank(payer);
            (bool ok,) = address(accountConfig).call(data);
            vm.assertTrue(ok);
        }
    }

    /// @notice Sets the bytes between the end of a text and the next full word.
    function _dirty(bytes memory data, uint256 argument) private pure {
        uint256 position = 4 + _word(data, 4 + 32 * argument);
        uint256 length = _word(data, position);
        for (uint256 i = length; i % 32 != 0; ++i) {
            data[position + 32 + i] = 0xaa;
        }
    }

    function _word(bytes memory data, uint256 position) private pure returns (uint256 word) {
        // memory-safe: reads within `data`.
        assembly ("memory-safe") {
            word := mload(add(add(data, 32), position))
        }
    }
}
