// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { AccountConfigStorage } from "../../contracts/storage/AccountConfigStorage.sol";

/// @notice A facet of the next version: its struct has one more field at its end, and it has one more function.
contract NextVersionFacet {
    /// As the struct of the present version with the new field appended.
    struct Layout {
        AccountConfigStorage.Layout present;
        mapping(uint256 hash => uint256) notes;
    }

    function _load() private pure returns (Layout storage $) {
        bytes32 slot = AccountConfigStorage.SLOT;
        // memory-safe: touches no memory, names a constant slot.
        assembly ("memory-safe") {
            $.slot := slot
        }
    }

    function setNote(uint256 hash, uint256 note) external {
        _load().notes[hash] = note;
    }

    function noteOf(uint256 hash) external view returns (uint256) {
        return _load().notes[hash];
    }

    function accountCount() external view returns (uint256) {
        return _load().present.accountCount;
    }

    function pkpCount() external view returns (uint256) {
        return _load().present.pkpCount;
    }

    function getPricing(uint256 pricingItemId) external view returns (uint256) {
        return _load().present.pricing[pricingItemId];
    }

    function adminApiPayerAccount() external view returns (address) {
        return _load().present.adminApiPayerAccount;
    }

    function nodeConfigurationValue(string calldata key) external view returns (string memory) {
        return _load().present.nodeConfiguration[key];
    }
}

/// @notice A facet whose struct has its new field in front: every other field is read one slot too far.
contract ShiftedFacet {
    struct Layout {
        uint256 inserted;
        AccountConfigStorage.Layout present;
    }

    function _load() private pure returns (Layout storage $) {
        bytes32 slot = AccountConfigStorage.SLOT;
        // memory-safe: touches no memory, names a constant slot.
        assembly ("memory-safe") {
            $.slot := slot
        }
    }

    function accountCount() external view returns (uint256) {
        return _load().present.accountCount;
    }
}
