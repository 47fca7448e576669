// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IAccountWrites } from "../../contracts/interfaces/IAccountWrites.sol";
import { IActionWrites } from "../../contracts/interfaces/IActionWrites.sol";
import { IErrors } from "../../contracts/interfaces/IErrors.sol";
import { IWalletWrites } from "../../contracts/interfaces/IWalletWrites.sol";
import { AccountConfigTest } from "../utils/AccountConfigTest.sol";

/// @notice addToGroup and removeFromGroup.
contract MembersOfGroupTest is AccountConfigTest {
    function test_AddAndRemove() external inBothModes {
        expectEvent();
        emit IActionWrites.ActionAdded(account, NO_ACTION, "", "");
        expectEvent();
        emit IActionWrites.ActionAddedToGroup(account, GROUP, NO_ACTION);
        expectEvent();
        emit IActionWrites.ActionAddedToGroup(account, GROUP, 0);
        expectEvent();
        emit IWalletWrites.PkpAddedToGroup(account, GROUP, looseWallet);
        // Members stay without an event.
        by(writer).addToGroup(account, GROUP, list(NO_ACTION, 0, ACTION), list(looseWallet, wallet));
        assertEvents(4);
        assertGroup(GROUP, list(0, ACTION, NO_ACTION), list(wallet, looseWallet));
        expectEvent();
        emit IActionWrites.ActionRemovedFromGroup(account, GROUP, ACTION);
        expectEvent();
        emit IWalletWrites.PkpRemovedFromGroup(account, GROUP, wallet);
        by(writer).removeFromGroup(account, GROUP, list(ACTION), list(wallet));
        assertEvents(2);
        assertGroup(GROUP, list(0, NO_ACTION), list(looseWallet));
        by(writer).addToGroup(account, GROUP, list(), wallets());
        by(writer).removeFromGroup(account, GROUP, list(), wallets());
        assertEvents(0);
    }

    /// An action that was registered on the way is another one than those before and after it.
    function test_ActionsRegisteredOnTheWay() external inBothModes {
        by(writer).addToGroup(account, EMPTY_GROUP, list(NO_ACTION, ACTION, UNKNOWN), wallets());
        by(writer).addAction(account, NAME, DESCRIPTION, 7);
        by(writer).addToGroup(account, GROUP, list(8), wallets());
        vm.assertEq(accountConfig.listActions(account, 0, 10).length, 6);
        assertGroup(EMPTY_GROUP, list(ACTION, NO_ACTION, UNKNOWN), wallets());
        assertGroup(GROUP, list(ACTION, 8), list(wallet));
    }

    function test_TenOfEach() external inBothModes {
        address[] memory pkpIds = new address[](10);
        for (uint256 i; i < 10; ++i) {
            pkpIds[i] = address(uint160(100 + i));
            by(writer).registerWalletDerivation(account, pkpIds[i], pathOf(100 + i), "", "");
        }
        by(writer).addToGroup(account, EMPTY_GROUP, range(100, 10), pkpIds);
        assertGroup(EMPTY_GROUP, range(100, 10), pkpIds);
        by(writer).removeFromGroup(account, EMPTY_GROUP, range(100, 10), pkpIds);
        assertGroup(EMPTY_GROUP, list(), wallets());
    }

    function test_RevertWhen_TooManyEntries() external inBothModes {
        expectRevert(IErrors.TooManyGroupEntries.selector, 11, 10);
        by(writer).addToGroup(account, GROUP, range(1, 11), wallets());
        expectRevert(IErrors.TooManyGroupEntries.selector, 11, 10);
        by(writer).addToGroup(account, GROUP, list(), new address[](11));
        expectRevert(IErrors.TooManyGroupEntries.selector, 11, 10);
        by(writer).addToGroup(account, GROUP, range(1, 10), new address[](11));
        expectRevert(IErrors.TooManyGroupEntries.selector, 11, 10);
        by(writer).removeFromGroup(account, GROUP, range(1, 11), wallets());
        expectRevert(IErrors.TooManyGroupEntries.selector, 11, 10);
        by(writer).removeFromGroup(account, GROUP, list(), new address[](11));
    }

    /// All or nothing.
    function test_RevertGiven_OneItemIsNotThere() external inBothModes {
        expectRevert(IErrors.PkpDoesNotExist.selector, account, GROUP, noWallet);
        by(writer).addToGroup(account, GROUP, list(LOOSE_ACTION), list(looseWallet, noWallet));
        expectRevert(IErrors.ActionDoesNotExist.selector, account, GROUP, LOOSE_ACTION);
        by(writer).removeFromGroup(account, GROUP, list(ACTION, LOOSE_ACTION), wallets());
        expectRevert(IErrors.ActionDoesNotExist.selector, account, GROUP, ACTION);
        by(writer).removeFromGroup(account, GROUP, list(ACTION, ACTION), wallets());
        expectRevert(IErrors.PkpDoesNotExist.selector, account, GROUP, looseWallet);
        by(writer).removeFromGroup(account, GROUP, list(ACTION), list(wallet, looseWallet));
        assertGroup(GROUP, list(ACTION), list(wallet));
    }

    function test_RevertGiven_NoGroup() external inBothModes {
        uint256[2] memory ids = [0, NO_GROUP];
        for (uint256 i; i < 2; ++i) {
            expectRevert(IErrors.GroupDoesNotExist.selector, account, ids[i]);
            by(writer).addToGroup(account, ids[i], list(ACTION), wallets());
            expectRevert(IErrors.GroupDoesNotExist.selector, account, ids[i]);
            by(writer).removeFromGroup(account, ids[i], list(), wallets());
        }
    }

    function test_RevertGiven_AnotherCaller() external inBothModes {
        address other = account == MANAGED ? admin : payer;
        expectNoAccess(account, other);
        by(other).addToGroup(account, GROUP, list(), wallets());
        expectNoAccess(account, stranger);
        by(stranger).removeFromGroup(account, GROUP, list(ACTION), wallets());
        expectRevert(IErrors.AccountDoesNotExist.selector, UNKNOWN);
        by(writer).addToGroup(UNKNOWN, GROUP, list(), wallets());
    }

    /// The first write of the new admin wallet.
    function test_AcceptsATransfer() external {
        enterSecured();
        by(admin).transferChainSecuredAccountOwnership(SECURED, newAdmin);
        expectEvent();
        emit IAccountWrites.AccountAccepted(SECURED, newAdmin, true);
        by(newAdmin).addToGroup(SECURED, GROUP, list(LOOSE_ACTION), wallets());
        assertGroup(GROUP, list(ACTION, LOOSE_ACTION), list(wallet));
        vm.assertEq(accountConfig.allApiKeyHashesToMaster(identity(newAdmin)), SECURED);
    }

    /// Each kind of member needs its own permission on this group.
    function test_Permissions() external inBothModes {
        UsageKey memory k = newKey(UNKNOWN);
        k.manageIPFSIdsInGroups = list(GROUP);
        setKey(k);
        by(writer).addToGroup(UNKNOWN, GROUP, list(LOOSE_ACTION), wallets());
        expectRevert(IErrors.NotAllowedToAddPkpToGroup.selector, UNKNOWN, GROUP);
        by(writer).addToGroup(UNKNOWN, GROUP, list(NO_ACTION), list(looseWallet));
        expectRevert(IErrors.NotAllowedToRemovePkpFromGroup.selector, UNKNOWN, GROUP);
        by(writer).removeFromGroup(UNKNOWN, GROUP, list(), list(wallet));
        expectRevert(IErrors.NotAllowedToManageIPFSIdsInGroup.selector, UNKNOWN, EMPTY_GROUP);
        by(writer).addToGroup(UNKNOWN, EMPTY_GROUP, list(ACTION), wallets());
        k.manageIPFSIdsInGroups = list();
        k.addPkpToGroups = list(GROUP);
        setKey(k);
        by(writer).addToGroup(UNKNOWN, GROUP, list(), list(looseWallet));
        expectRevert(IErrors.NotAllowedToManageIPFSIdsInGroup.selector, UNKNOWN, GROUP);
        by(writer).removeFromGroup(UNKNOWN, GROUP, list(ACTION), wallets());
        expectRevert(IErrors.NotAllowedToRemovePkpFromGroup.selector, UNKNOWN, GROUP);
        by(writer).removeFromGroup(UNKNOWN, GROUP, list(), list(looseWallet));
        k.removePkpFromGroups = list(0);
        setKey(k);
        by(writer).removeFromGroup(UNKNOWN, GROUP, list(), list(looseWallet, wallet));
        assertGroup(GROUP, list(ACTION, LOOSE_ACTION), wallets());
        by(writer).setUsageApiKeyExpiration(account, UNKNOWN, NOW);
        expectRevert(IErrors.UsageApiKeyExpired.selector, UNKNOWN);
        by(writer).addToGroup(UNKNOWN, GROUP, list(), wallets());
    }
}
