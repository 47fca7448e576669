// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IErrors } from "../../contracts/interfaces/IErrors.sol";
import { AccountConfigTest } from "../utils/AccountConfigTest.sol";

/// @notice The order of the guards that IAccountConfig promises: each call has all remaining mistakes, and the revert names
/// the first one.
contract GuardOrderTest is AccountConfigTest {
    function test_setUsageApiKey() external {
        UsageKey memory k = newKey(0);
        k.accountApiKeyHash = UNKNOWN;
        (k.name, k.description) = (text(129), text(1025));
        k.executeInGroups = new uint256[](51);
        k.executeInGroups[0] = NO_GROUP;
        expectInvalidRequest("name over 128 bytes");
        setKeyAs(stranger, k);
        k.name = NAME;
        expectInvalidRequest("description over 1024 bytes");
        setKeyAs(stranger, k);
        k.description = DESCRIPTION;
        expectRevert(IErrors.TooManyUsageApiKeyEntries.selector, 51, 50);
        setKeyAs(stranger, k);
        k.executeInGroups = list(NO_GROUP);
        expectRevert(IErrors.UsageApiKeyHashIsZero.selector);
        setKeyAs(stranger, k);
        k.usageApiKeyHash = SECURED;
        expectRevert(IErrors.AccountDoesNotExist.selector, UNKNOWN);
        setKeyAs(stranger, k);
        k.accountApiKeyHash = key;
        expectRevert(IErrors.NotMasterAccount.selector, key);
        setKeyAs(stranger, k);
        k.accountApiKeyHash = MANAGED;
        expectNoAccess(MANAGED, stranger);
        setKeyAs(stranger, k);
    }

    function test_addGroup() external {
        expectInvalidRequest("name over 128 bytes");
        by(stranger).addGroup(UNKNOWN, text(129), text(1025), range(1, 11), list(noWallet));
        expectInvalidRequest("description over 1024 bytes");
        by(stranger).addGroup(UNKNOWN, NAME, text(1025), range(1, 11), list(noWallet));
        expectRevert(IErrors.TooManyGroupEntries.selector, 11, 10);
        by(stranger).addGroup(UNKNOWN, NAME, DESCRIPTION, range(1, 11), list(noWallet));
        expectRevert(IErrors.AccountDoesNotExist.selector, UNKNOWN);
        by(stranger).addGroup(UNKNOWN, NAME, DESCRIPTION, list(), list(noWallet));
        expectRevert(IErrors.NotAllowedToCreateGroup.selector, key);
        by(stranger).addGroup(key, NAME, DESCRIPTION, list(), list(noWallet));
        setKey(almightyKey(key));
        expectNoAccess(key, stranger);
        by(stranger).addGroup(key, NAME, DESCRIPTION, list(), list(noWallet));
        expectRevert(IErrors.PkpDoesNotExist.selector, key, 3, noWallet);
        by(payer).addGroup(key, NAME, DESCRIPTION, list(), list(noWallet));
    }

    function test_registerWalletDerivation() external {
        uint256 foreignPath = uint256(uint160(admin)) << 96 | 1;
        expectInvalidRequest("name over 128 bytes");
        by(stranger).registerWalletDerivation(UNKNOWN, address(0), 0, text(129), DESCRIPTION);
        expectRevert(IErrors.PkpIsZero.selector);
        by(stranger).registerWalletDerivation(UNKNOWN, address(0), 0, NAME, DESCRIPTION);
        expectRevert(IErrors.DerivationPathIsZero.selector);
        by(stranger).registerWalletDerivation(UNKNOWN, wallet, 0, NAME, DESCRIPTION);
        expectRevert(IErrors.AccountDoesNotExist.selector, UNKNOWN);
        by(stranger).registerWalletDerivation(UNKNOWN, wallet, foreignPath, NAME, DESCRIPTION);
        expectRevert(IErrors.NotAllowedToCreatePkp.selector, key);
        by(stranger).registerWalletDerivation(key, wallet, foreignPath, NAME, DESCRIPTION);
        expectNoAccess(MANAGED, stranger);
        by(stranger).registerWalletDerivation(MANAGED, wallet, foreignPath, NAME, DESCRIPTION);
    }

    function test_addActionToGroup() external {
        UsageKey memory k = newKey(key);
        k.expiration = NOW;
        setKey(k);
        expectRevert(IErrors.UsageApiKeyExpired.selector, key);
        by(stranger).addActionToGroup(key, NO_GROUP, ACTION);
        k.expiration = 0;
        setKey(k);
        expectRevert(IErrors.NotAllowedToManageIPFSIdsInGroup.selector, key, NO_GROUP);
        by(stranger).addActionToGroup(key, NO_GROUP, ACTION);
        setKey(almightyKey(key));
        expectNoAccess(key, stranger);
        by(stranger).addActionToGroup(key, NO_GROUP, ACTION);
        expectRevert(IErrors.GroupDoesNotExist.selector, key, NO_GROUP);
        by(payer).addActionToGroup(key, NO_GROUP, ACTION);
    }
}
