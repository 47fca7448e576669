// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { AccountConfigTest } from "../utils/AccountConfigTest.sol";

contract AccountExistsAndIsMutableTest is AccountConfigTest {
    function _assertMutable(address caller, uint256 hash, bool expected) private {
        vm.assertEq(by(caller).accountExistsAndIsMutable(hash), expected);
    }

    function test_Managed() external {
        _assertMutable(payer, MANAGED, true);
        _assertMutable(otherPayer, MANAGED, true);
        _assertMutable(accountKeyAddress, MANAGED, false);
        _assertMutable(owner, MANAGED, false);
        _assertMutable(stranger, MANAGED, false);
    }

    function test_ChainSecured() external {
        _assertMutable(admin, SECURED, true);
        _assertMutable(payer, SECURED, false);
        _assertMutable(stranger, SECURED, false);
        by(admin).transferChainSecuredAccountOwnership(SECURED, newAdmin);
        _assertMutable(admin, SECURED, false);
        _assertMutable(newAdmin, SECURED, true);
        _assertMutable(newAdmin, identity(newAdmin), false);
        by(newAdmin).acceptAccount(SECURED);
        _assertMutable(newAdmin, identity(newAdmin), true);
    }

    function test_AfterConversion() external {
        convert();
        _assertMutable(payer, MANAGED, false);
        _assertMutable(newAdmin, MANAGED, true);
    }

    function test_UsageKey() external {
        _assertMutable(payer, key, true);
        _assertMutable(stranger, key, false);
        by(payer).removeUsageApiKey(MANAGED, key);
        _assertMutable(payer, key, false);
    }

    function test_Unknown() external {
        _assertMutable(payer, UNKNOWN, false);
        _assertMutable(payer, 0, false);
    }
}
