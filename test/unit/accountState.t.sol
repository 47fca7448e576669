// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IViewsFacet } from "../../contracts/interfaces/IViewsFacet.sol";
import { AccountConfigTest } from "../utils/AccountConfigTest.sol";

contract AccountStateTest is AccountConfigTest {
    function _assertState(uint256 hash, IViewsFacet.HashState state, uint256 master) private view {
        IViewsFacet.AccountState memory found = accountConfig.accountState(hash);
        vm.assertEq(uint256(found.state), uint256(state), "state");
        vm.assertEq(found.masterApiKeyHash, master, "master hash");
    }

    function test_Accounts() external {
        IViewsFacet.AccountState memory s = accountConfig.accountState(MANAGED);
        vm.assertEq(uint256(s.state), uint256(IViewsFacet.HashState.Account));
        vm.assertEq(s.adminWalletAddress, accountKeyAddress);
        vm.assertTrue(s.managed && s.accepted);
        vm.assertFalse(s.rotated || s.frozen);
        s = accountConfig.accountState(SECURED);
        vm.assertEq(s.masterApiKeyHash, SECURED);
        vm.assertEq(s.adminWalletAddress, admin);
        vm.assertTrue(s.accepted);
        vm.assertFalse(s.managed);
        by(owner).freezePayers();
        vm.assertTrue(accountConfig.accountState(MANAGED).frozen);
        vm.assertFalse(accountConfig.accountState(SECURED).frozen);
        _assertState(UNKNOWN, IViewsFacet.HashState.Unused, 0);
        _assertState(0, IViewsFacet.HashState.Unused, 0);
    }

    function test_UsageKeys() external inBothModes {
        UsageKey memory k = newKey(key);
        k.expiration = NOW + 5;
        setKey(k);
        IViewsFacet.AccountState memory s = accountConfig.accountState(key);
        vm.assertEq(uint256(s.state), uint256(IViewsFacet.HashState.UsageKey));
        vm.assertEq(s.masterApiKeyHash, account);
        vm.assertEq(s.expiration, NOW + 5);
        by(writer).rotateUsageApiKey(account, key, UNKNOWN);
        _assertState(key, IViewsFacet.HashState.Rotated, account);
        by(writer).removeUsageApiKey(account, UNKNOWN);
        _assertState(UNKNOWN, IViewsFacet.HashState.Removed, account);
        setKey(newKey(UNKNOWN));
        _assertState(UNKNOWN, IViewsFacet.HashState.UsageKey, account);
        by(writer).removeAllUsageApiKeys(account);
        _assertState(UNKNOWN, IViewsFacet.HashState.Removed, account);
        vm.assertEq(accountConfig.accountState(UNKNOWN).expiration, 0);
        retire(account);
        _assertState(UNKNOWN, IViewsFacet.HashState.Ended, 0);
        _assertState(key, IViewsFacet.HashState.Ended, 0);
        _assertState(account, IViewsFacet.HashState.Ended, 0);
    }

    function test_RotatedAccountKey() external {
        rotate(MANAGED, UNKNOWN);
        _assertState(MANAGED, IViewsFacet.HashState.Rotated, MANAGED);
        _assertState(UNKNOWN, IViewsFacet.HashState.Account, MANAGED);
        IViewsFacet.AccountState memory s = accountConfig.accountState(UNKNOWN);
        vm.assertTrue(s.rotated);
        vm.assertEq(s.adminWalletAddress, addressOfKey(UNKNOWN));
        rotate(UNKNOWN, NO_ACTION);
        _assertState(UNKNOWN, IViewsFacet.HashState.Rotated, MANAGED);
    }

    function test_Transfer() external {
        by(admin).transferChainSecuredAccountOwnership(SECURED, newAdmin);
        uint256[3] memory hashes = [SECURED, identity(newAdmin), uint256(0)];
        enterSecured();
        hashes[2] = key;
        IViewsFacet.HashState[3] memory states =
            [IViewsFacet.HashState.Account, IViewsFacet.HashState.Waiting, IViewsFacet.HashState.UsageKey];
        for (uint256 i; i < hashes.length; ++i) {
            IViewsFacet.AccountState memory s = accountConfig.accountState(hashes[i]);
            _assertState(hashes[i], states[i], SECURED);
            vm.assertEq(s.adminWalletAddress, newAdmin);
            vm.assertEq(s.giver, admin);
            vm.assertFalse(s.accepted || s.managed);
        }
        by(newAdmin).acceptAccount(SECURED);
        IViewsFacet.AccountState memory accepted = accountConfig.accountState(SECURED);
        vm.assertTrue(accepted.accepted);
        vm.assertEq(accepted.giver, address(0));
        _assertState(identity(newAdmin), IViewsFacet.HashState.Account, SECURED);
    }

    function test_EvictedAccount() external {
        uint256 hash = identity(stranger);
        by(payer).newAccount(hash, true, NAME, DESCRIPTION, accountKeyAddress);
        rotate(hash, UNKNOWN);
        rotate(UNKNOWN, identity(newAdmin));
        by(newAdmin).newChainSecuredAccount(NAME, DESCRIPTION);
        _assertState(hash, IViewsFacet.HashState.Ended, hash);
        _assertState(UNKNOWN, IViewsFacet.HashState.Ended, 0);
    }
}
