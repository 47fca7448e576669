// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IErrors } from "../../contracts/interfaces/IErrors.sol";
import { IWalletWrites } from "../../contracts/interfaces/IWalletWrites.sol";
import { PermissionGuards } from "../utils/WriteGuards.sol";

contract AddPkpToGroupTest is PermissionGuards {
    function writeAs(address caller, uint256 apiKeyHash) internal override {
        by(caller).addPkpToGroup(apiKeyHash, EMPTY_GROUP, wallet);
    }

    function grant(UsageKey memory k) internal pure override {
        k.addPkpToGroups = list(EMPTY_GROUP);
    }

    function withhold(UsageKey memory k) internal pure override {
        k.addPkpToGroups = list(GROUP);
    }

    function notAllowed() internal view override returns (bytes memory) {
        return abi.encodeWithSelector(IErrors.NotAllowedToAddPkpToGroup.selector, key, EMPTY_GROUP);
    }

    function test_AddPkpToGroup() external inBothModes {
        assertCan(key, ACTION, looseWallet, true, false);
        expectEvent();
        emit IWalletWrites.PkpAddedToGroup(account, GROUP, looseWallet);
        by(writer).addPkpToGroup(account, GROUP, looseWallet);
        assertEvents(1);
        assertGroup(GROUP, list(ACTION), list(wallet, looseWallet));
        assertGroup(EMPTY_GROUP, list(), wallets());
        assertCan(key, ACTION, looseWallet, true, true);
    }

    function test_WalletZeroPermitsEveryWalletOfTheAccount() external inBothModes {
        expectEvent();
        emit IWalletWrites.PkpAddedToGroup(account, GROUP, address(0));
        by(writer).addPkpToGroup(account, GROUP, address(0));
        assertEvents(1);
        assertGroup(GROUP, list(ACTION), list(address(0), wallet));
        assertCan(key, ACTION, looseWallet, true, true);
        assertCan(key, ACTION, noWallet, true, false);
        by(writer).registerWalletDerivation(account, noWallet, pathOf(3), NAME, DESCRIPTION);
        assertCan(key, ACTION, noWallet, true, true);
    }

    function test_EventCarriesTheMasterHashWhenCalledByUsageKey() external inBothModes {
        setKey(almightyKey(key));
        expectEvent();
        emit IWalletWrites.PkpAddedToGroup(account, GROUP, looseWallet);
        by(writer).addPkpToGroup(key, GROUP, looseWallet);
    }

    function test_MemberAgainChangesNothing() external inBothModes {
        by(writer).addPkpToGroup(account, GROUP, wallet);
        assertEvents(0);
        assertGroup(GROUP, list(ACTION), list(wallet));
    }

    /// No membership is taken for another field of the wallet's word.
    function test_PathStays() external inBothModes {
        addGroupsUpTo(64);
        uint256 path = accountConfig.getWalletDerivation(account, looseWallet);
        // From 32 on, so that the lowest bit of the first window is set too.
        for (uint256 i; i < 64; ++i) {
            by(writer).addPkpToGroup(account, (i + 31) % 64 + 1, looseWallet);
            vm.assertEq(accountConfig.getWalletDerivation(account, looseWallet), path);
        }
    }

    function test_GroupsOfEveryPage() external {
        addGroupsUpTo(520);
        for (uint256 id = 62; id <= 520; id += 31) {
            by(payer).addActionToGroup(MANAGED, id, ACTION);
            by(payer).addPkpToGroup(MANAGED, id, looseWallet);
            UsageKey memory k = newKey(key);
            k.executeInGroups = list(GROUP, id);
            setKey(k);
            assertCan(key, ACTION, looseWallet, true, true);
            k.executeInGroups = list(GROUP, id - 1);
            setKey(k);
            assertCan(key, ACTION, looseWallet, true, false);
        }
    }

    /// Rule 7: a group holds wallets of its own account only.
    function test_RevertGiven_ForeignWallet() external {
        by(payer).registerWalletDerivation(MANAGED, noWallet, pathOf(3), NAME, DESCRIPTION);
        expectRevert(IErrors.PkpDoesNotExist.selector, SECURED, GROUP, noWallet);
        by(admin).addPkpToGroup(SECURED, GROUP, noWallet);
    }

    function test_RevertGiven_NoWallet() external inBothModes {
        expectRevert(IErrors.PkpDoesNotExist.selector, account, GROUP, noWallet);
        by(writer).addPkpToGroup(account, GROUP, noWallet);
        by(writer).removeWalletDerivation(account, looseWallet);
        expectRevert(IErrors.PkpDoesNotExist.selector, account, GROUP, looseWallet);
        by(writer).addPkpToGroup(account, GROUP, looseWallet);
    }

    function test_RevertGiven_NoGroup() external inBothModes {
        expectRevert(IErrors.GroupDoesNotExist.selector, account, NO_GROUP);
        by(writer).addPkpToGroup(account, NO_GROUP, wallet);
        expectRevert(IErrors.GroupDoesNotExist.selector, account, 0);
        by(writer).addPkpToGroup(account, 0, wallet);
        by(writer).removeGroup(account, EMPTY_GROUP);
        expectRevert(IErrors.GroupDoesNotExist.selector, account, EMPTY_GROUP);
        by(writer).addPkpToGroup(account, EMPTY_GROUP, wallet);
    }
}
