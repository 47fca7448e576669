// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IGroupWrites } from "../../contracts/interfaces/IGroupWrites.sol";
import { ISignedWrites } from "../../contracts/interfaces/ISignedWrites.sol";
import { IViewsFacet } from "../../contracts/interfaces/IViewsFacet.sol";
import { GasTest } from "./GasTest.sol";

/// @notice The gas of each operation, called by an api payer on an account with 30 groups, 110 actions, 110 wallets and 11 usage
/// keys: at most its target, and within 1 % of the committed snapshots/gas.json. `npm run snapshot:gas`
/// rewrites that file.
/// forge-config: default.isolate = true
contract Gas is GasTest {
    uint256 private constant FRESH = uint256(keccak256("fresh"));

    /// @notice Compares the gas of the last call with the snapshot.
    function row(string memory name) private {
        row(name, used(), type(uint256).max);
    }

    /// @param must The most that the last call may cost.
    function row(string memory name, uint256 must) private {
        row(name, used(), must);
    }

    function row(string memory name, uint256 gas, uint256 must) private {
        vm.assertLe(gas, must, name);
        keep("gas", name, gas);
    }

    function setUp() public override {
        super.setUp();
        enterManaged();
        for (uint256 i = 1; i <= 108; ++i) {
            by(payer).addAction(MANAGED, LABEL, TEXT, actionAt(i));
            by(payer).registerWalletDerivation(MANAGED, walletAt(i), pathOf((FRESH >> 170) + i), LABEL, TEXT);
        }
        addGroupsUpTo(30);
        for (uint256 i = 1; i <= 10; ++i) {
            setKey(keyWithGroups(FRESH + i, list()));
        }
    }

    function keyWithGroups(uint256 usageHash, uint256[] memory groups)
        private
        view
        returns (UsageKey memory k)
    {
        k = newKey(usageHash);
        k.expiration = NOW + 1000;
        (k.name, k.description) = (LABEL, TEXT);
        k.manageIPFSIdsInGroups = groups;
        k.addPkpToGroups = groups;
        k.removePkpFromGroups = groups;
        k.executeInGroups = groups;
    }

    // ----------------------------------------------------------------------------------------------- accounts

    function test_newAccount() external {
        by(payer).newAccount(FRESH, true, LABEL, TEXT, stranger);
        row("newAccount", 86_000);
    }

    function test_newChainSecuredAccount() external {
        by(stranger).newChainSecuredAccount(LABEL, TEXT);
        row("newChainSecuredAccount", 83_000);
    }

    function test_convertToChainSecuredAccount() external {
        by(payer).convertToChainSecuredAccount(MANAGED, newAdmin);
        row("convertToChainSecuredAccount");
    }

    function test_transferChainSecuredAccountOwnership() external {
        by(admin).transferChainSecuredAccountOwnership(SECURED, newAdmin);
        row("transferChainSecuredAccountOwnership");
    }

    function test_rotateAccountKey() external {
        rotate(MANAGED, FRESH);
        row("rotateAccountKey");
    }

    function test_retireManagedAccount() external {
        retireManaged(MANAGED);
        row("retireManagedAccount");
    }

    /// The differences to the direct call: with a nonce in a fresh word, and with the next one.
    function test_executeSigned() external {
        uint256 snapshot = vm.snapshotState();
        bytes[] memory calls = new bytes[](1);
        calls[0] = abi.encodeCall(IGroupWrites.addGroup, (SECURED, LABEL, TEXT, list(), wallets()));
        uint256 direct = send(admin, calls[0]);
        vm.revertToState(snapshot);
        uint256 gas = _sendSigned(calls, FRESH);
        row("executeSigned of addGroup above the direct call, fresh word of nonces", gas - direct, 49_000);
        vm.revertToState(snapshot);
        _sendSigned(calls, FRESH ^ 1);
        snapshot = vm.snapshotState();
        direct = send(admin, calls[0]);
        vm.revertToState(snapshot);
        gas = _sendSigned(calls, FRESH);
        row("executeSigned of addGroup above the direct call, next nonce", gas - direct, 35_000);
    }

    function _sendSigned(bytes[] memory calls, uint256 nonce) private returns (uint256) {
        bytes32 digest = accountConfig.hashSignedWrites(SECURED, admin, calls, nonce, NOW + 60);
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(keyOf("admin"), digest);
        bytes memory signature = abi.encodePacked(r, s, v);
        return send(
            stranger,
            abi.encodeCall(ISignedWrites.executeSigned, (SECURED, admin, calls, nonce, NOW + 60, signature))
        );
    }

    // --------------------------------------------------------------------------------------------- usage keys

    function test_setUsageApiKey_noGroups() external {
        setKey(keyWithGroups(FRESH, list()));
        row("setUsageApiKey, no groups", 96_000);
    }

    function test_setUsageApiKey_oneExecuteGroup() external {
        UsageKey memory k = keyWithGroups(FRESH, list());
        k.executeInGroups = list(5);
        setKey(k);
        row("setUsageApiKey, 1 execute group", 99_000);
    }

    function test_setUsageApiKey_fiveGroupsInEachList() external {
        setKey(keyWithGroups(FRESH, range(1, 5)));
        row("setUsageApiKey, 5 groups in each of 4 lists", 131_000);
        setKey(keyWithGroups(FRESH, range(11, 5)));
        row("setUsageApiKey, the same key updated to other 5 x 4 groups", 70_000);
        UsageKey memory k = keyWithGroups(FRESH, range(21, 5));
        k.expiration = NOW + 2000;
        setKey(k);
        row("setUsageApiKey, the same with a new expiration too", 70_000);
    }

    function test_setUsageApiKey_twoPages() external {
        addGroupsUpTo(1700);
        setKey(keyWithGroups(FRESH, list(60, 61, 62, 64, 65)));
        row("setUsageApiKey, 4 lists on two pages of groups", 176_000);
        setKey(keyWithGroups(FRESH, list(70, 71, 128, 129, 130)));
        row("setUsageApiKey, 4 lists updated to other two pages of groups", 134_000);
        setKey(keyWithGroups(FRESH, list(72, 73, 140, 141, 142)));
        row("setUsageApiKey, 4 lists updated on their two pages of groups", 134_000);
        setKey(keyWithGroups(FRESH + 20, list(1598, 1599, 1600, 1601, 1602)));
        row("setUsageApiKey, 4 lists on two far pages of groups", 176_000);
        setKey(keyWithGroups(FRESH + 20, list(1662, 1663, 1664, 1665, 1666)));
        row("setUsageApiKey, 4 lists updated to other two far pages of groups", 134_000);
    }

    /// Each group of each list is in a page of its own.
    function test_setUsageApiKey_twentyPages() external {
        addGroupsUpTo(2660);
        setKey(_keyOnPages(0));
        row("setUsageApiKey, 5 groups in each of 4 lists, on 20 pages");
        setKey(_keyOnPages(0));
        row("setUsageApiKey, on 20 pages, the same again", 160_000);
        setKey(_keyOnPages(20));
        row("setUsageApiKey, on 20 pages, updated to other 20 pages", 450_000);
    }

    function _keyOnPages(uint256 page) private view returns (UsageKey memory k) {
        k = keyWithGroups(FRESH, list());
        uint256[][4] memory groups;
        for (uint256 i; i < 4; ++i) {
            groups[i] = new uint256[](5);
            for (uint256 j; j < 5; ++j) {
                groups[i][j] = 64 * (page + 5 * i + j) + 1 + page;
            }
        }
        (k.manageIPFSIdsInGroups, k.addPkpToGroups) = (groups[0], groups[1]);
        (k.removePkpFromGroups, k.executeInGroups) = (groups[2], groups[3]);
    }

    function list(uint256 a, uint256 b, uint256 c, uint256 d, uint256 e)
        private
        pure
        returns (uint256[] memory values)
    {
        values = new uint256[](5);
        (values[0], values[1], values[2], values[3], values[4]) = (a, b, c, d, e);
    }

    function test_updateUsageApiKeyMetadata() external {
        by(payer).updateUsageApiKeyMetadata(MANAGED, key, LABEL, TEXT);
        row("updateUsageApiKeyMetadata");
    }

    function test_removeUsageApiKey() external {
        by(payer).removeUsageApiKey(MANAGED, key);
        row("removeUsageApiKey", 41_000);
        setKey(keyWithGroups(key, list()));
        row("setUsageApiKey, a removed key again", 96_000);
    }

    function test_removeAllUsageApiKeys() external {
        by(payer).removeAllUsageApiKeys(MANAGED);
        row("removeAllUsageApiKeys");
    }

    // ------------------------------------------------------------------------------------------------- groups

    function test_addGroup_empty() external {
        by(payer).addGroup(MANAGED, LABEL, TEXT, list(), wallets());
        row("addGroup, empty", 75_000);
    }

    function test_addGroup_full() external {
        by(payer).addGroup(MANAGED, LABEL, TEXT, actionsFrom(1), walletsFrom(1));
        row("addGroup, 10 known CIDs and 10 wallets", 190_000);
    }

    function test_updateGroup() external {
        by(payer).addGroup(MANAGED, LABEL, TEXT, actionsFrom(1), walletsFrom(1));
        // The first membership of the new members elsewhere, as on a live account.
        by(payer).addGroup(MANAGED, LABEL, TEXT, actionsFrom(11), walletsFrom(11));
        by(payer).updateGroup(MANAGED, 31, LABEL, TEXT, actionsFrom(11), walletsFrom(11));
        row("updateGroup, 10/10 to other 10/10", 299_000);
    }

    /// Items that are known only to a group far from group 100.
    function test_groupContents_far() external {
        for (uint256 first = 1; first < 30; first += 10) {
            by(payer).addGroup(MANAGED, LABEL, TEXT, actionsFrom(first), walletsFrom(first));
        }
        addGroupsUpTo(99);
        by(payer).addGroup(MANAGED, LABEL, TEXT, actionsFrom(1), walletsFrom(1));
        row("addGroup as group 100, items known only to far groups", 600_000);
        by(payer).updateGroup(MANAGED, 100, LABEL, TEXT, actionsFrom(11), walletsFrom(11));
        row("updateGroup of group 100, items far apart, first time", 640_000);
        by(payer).updateGroup(MANAGED, 100, LABEL, TEXT, actionsFrom(1), walletsFrom(1));
        row("updateGroup of group 100, items far apart, back again", 420_000);
    }

    /// Items whose indices are far apart too, each known to another far group.
    function test_groupContents_farIndices() external {
        addGroupsUpTo(99);
        for (uint256 i; i < 20; ++i) {
            by(payer).addActionToGroup(MANAGED, 1 + 4 * i, actionAt(1 + 5 * i));
            by(payer).addPkpToGroup(MANAGED, 1 + 4 * i, walletAt(1 + 5 * i));
        }
        (uint256[] memory cids, address[] memory pkps) = _everyTenth(1);
        (uint256[] memory otherCids, address[] memory otherPkps) = _everyTenth(6);
        by(payer).addGroup(MANAGED, LABEL, TEXT, cids, pkps);
        row("addGroup as group 100, items of far indices known only to far groups", 600_000);
        by(payer).updateGroup(MANAGED, 100, LABEL, TEXT, otherCids, otherPkps);
        row("updateGroup of group 100, items of far indices, first time", 640_000);
        by(payer).updateGroup(MANAGED, 100, LABEL, TEXT, cids, pkps);
        row("updateGroup of group 100, items of far indices, back again", 420_000);
    }

    function _everyTenth(uint256 first) private pure returns (uint256[] memory cids, address[] memory pkps) {
        (cids, pkps) = (new uint256[](10), new address[](10));
        for (uint256 i; i < 10; ++i) {
            (cids[i], pkps[i]) = (actionAt(first + 10 * i), walletAt(first + 10 * i));
        }
    }

    function test_updateGroupMetadata() external {
        by(payer).updateGroupMetadata(MANAGED, GROUP, LABEL, TEXT);
        row("updateGroupMetadata");
    }

    function test_removeGroup() external {
        by(payer).removeGroup(MANAGED, GROUP);
        row("removeGroup", 41_000);
    }

    // ------------------------------------------------------------------------------------- actions and wallets

    function test_addAction() external {
        by(payer).addAction(MANAGED, LABEL, TEXT, FRESH);
        row("addAction, odd", 93_000);
        by(payer).addAction(MANAGED, LABEL, TEXT, FRESH + 1);
        row("addAction, even", 93_000);
    }

    function test_updateActionMetadata() external {
        by(payer).updateActionMetadata(MANAGED, ACTION, GROUP, LABEL, TEXT);
        row("updateActionMetadata");
    }

    function test_addActionToGroup() external {
        by(payer).addActionToGroup(MANAGED, 5, actionAt(7));
        row("addActionToGroup, known action", 45_000);
        by(payer).removeActionFromGroup(MANAGED, 5, actionAt(7));
        row("removeActionFromGroup");
    }

    function test_addPkpToGroup() external {
        by(payer).addPkpToGroup(MANAGED, 5, walletAt(7));
        row("addPkpToGroup, known wallet", 45_000);
        by(payer).removePkpFromGroup(MANAGED, 5, walletAt(7));
        row("removePkpFromGroup");
    }

    function test_removeAction_in100Groups() external {
        addGroupsUpTo(100);
        for (uint256 groupId = 1; groupId <= 100; ++groupId) {
            by(payer).addActionToGroup(MANAGED, groupId, actionAt(7));
        }
        by(payer).removeAction(MANAGED, actionAt(7));
        row("removeAction, in 100 groups", 46_000);
    }

    function test_registerWalletDerivation() external {
        by(payer).registerWalletDerivation(MANAGED, noWallet, pathOf((FRESH >> 170) + 1000), LABEL, TEXT);
        row("registerWalletDerivation, odd", 115_000);
        by(payer).registerWalletDerivation(MANAGED, stranger, pathOf((FRESH >> 170) + 1001), LABEL, TEXT);
        row("registerWalletDerivation, even", 98_000);
    }

    function test_registerWalletDerivation_chainSecured() external {
        enterSecured();
        by(admin).registerWalletDerivation(SECURED, noWallet, pathOf((FRESH >> 170) + 1000), LABEL, TEXT);
        row("registerWalletDerivation, ChainSecured, odd", 115_000);
        by(admin).registerWalletDerivation(SECURED, stranger, pathOf((FRESH >> 170) + 1001), LABEL, TEXT);
        row("registerWalletDerivation, ChainSecured, even", 98_000);
    }

    function test_registerWalletDerivation_converted() external {
        convert();
        uint256 path = pathOf((FRESH >> 170) + 1000);
        by(newAdmin).registerWalletDerivation(MANAGED, noWallet, path, LABEL, TEXT);
        row("registerWalletDerivation, converted, odd", 115_000);
        by(newAdmin).registerWalletDerivation(MANAGED, stranger, path + 1, LABEL, TEXT);
        row("registerWalletDerivation, converted, even", 98_000);
    }

    function test_removeWalletDerivation() external {
        by(payer).removeWalletDerivation(MANAGED, wallet);
        row("removeWalletDerivation");
    }

    // -------------------------------------------------------------------------------------------------- checks

    function test_canExecuteActionAndUseWallet() external {
        addGroupsUpTo(1000);
        by(payer).addActionToGroup(MANAGED, 1000, LOOSE_ACTION);
        by(payer).addPkpToGroup(MANAGED, 1000, looseWallet);
        UsageKey memory k = newKey(FRESH);
        k.executeInGroups = list(0);
        setKey(k);
        k = newKey(FRESH + 1);
        k.executeInGroups = list(1000);
        setKey(k);
        _check("match in the last of 1,000 groups", FRESH + 1, 52_000);
        _check("wildcard, match in the last of 1,000 groups", FRESH, 52_000);
        // Each of the two items in half of the groups, and both in the last only.
        k.executeInGroups = new uint256[](50);
        for (uint256 groupId = 1; groupId < 1000; ++groupId) {
            if (groupId % 2 == 0) by(payer).addActionToGroup(MANAGED, groupId, LOOSE_ACTION);
            else by(payer).addPkpToGroup(MANAGED, groupId, looseWallet);
        }
        for (uint256 i; i < 50; ++i) {
            k.executeInGroups[i] = 1000 - 20 * (49 - i);
        }
        setKey(k);
        _check("match in the last of 50 granted groups, 999 near misses", FRESH + 1, 100_000);
        _check("wildcard, match in the last of 1,000 groups, 999 near misses", FRESH, 120_000);
    }

    /// Removed groups that held the items are masked: reading them would cost 2,100 gas each.
    function test_canExecuteActionAndUseWallet_removedGroups() external {
        addGroupsUpTo(251);
        for (uint256 groupId = 31; groupId <= 251; ++groupId) {
            by(payer).addActionToGroup(MANAGED, groupId, LOOSE_ACTION);
            by(payer).addPkpToGroup(MANAGED, groupId, looseWallet);
            if (groupId != 251) by(payer).removeGroup(MANAGED, groupId);
        }
        UsageKey memory k = newKey(FRESH);
        k.executeInGroups = list(0);
        setKey(k);
        _check("wildcard, match in the last of 251 groups, 220 of them removed", FRESH, 120_000);
    }

    function _check(string memory name, uint256 usageHash, uint256 must) private {
        uint256 gas = send(
            stranger,
            abi.encodeCall(IViewsFacet.canExecuteActionAndUseWallet, (usageHash, LOOSE_ACTION, looseWallet))
        );
        row(string.concat("canExecuteActionAndUseWallet, ", name), gas, must);
        assertCan(usageHash, LOOSE_ACTION, looseWallet, true, true);
    }
}
