// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IErrors } from "../../contracts/interfaces/IErrors.sol";
import { Fingerprint } from "../utils/Fingerprint.sol";

/// @notice rotateAccountKey, retireAccount, rotateUsageApiKey, setUsageApiKeyExpiration, removeAllUsageApiKeys, addToGroup,
/// removeFromGroup.
contract KeyChangesFuzzTest is Fingerprint {
    uint256 private constant LOW_127 = (1 << 127) - 1;

    /// @notice A hash that names nothing and shares its stored bits with no account or key.
    modifier unused(uint256 hash) {
        vm.assume(hash != 0 && accountConfig.allApiKeyHashesToMaster(hash) == 0);
        uint256[4] memory taken =
            [MANAGED, SECURED, uint256(keccak256("usage key of the managed account")), _securedKey()];
        for (uint256 i; i < taken.length; ++i) {
            vm.assume(hash & LOW_127 != taken[i] & LOW_127);
        }
        _;
    }

    function _securedKey() private pure returns (uint256) {
        return uint256(keccak256("usage key of the ChainSecured account"));
    }

    function _enter(bool secured) private {
        secured ? enterSecured() : enterManaged();
    }

    /// Any new hash has the account, and the old one names nothing and stays taken.
    function testFuzz_rotateAccountKey(uint256 newHash) external unused(newHash) {
        rotate(MANAGED, newHash);
        (uint256 master,, bool managed,,) = accountConfig.resolve(newHash);
        vm.assertEq(master, MANAGED);
        vm.assertTrue(managed);
        vm.assertEq(accountConfig.allApiKeyHashesToMaster(MANAGED), 0);
        by(payer).addGroup(newHash, NAME, DESCRIPTION, list(ACTION), list(wallet));
        assertCan(key, ACTION, wallet, true, true);
        expectRevert(IErrors.AccountDoesNotExist.selector, MANAGED);
        by(payer).addGroup(MANAGED, NAME, DESCRIPTION, list(), wallets());
        expectRevert(IErrors.AccountAlreadyExists.selector, MANAGED);
        by(payer).rotateAccountKey(newHash, MANAGED, newAdmin, DEADLINE, "");
    }

    /// After it nothing of the account resolves, and the other account is as before.
    function testFuzz_retireAccount(bool secured, uint256 usageHash) external unused(usageHash) {
        _enter(secured);
        setKey(almightyKey(usageHash));
        bytes32 other = fingerprint(secured ? MANAGED : SECURED);
        retire(account);
        uint256[3] memory hashes = [account, key, usageHash];
        for (uint256 i; i < hashes.length; ++i) {
            vm.assertEq(accountConfig.allApiKeyHashesToMaster(hashes[i]), 0);
            vm.assertFalse(accountConfig.canExecuteAction(hashes[i], ACTION));
            vm.assertFalse(accountConfig.canUseWalletInAction(hashes[i], ACTION, wallet));
            expectRevert(IErrors.AccountDoesNotExist.selector, hashes[i]);
            by(writer).retireAccount(hashes[i]);
        }
        vm.assertEq(fingerprint(secured ? MANAGED : SECURED), other);
    }

    /// The new hash has exactly what the old one had, which no account can use again.
    function testFuzz_rotateUsageApiKey(bool secured, uint256 newHash) external unused(newHash) {
        _enter(secured);
        by(writer).rotateUsageApiKey(account, key, newHash);
        UsageKey memory expected = newKey(newHash);
        expected.executeInGroups = list(GROUP);
        assertKey(expected);
        assertCan(newHash, ACTION, wallet, true, true);
        assertCan(key, ACTION, wallet, false, false);
        vm.assertEq(accountConfig.allApiKeyHashesToMaster(key), 0);
        expectRevert(IErrors.AccountAlreadyExists.selector, key);
        by(writer).rotateUsageApiKey(account, newHash, key);
        expectRevert(IErrors.UsageApiKeyDoesNotExist.selector, account, key);
        by(writer).removeUsageApiKey(account, key);
    }

    /// A key runs until its last second, at any time, and keeps its permissions.
    function testFuzz_setUsageApiKeyExpiration(bool secured, uint40 expiration, uint40 time) external {
        _enter(secured);
        by(writer).setUsageApiKeyExpiration(account, key, expiration);
        UsageKey memory expected = newKey(key);
        (expected.expiration, expected.executeInGroups) = (expiration, list(GROUP));
        assertKey(expected);
        vm.warp(time);
        bool live = expiration == 0 || time < expiration;
        assertCan(key, ACTION, wallet, live, live);
        by(writer).setUsageApiKeyExpiration(account, key, 0);
        assertCan(key, ACTION, wallet, true, true);
    }

    /// No key is left, a key that is set again has only its new permissions, and the other account keeps its keys.
    function testFuzz_removeAllUsageApiKeys(bool secured, uint8 more, uint256 again) external {
        _enter(secured);
        uint256 count = more % 24;
        for (uint256 i; i < count; ++i) {
            setKey(almightyKey(uint256(keccak256(abi.encode("key", i)))));
        }
        bytes32 other = fingerprint(secured ? MANAGED : SECURED);
        by(writer).removeAllUsageApiKeys(account);
        assertEvents(1);
        assertCan(key, ACTION, wallet, false, false);
        for (uint256 i; i < count; ++i) {
            uint256 hash = uint256(keccak256(abi.encode("key", i)));
            vm.assertEq(accountConfig.allApiKeyHashesToMaster(hash), 0);
            vm.assertFalse(accountConfig.canExecuteAction(hash, ACTION));
        }
        for (uint256 page; page < 2; ++page) {
            vm.assertEq(accountConfig.listApiKeys(account, page, 20).length, 0);
        }
        uint256 reused = count == 0 ? key : uint256(keccak256(abi.encode("key", again % count)));
        setKey(newKey(reused));
        assertKey(newKey(reused));
        assertCan(reused, ACTION, wallet, false, false);
        vm.assertEq(fingerprint(secured ? MANAGED : SECURED), other);
    }

    /// Members that are added and removed in one call leave the group as single calls do.
    function testFuzz_addToGroup_removeFromGroup(bool secured, uint8 added, uint8 removed) external {
        _enter(secured);
        uint256[3] memory actions = [uint256(0), ACTION, LOOSE_ACTION];
        address[3] memory pkps = [address(0), wallet, looseWallet];
        by(writer).addToGroup(account, EMPTY_GROUP, _pick(actions, added), _pick(pkps, added >> 3));
        assertGroup(EMPTY_GROUP, _pick(actions, added), _pick(pkps, added >> 3));
        // Only members can be removed.
        removed &= added;
        by(writer).removeFromGroup(account, EMPTY_GROUP, _pick(actions, removed), _pick(pkps, removed >> 3));
        uint8 left = added & ~removed;
        assertGroup(EMPTY_GROUP, _pick(actions, left), _pick(pkps, left >> 3));
        assertGroup(GROUP, list(ACTION), list(wallet));
    }

    /// @return picked The values whose bit is set, in their order.
    function _pick(uint256[3] memory values, uint8 bits) private pure returns (uint256[] memory picked) {
        picked = new uint256[]((bits & 1) + ((bits >> 1) & 1) + ((bits >> 2) & 1));
        uint256 count;
        for (uint256 i; i < 3; ++i) {
            if ((bits >> i) & 1 != 0) picked[count++] = values[i];
        }
    }

    function _pick(address[3] memory values, uint8 bits) private pure returns (address[] memory picked) {
        picked = new address[]((bits & 1) + ((bits >> 1) & 1) + ((bits >> 2) & 1));
        uint256 count;
        for (uint256 i; i < 3; ++i) {
            if ((bits >> i) & 1 != 0) picked[count++] = values[i];
        }
    }
}
