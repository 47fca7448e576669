// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IErrors } from "../../contracts/interfaces/IErrors.sol";
import { AccountConfigTest } from "../utils/AccountConfigTest.sol";

contract ResolveTest is AccountConfigTest {
    function _assertResolves(
        uint256 hash,
        uint256 master,
        address adminWallet,
        bool managed,
        bool isUsageKey,
        uint256 expiration
    ) private view {
        (uint256 master_, address adminWallet_, bool managed_, bool isUsageKey_, uint256 expiration_) =
            accountConfig.resolve(hash);
        vm.assertEq(master_, master);
        vm.assertEq(adminWallet_, adminWallet);
        vm.assertEq(managed_, managed);
        vm.assertEq(isUsageKey_, isUsageKey);
        vm.assertEq(expiration_, expiration);
    }

    function test_MasterHash() external view {
        _assertResolves(MANAGED, MANAGED, accountKeyAddress, true, false, 0);
        _assertResolves(SECURED, SECURED, admin, false, false, 0);
    }

    function test_UsageKey() external {
        _assertResolves(key, MANAGED, accountKeyAddress, true, true, 0);
        enterSecured();
        _assertResolves(key, SECURED, admin, false, true, 0);
    }

    function test_Alias() external {
        convert();
        _assertResolves(MANAGED, MANAGED, newAdmin, false, false, 0);
        _assertResolves(identity(newAdmin), MANAGED, newAdmin, false, false, 0);
        _assertResolves(key, MANAGED, newAdmin, false, true, 0);
    }

    function test_AliasOfAPreviousAdmin() external {
        convert();
        by(newAdmin).transferChainSecuredAccountOwnership(MANAGED, stranger);
        _assertResolves(identity(newAdmin), MANAGED, stranger, false, false, 0);
    }

    function test_ExpiredUsageKeyStillResolves() external inBothModes {
        UsageKey memory k = newKey(key);
        k.expiration = NOW - 1;
        setKey(k);
        (uint256 master,,, bool isUsageKey, uint256 expiration) = accountConfig.resolve(key);
        vm.assertEq(master, account);
        vm.assertTrue(isUsageKey);
        vm.assertEq(expiration, NOW - 1);
    }

    function test_Unknown() external view {
        _assertResolves(UNKNOWN, 0, address(0), false, false, 0);
        _assertResolves(0, 0, address(0), false, false, 0);
        _assertResolves(identity(stranger), 0, address(0), false, false, 0);
    }

    /// All bits of a hash count, not only those that key the storage.
    function testFuzz_NeighbouringHashes(uint256 difference) external view {
        vm.assume(difference != 0);
        vm.assume(MANAGED ^ difference != SECURED && MANAGED ^ difference != key);
        _assertResolves(MANAGED ^ difference, 0, address(0), false, false, 0);
        vm.assume(difference << 127 != 0);
        _assertResolves(MANAGED ^ (difference << 127), 0, address(0), false, false, 0);
    }

    /// An account whose hash shares the lower 127 bits with another's gets nothing of it.
    function test_RevertGiven_HashSharesTheLowerBits() external {
        uint256 hash = MANAGED ^ (1 << 200);
        expectRevert(IErrors.AccountAlreadyExists.selector, hash);
        by(payer).newAccount(hash, true, NAME, DESCRIPTION, accountKeyAddress);
    }
}
