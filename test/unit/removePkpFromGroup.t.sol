// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IErrors } from "../../contracts/interfaces/IErrors.sol";
import { IWalletWrites } from "../../contracts/interfaces/IWalletWrites.sol";
import { PermissionGuards } from "../utils/WriteGuards.sol";

contract RemovePkpFromGroupTest is PermissionGuards {
    function writeAs(address caller, uint256 apiKeyHash) internal override {
        by(caller).removePkpFromGroup(apiKeyHash, GROUP, wallet);
    }

    function grant(UsageKey memory k) internal pure override {
        k.removePkpFromGroups = list(GROUP);
    }

    function withhold(UsageKey memory k) internal pure override {
        k.removePkpFromGroups = list(EMPTY_GROUP);
    }

    function notAllowed() internal view override returns (bytes memory) {
        return abi.encodeWithSelector(IErrors.NotAllowedToRemovePkpFromGroup.selector, key, GROUP);
    }

    function test_RemovePkpFromGroup() external inBothModes {
        by(writer).addPkpToGroup(account, EMPTY_GROUP, wallet);
        expectEvent();
        emit IWalletWrites.PkpRemovedFromGroup(account, GROUP, wallet);
        by(writer).removePkpFromGroup(account, GROUP, wallet);
        assertEvents(1);
        assertGroup(GROUP, list(ACTION), wallets());
        assertGroup(EMPTY_GROUP, list(), list(wallet));
        vm.assertEq(accountConfig.getWalletDerivation(account, wallet), pathOf(1));
        assertCan(key, ACTION, wallet, true, false);
    }

    function test_EveryWallet() external inBothModes {
        by(writer).addPkpToGroup(account, GROUP, address(0));
        expectEvent();
        emit IWalletWrites.PkpRemovedFromGroup(account, GROUP, address(0));
        by(writer).removePkpFromGroup(account, GROUP, address(0));
        assertEvents(1);
        assertGroup(GROUP, list(ACTION), list(wallet));
        assertCan(key, ACTION, looseWallet, true, false);
        assertCan(key, ACTION, wallet, true, true);
    }

    function test_EventCarriesTheMasterHashWhenCalledByUsageKey() external inBothModes {
        setKey(almightyKey(key));
        expectEvent();
        emit IWalletWrites.PkpRemovedFromGroup(account, GROUP, wallet);
        by(writer).removePkpFromGroup(key, GROUP, wallet);
    }

    function test_RevertGiven_NoMember() external inBothModes {
        expectRevert(IErrors.PkpDoesNotExist.selector, account, GROUP, looseWallet);
        by(writer).removePkpFromGroup(account, GROUP, looseWallet);
        expectRevert(IErrors.PkpDoesNotExist.selector, account, GROUP, noWallet);
        by(writer).removePkpFromGroup(account, GROUP, noWallet);
        expectRevert(IErrors.PkpDoesNotExist.selector, account, GROUP, address(0));
        by(writer).removePkpFromGroup(account, GROUP, address(0));
        expectRevert(IErrors.PkpDoesNotExist.selector, account, EMPTY_GROUP, wallet);
        by(writer).removePkpFromGroup(account, EMPTY_GROUP, wallet);
    }

    function test_RevertGiven_NoGroup() external inBothModes {
        expectRevert(IErrors.GroupDoesNotExist.selector, account, NO_GROUP);
        by(writer).removePkpFromGroup(account, NO_GROUP, wallet);
        by(writer).removeGroup(account, GROUP);
        expectRevert(IErrors.GroupDoesNotExist.selector, account, GROUP);
        by(writer).removePkpFromGroup(account, GROUP, wallet);
    }
}
