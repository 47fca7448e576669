// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IConfigFacet } from "../../contracts/interfaces/IConfigFacet.sol";
import { IErrors } from "../../contracts/interfaces/IErrors.sol";
import { AccountConfigTest } from "../utils/AccountConfigTest.sol";

/// @notice setNodeConfiguration, nodeConfigurationValue, nodeConfigurationValues.
contract SetNodeConfigurationTest is AccountConfigTest {
    function _set(string memory key_, string memory value) private {
        by(owner).setNodeConfiguration(key_, value);
    }

    function test_SetNodeConfiguration() external {
        vm.assertEq(accountConfig.nodeConfigurationValue("key"), "");
        expectEvent();
        emit IConfigFacet.NodeConfigurationSet("key", "value");
        _set("key", "value");
        assertEvents(1);
        _set("other", "thing");
        _set("key", "new value");
        vm.assertEq(accountConfig.nodeConfigurationValue("key"), "new value");
        IConfigFacet.NodeConfiguration[] memory values = accountConfig.nodeConfigurationValues();
        vm.assertEq(values.length, 2);
        vm.assertEq(values[0].key, "key");
        vm.assertEq(values[0].value, "new value");
        vm.assertEq(values[1].key, "other");
        vm.assertEq(values[1].value, "thing");
    }

    function test_EmptyValueRemovesTheKey() external {
        _set("key", "value");
        expectEvent();
        emit IConfigFacet.NodeConfigurationSet("key", "");
        _set("key", "");
        vm.assertEq(accountConfig.nodeConfigurationValue("key"), "");
        vm.assertEq(accountConfig.nodeConfigurationValues().length, 0);
        _set("never set", "");
        vm.assertEq(accountConfig.nodeConfigurationValues().length, 0);
    }

    function test_ByConfigOperator() external {
        by(owner).setConfigOperator(stranger);
        by(stranger).setNodeConfiguration("key", "value");
        vm.assertEq(accountConfig.nodeConfigurationValue("key"), "value");
    }

    function test_LongestKeyAndValue() external {
        _set(text(128), text(1024));
        vm.assertEq(accountConfig.nodeConfigurationValue(text(128)), text(1024));
    }

    function test_RevertWhen_KeyIsEmptyOrTooLong() external {
        expectRevert(IErrors.NodeConfigurationKeyLengthOutOfRange.selector, 0, 128);
        _set("", "value");
        expectRevert(IErrors.NodeConfigurationKeyLengthOutOfRange.selector, 129, 128);
        _set(text(129), "value");
    }

    function test_RevertWhen_ValueIsTooLong() external {
        expectRevert(IErrors.NodeConfigurationValueTooLong.selector, 1025, 1024);
        _set("key", text(1025));
    }

    function test_RevertGiven_HundredKeys() external {
        for (uint256 i; i < 100; ++i) {
            _set(vm.toString(i), "value");
        }
        expectRevert(IErrors.TooManyNodeConfigurations.selector, 100);
        _set("key", "value");
        _set("99", "new value");
        _set("0", "");
        _set("key", "value");
        vm.assertEq(accountConfig.nodeConfigurationValues().length, 100);
    }

    function test_RevertGiven_CallerIsNoConfigOperator() external {
        address[4] memory callers = [stranger, payer, admin, accountKeyAddress];
        for (uint256 i; i < callers.length; ++i) {
            expectRevert(IErrors.OnlyConfigOperatorOrOwner.selector, callers[i]);
            by(callers[i]).setNodeConfiguration("key", "value");
        }
    }
}
