// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IAccountWrites } from "../../contracts/interfaces/IAccountWrites.sol";
import { IActionWrites } from "../../contracts/interfaces/IActionWrites.sol";
import { IGroupWrites } from "../../contracts/interfaces/IGroupWrites.sol";
import { IUsageKeyWrites } from "../../contracts/interfaces/IUsageKeyWrites.sol";
import { IViewsFacet } from "../../contracts/interfaces/IViewsFacet.sol";
import { IWalletWrites } from "../../contracts/interfaces/IWalletWrites.sol";
import { GasTest } from "./GasTest.sol";

/// @notice Rule 12: the gas of a call does not depend on the size of the account or of the contract.
///
/// Every write is measured at 1, 100 and 5,000 groups, usage keys, actions, wallets and accounts: equal within 5 %, which is the cost
/// of moving a window to a new block. Action `i` and wallet `i` are in group `i`, in which key `i` may execute; action 0 and wallet 0
/// are in all groups.
/// forge-config: default.isolate = true
contract ConstantCost is GasTest {
    uint256[] private sizes = [1, 100, 5000];
    /// The rows that are measured after the contract was filled.
    uint256 private constant NEW = 1_000_000;
    uint256 private constant SECOND = 500_000;

    bytes[] private batch;
    uint256 private filled;

    // ------------------------------------------------------------------------------------------------- filling

    function _queue(bytes memory data) private {
        batch.push(data);
        if (batch.length == 50) _flush();
    }

    function _flush() private {
        by(payer).multicall(batch);
        delete batch;
    }

    /// @notice Grows everything to `size`. The measured account is not one of test/utils, which are not empty.
    function _fillTo(uint256 size) private {
        if (filled == 0) {
            account = keyAt(NEW);
            by(payer).newAccount(account, true, LABEL, TEXT, accountKeyAddress);
            // The second item is in no group. It shares a word of keys with the first one, at every size.
            for (uint256 i; i < 2; ++i) {
                _queue(abi.encodeCall(IActionWrites.addAction, (account, "", "", actionAt(SECOND * i))));
                _queue(
                    abi.encodeCall(
                        IWalletWrites.registerWalletDerivation,
                        (account, walletAt(SECOND * i), pathOf(NEW + SECOND * i), "", "")
                    )
                );
            }
        }
        for (uint256 i = filled + 1; i <= size; ++i) {
            _queue(
                abi.encodeCall(
                    IAccountWrites.newAccount, (uint256(keccak256(abi.encode(i))), true, "", "", stranger)
                )
            );
            _queue(abi.encodeCall(IActionWrites.addAction, (account, "", "", actionAt(i))));
            _queue(
                abi.encodeCall(
                    IWalletWrites.registerWalletDerivation, (account, walletAt(i), pathOf(NEW + i), "", "")
                )
            );
            _queue(
                abi.encodeCall(
                    IGroupWrites.addGroup,
                    (account, "", "", list(actionAt(0), actionAt(i)), list(walletAt(0), walletAt(i)))
                )
            );
            UsageKey memory k = newKey(keyAt(i));
            k.executeInGroups = list(i);
            _queue(encodeSetKey(k));
        }
        _flush();
        filled = size;
        (uint256 keys, uint256 groups, uint256 pkps, uint256 actions) = accountConfig.listSizes(account);
        vm.assertEq(keys, size);
        vm.assertEq(groups, size);
        vm.assertEq(pkps, size + 2);
        vm.assertEq(actions, size + 2);
        vm.assertLt(size, accountConfig.accountCount());
    }

    // --------------------------------------------------------------------------------------------------- calls

    /// @return names The measured operations.
    /// @return costs The gas of each, at the present size. The last group, key, action and wallet are used, next to new ones.
    function _measure() private returns (string[] memory names, uint256[] memory costs) {
        names = new string[](40);
        costs = new uint256[](40);
        uint256 n;
        (names[n], costs[n++]) =
        (
            "newAccount",
            send(payer, abi.encodeCall(IAccountWrites.newAccount, (NEW, true, LABEL, TEXT, stranger)))
        );
        (names[n], costs[n++]) =
        (
            "newChainSecuredAccount",
            send(stranger, abi.encodeCall(IAccountWrites.newChainSecuredAccount, (LABEL, TEXT)))
        );
        (names[n], costs[n++]) =
        (
            "addGroup, empty",
            send(payer, abi.encodeCall(IGroupWrites.addGroup, (account, LABEL, TEXT, list(), wallets())))
        );
        UsageKey memory k = newKey(keyAt(0));
        (k.name, k.description) = (LABEL, TEXT);
        (names[n], costs[n++]) = ("setUsageApiKey, no groups", send(payer, encodeSetKey(k)));
        k.usageApiKeyHash = keyAt(NEW + 1);
        k.executeInGroups = list(filled);
        k.manageIPFSIdsInGroups = list(filled, filled + 1);
        (names[n], costs[n++]) = ("setUsageApiKey, the last group", send(payer, encodeSetKey(k)));
        k.usageApiKeyHash = keyAt(filled);
        k.addPkpToGroups = list(filled);
        (names[n], costs[n++]) = ("setUsageApiKey, the last key updated", send(payer, encodeSetKey(k)));
        // Alone: with groups of other pages, a wildcard costs 1,900 more.
        (k.manageIPFSIdsInGroups, k.addPkpToGroups, k.executeInGroups) = (list(), list(), list());
        k.removePkpFromGroups = list(0);
        (names[n], costs[n++]) = ("setUsageApiKey, with a wildcard", send(payer, encodeSetKey(k)));
        k.manageIPFSIdsInGroups = list(filled, filled + 1);
        setKey(k);
        (names[n], costs[n++]) =
        (
            "updateUsageApiKeyMetadata",
            send(
                payer,
                abi.encodeCall(
                    IUsageKeyWrites.updateUsageApiKeyMetadata, (account, keyAt(filled), LABEL, TEXT)
                )
            )
        );
        uint256 gas =
            send(payer, abi.encodeCall(IActionWrites.addAction, (account, LABEL, TEXT, actionAt(NEW))));
        // Two actions, and two wallets, share a slot: the first of two pays for it.
        (names[n], costs[n++]) =
        (
            "addAction, twice",
            gas
                + send(
                    payer, abi.encodeCall(IActionWrites.addAction, (account, LABEL, TEXT, actionAt(NEW + 1)))
                )
        );
        gas = send(
            payer,
            abi.encodeCall(
                IWalletWrites.registerWalletDerivation, (account, walletAt(NEW), pathOf(1 << 90), LABEL, TEXT)
            )
        );
        (names[n], costs[n++]) =
        (
            "registerWalletDerivation, twice",
            gas
                + send(
                    payer,
                    abi.encodeCall(
                        IWalletWrites.registerWalletDerivation,
                        (account, walletAt(NEW + 1), pathOf((1 << 90) + 1), LABEL, TEXT)
                    )
                )
        );
        (names[n], costs[n++]) =
        (
            "addActionToGroup, new action, new group",
            send(payer, abi.encodeCall(IActionWrites.addActionToGroup, (account, filled + 1, actionAt(NEW))))
        );
        (names[n], costs[n++]) =
        (
            "addPkpToGroup, new wallet, new group",
            send(payer, abi.encodeCall(IWalletWrites.addPkpToGroup, (account, filled + 1, walletAt(NEW))))
        );
        (names[n], costs[n++]) =
        (
            "addActionToGroup, through a usage key",
            send(
                payer,
                abi.encodeCall(IActionWrites.addActionToGroup, (keyAt(filled), filled + 1, actionAt(NEW + 1)))
            )
        );
        (names[n], costs[n++]) =
        (
            "updateActionMetadata",
            send(
                payer,
                abi.encodeCall(
                    IActionWrites.updateActionMetadata, (account, actionAt(NEW), filled + 1, LABEL, TEXT)
                )
            )
        );
        (names[n], costs[n++]) =
        (
            "removeActionFromGroup, new group",
            send(
                payer,
                abi.encodeCall(IActionWrites.removeActionFromGroup, (account, filled + 1, actionAt(NEW)))
            )
        );
        (names[n], costs[n++]) =
        (
            "removePkpFromGroup, new group",
            send(
                payer, abi.encodeCall(IWalletWrites.removePkpFromGroup, (account, filled + 1, walletAt(NEW)))
            )
        );
        (names[n], costs[n++]) =
        (
            "addGroup, the last action and wallet",
            send(
                payer,
                abi.encodeCall(
                    IGroupWrites.addGroup,
                    (account, LABEL, TEXT, list(actionAt(filled)), list(walletAt(filled)))
                )
            )
        );
        (names[n], costs[n++]) =
        (
            "updateGroup, to the new action and wallet",
            send(
                payer,
                abi.encodeCall(
                    IGroupWrites.updateGroup,
                    (account, filled + 2, LABEL, TEXT, list(actionAt(NEW)), list(walletAt(NEW)))
                )
            )
        );
        (names[n], costs[n++]) =
        (
            "addActionToGroup, a member of another group",
            send(
                payer, abi.encodeCall(IActionWrites.addActionToGroup, (account, filled + 2, actionAt(filled)))
            )
        );
        (names[n], costs[n++]) =
        (
            "updateGroupMetadata",
            send(payer, abi.encodeCall(IGroupWrites.updateGroupMetadata, (account, filled, LABEL, TEXT)))
        );
        (names[n], costs[n++]) =
        (
            "removeAction, in one group",
            send(payer, abi.encodeCall(IActionWrites.removeAction, (account, actionAt(filled))))
        );
        (names[n], costs[n++]) =
        (
            "removeWalletDerivation, in one group",
            send(payer, abi.encodeCall(IWalletWrites.removeWalletDerivation, (account, walletAt(filled))))
        );
        (names[n], costs[n++]) =
        (
            "removeAction, in all groups",
            send(payer, abi.encodeCall(IActionWrites.removeAction, (account, actionAt(0))))
        );
        (names[n], costs[n++]) =
        (
            "removeWalletDerivation, in all groups",
            send(payer, abi.encodeCall(IWalletWrites.removeWalletDerivation, (account, walletAt(0))))
        );
        (names[n], costs[n++]) =
        ("removeGroup", send(payer, abi.encodeCall(IGroupWrites.removeGroup, (account, filled))));
        (names[n], costs[n++]) =
        (
            "removeUsageApiKey",
            send(payer, abi.encodeCall(IUsageKeyWrites.removeUsageApiKey, (account, keyAt(filled))))
        );
        (names[n], costs[n++]) =
        (
            "removeAllUsageApiKeys",
            send(payer, abi.encodeCall(IUsageKeyWrites.removeAllUsageApiKeys, (account)))
        );
        (names[n], costs[n++]) =
        (
            "convertToChainSecuredAccount",
            send(payer, abi.encodeCall(IAccountWrites.convertToChainSecuredAccount, (account, newAdmin)))
        );
        (names[n], costs[n++]) =
        (
            "transferChainSecuredAccountOwnership",
            send(
                newAdmin,
                abi.encodeCall(IAccountWrites.transferChainSecuredAccountOwnership, (account, noWallet))
            )
        );
        // memory-safe: shortens arrays that were allocated here.
        assembly ("memory-safe") {
            mstore(names, n)
            mstore(costs, n)
        }
    }

    function test_CostsDoNotGrow() external {
        uint256[][] memory costs = new uint256[][](sizes.length);
        string[] memory names;
        for (uint256 i; i < sizes.length; ++i) {
            _fillTo(sizes[i]);
            uint256 snapshot = vm.snapshotState();
            _checksStayWithinTheirBounds();
            vm.revertToState(snapshot);
            snapshot = vm.snapshotState();
            (names, costs[i]) = _measure();
            vm.revertToState(snapshot);
            if (sizes[i] != 1) _farMembersCostTwoSlotsMore();
        }
        for (uint256 call; call < names.length; ++call) {
            for (uint256 i = 1; i < sizes.length; ++i) {
                vm.assertApproxEqRel(costs[i][call], costs[0][call], 0.05e18, names[call]);
            }
        }
    }

    /// @notice The cost outside the windows of both the group and the action: 22,100 gas for a word of 256 each, and
    /// 2,200 for each member that joins one.
    function _farMembersCostTwoSlotsMore() private {
        uint256 snapshot = vm.snapshotState();
        by(payer).addGroup(account, "", "", list(), wallets());
        by(payer).addAction(account, "", "", actionAt(NEW));
        bytes memory data = abi.encodeCall(IActionWrites.addActionToGroup, (account, 1, actionAt(NEW)));
        vm.assertLe(send(payer, data), 45_000 + 23_000, "outside of the group's window");
        data = abi.encodeCall(IActionWrites.addActionToGroup, (account, filled + 1, actionAt(1)));
        vm.assertLe(send(payer, data), 45_000 + 23_000, "outside of the action's window");
        data = abi.encodeCall(IActionWrites.addActionToGroup, (account, filled, actionAt(1)));
        vm.assertLe(send(payer, data), 45_000 + 5_000, "in words that are there");
        vm.revertToState(snapshot);
    }

    function _checksStayWithinTheirBounds() private {
        UsageKey memory k = newKey(NEW);
        k.executeInGroups = list(0);
        setKey(k);
        uint256 last = filled;
        for (uint256 i; i < 4; ++i) {
            (uint256 cidHash, address pkpId) = (actionAt(last * (i & 1)), walletAt(last * (i >> 1)));
            _checkWithin(keyAt(last), cidHash, pkpId, 100_000);
            _checkWithin(NEW, cidHash, pkpId, 120_000);
        }
    }

    function _checkWithin(uint256 usageHash, uint256 cidHash, address pkpId, uint256 bound) private {
        bytes memory data =
            abi.encodeCall(IViewsFacet.canExecuteActionAndUseWallet, (usageHash, cidHash, pkpId));
        vm.assertLe(send(stranger, data), bound, vm.toString(filled));
        assertCan(usageHash, cidHash, pkpId, true, true);
        data = abi.encodeCall(IViewsFacet.explainExecution, (usageHash, cidHash, pkpId));
        vm.assertLe(send(stranger, data), bound, vm.toString(filled));
    }
}
