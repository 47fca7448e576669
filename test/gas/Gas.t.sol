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
        if (vm.envOr("UPDATE_SNAPSHOTS", uint256(0)) != 0) {
            vm.snapshotValue("gas", name, gas);
            return;
        }
        uint256 snapshot =
            vm.parseJsonUint(vm.readFile("snapshots/gas.json"), string.concat("['", name, "']"));
        vm.assertApproxEqRel(gas, snapshot, 0.01e18, name);
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
        row("newAccount", 112_000);
    }

    function test_newChainSecuredAccount() external {
        by(stranger).newChainSecuredAccount(LABEL, TEXT);
        row("newChainSecuredAccount", 108_000);
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
        by(payer).rotateAccountKey(MANAGED, FRESH);
        row("rotateAccountKey");
    }

    function test_retireAccount() external {
        by(payer).retireAccount(MANAGED);
        row("retireAccount");
    }

    /// The differences to the direct call: with a nonce in a fresh word, and with the next one.
    function test_executeSigned() external {
        uint256 snapshot = vm.snapshotState();
        bytes[] memory calls = new bytes[](1);
        calls[0] = abi.encodeCall(IGroupWrites.addGroup, (SECURED, LABEL, TEXT, list(), wallets()));
        uint256 direct = send(admin, calls[0]);
        vm.revertToState(snapshot);
        uint256 gas = _sendSigned(calls, FRESH);
        row("executeSigned of addGroup above the direct call, fresh word of nonces", gas - direct, 47_000);
        vm.revertToState(snapshot);
        _sendSigned(calls, FRESH ^ 1);
        snapshot = vm.snapshotState();
        direct = send(admin, calls[0]);
        vm.revertToState(snapshot);
        gas = _sendSigned(calls, FRESH);
        row("executeSigned of addGroup above the direct call, next nonce", gas - direct, 35_000);
    }

    function _sendSigned(bytes[] memory calls, uint256 nonce) private returns (uint256) {
        bytes32 digest = accountConfig.hashSignedWrites(SECURED, calls, nonce, NOW + 60);
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(keyOf("admin"), digest);
        bytes memory signature = abi.encodePacked(r, s, v);
        return send(
            stranger,
            abi.encodeCall(ISignedWrites.executeSigned, (SECURED, calls, nonce, NOW + 60, signature))
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
        row("setUsageApiKey, 1 execute group", 120_000);
    }

    function test_setUsageApiKey_fiveGroupsInEachList() external {
        setKey(keyWithGroups(FRESH, range(1, 5)));
        row("setUsageApiKey, 5 groups in each of 4 lists", 131_000);
        setKey(keyWithGroups(FRESH, range(11, 5)));
        row("setUsageApiKey, the same key updated to other 5 x 4 groups", 70_000);
    }

    function test_updateUsageApiKeyMetadata() external {
        by(payer).updateUsageApiKeyMetadata(MANAGED, key, LABEL, TEXT);
        row("updateUsageApiKeyMetadata");
    }

    function test_removeUsageApiKey() external {
        by(payer).removeUsageApiKey(MANAGED, key);
        row("removeUsageApiKey", 47_000);
    }

    // ------------------------------------------------------------------------------------------------- groups

    function test_addGroup_empty() external {
        by(payer).addGroup(MANAGED, LABEL, TEXT, list(), wallets());
        row("addGroup, empty", 75_000);
    }

    function test_addGroup_full() external {
        by(payer).addGroup(MANAGED, LABEL, TEXT, actionsFrom(1), walletsFrom(1));
        row("addGroup, 10 known CIDs and 10 wallets", 240_000);
    }

    function test_updateGroup() external {
        by(payer).addGroup(MANAGED, LABEL, TEXT, actionsFrom(1), walletsFrom(1));
        // The first membership of the new members elsewhere, as on a live account.
        by(payer).addGroup(MANAGED, LABEL, TEXT, actionsFrom(11), walletsFrom(11));
        by(payer).updateGroup(MANAGED, 31, LABEL, TEXT, actionsFrom(11), walletsFrom(11));
        row("updateGroup, 10/10 to other 10/10", 300_000);
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
        row("registerWalletDerivation, odd", 125_000);
        by(payer).registerWalletDerivation(MANAGED, stranger, pathOf((FRESH >> 170) + 1001), LABEL, TEXT);
        row("registerWalletDerivation, even", 125_000);
    }

    function test_registerWalletDerivation_chainSecured() external {
        enterSecured();
        by(admin).registerWalletDerivation(SECURED, noWallet, pathOf((FRESH >> 170) + 1000), LABEL, TEXT);
        row("registerWalletDerivation, ChainSecured");
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
        _check("match in the last of 1,000 groups", FRESH + 1, 100_000);
        _check("wildcard, match in the last of 1,000 groups", FRESH, 120_000);
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
