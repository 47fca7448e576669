// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IActionWrites } from "../../contracts/interfaces/IActionWrites.sol";
import { IGroupWrites } from "../../contracts/interfaces/IGroupWrites.sol";
import { IMemberWrites } from "../../contracts/interfaces/IMemberWrites.sol";
import { IViewsFacet } from "../../contracts/interfaces/IViewsFacet.sol";
import { IWalletWrites } from "../../contracts/interfaces/IWalletWrites.sol";
import { GasTest } from "./GasTest.sol";

/// @notice Rule 19: the gas of a cold check and of a cold page, in the worst arrangement of memberships.
///
/// A check may read up to five words for each 256 groups: the groups of the action, of "every action", of the wallet and of
/// "every wallet", and the removed groups. Each of the words here holds a group that permits the action, one that permits
/// every action, one that permits the wallet, one that permits every wallet, and a removed one that permitted both. No live group
/// permits both, so that a check reads on.
/// forge-config: default.isolate = true
contract WorstCase is GasTest {
    uint256 private constant FIRST = 1_000_000;
    uint256 private constant PAGE = 1000;
    uint256 private constant PAGE_LIMIT = 25_000_000;
    uint256 private constant WILDCARD_KEY = uint256(keccak256("wildcard key"));
    uint256 private constant GRANTED_KEY = uint256(keccak256("granted key"));

    /// The number of the action and of the wallet of the checks.
    uint256 private constant ITEM = 1000;
    /// The members of a group that were removed.
    uint256 private constant STALE = 9000;

    bytes[] private batch;
    uint256[] private granted;
    uint256[] private staleGroups;

    function setUp() public override {
        super.setUp();
        enterManaged();
        account = keyAt(FIRST);
        by(payer).newAccount(account, true, LABEL, TEXT, accountKeyAddress);
    }

    // ------------------------------------------------------------------------------------------------- filling

    function _queue(bytes memory data) private {
        batch.push(data);
        if (batch.length == 50) _flush();
    }

    function _flush() private {
        by(payer).multicall(batch);
        delete batch;
    }

    function _addItems(uint256 from, uint256 to) private {
        for (uint256 i = from; i < to; ++i) {
            _queue(abi.encodeCall(IActionWrites.addAction, (account, "", "", actionAt(i))));
            _queue(
                abi.encodeCall(
                    IWalletWrites.registerWalletDerivation, (account, walletAt(i), pathOf(FIRST + i), "", "")
                )
            );
        }
        _flush();
    }

    function _addGroups(uint256 last) private {
        (, uint256 count,,) = accountConfig.listSizes(account);
        for (; count < last; ++count) {
            _queue(abi.encodeCall(IGroupWrites.addGroup, (account, "", "", list(), wallets())));
        }
        _flush();
    }

    /// @notice Permits actions and wallets in a group, 0 for "every".
    function _permit(uint256 groupId, uint256[] memory actions, address[] memory pkps) private {
        by(payer).addToGroup(account, groupId, actions, pkps);
    }

    // -------------------------------------------------------------------------------------------------- checks

    function _action() private pure returns (uint256) {
        return actionAt(ITEM);
    }

    function _wallet() private pure returns (address) {
        return walletAt(ITEM);
    }

    /// @notice The items lose their first memberships when they are removed, and get new indices.
    function _addItemsAgain() private {
        _addItems(1, ITEM + 1);
        _addGroups(64);
        for (uint256 groupId = 1; groupId <= 64; ++groupId) {
            _permit(groupId, list(_action()), list(_wallet()));
        }
        by(payer).removeAction(account, _action());
        by(payer).removeWalletDerivation(account, _wallet());
        _addItems(ITEM, ITEM + 1);
    }

    /// @notice Fills the two windows of each set, so that the other groups are outside.
    function _fillWindows() private {
        for (uint256 groupId = 10; groupId < 64; groupId += 32) {
            _permit(groupId, list(_action()), wallets());
            _permit(groupId + 1, list(0), wallets());
            _permit(groupId + 2, list(), list(_wallet()));
            _permit(groupId + 3, list(), list(address(0)));
            by(payer).removeGroup(account, groupId + 4);
        }
    }

    /// @notice Two groups that the items' side still names. Other members of theirs may be in the words of 256 of the items.
    function _addStaleGroups() private {
        for (uint256 groupId = 120; groupId < 400; groupId += 256) {
            _permit(groupId, list(actionAt(600), actionAt(650)), list(walletAt(600), walletAt(650)));
            _permit(groupId, list(0, _action()), list(address(0), _wallet()));
            for (uint256 i = 300; i < 310; ++i) {
                _permit(groupId, list(actionAt(i)), list(walletAt(i)));
            }
            uint256[] memory actions = new uint256[](4);
            address[] memory pkps = new address[](4);
            uint256[4] memory others = [uint256(600), 650, 800, 40];
            for (uint256 i; i < 4; ++i) {
                (actions[i], pkps[i]) = (actionAt(others[i]), walletAt(others[i]));
            }
            by(payer).updateGroup(account, groupId, "", "", actions, pkps);
            staleGroups.push(groupId);
        }
    }

    /// @notice The arrangement of this contract's comment, with the match in the last group.
    function _arrange(uint256 groups) private {
        _addItemsAgain();
        _addGroups(groups);
        _fillWindows();
        _addStaleGroups();
        granted = staleGroups;
        for (uint256 first; first + 105 < groups; first += 256) {
            _permit(first + 100, list(_action()), wallets());
            _permit(first + 101, list(0), wallets());
            _permit(first + 102, list(), list(_wallet()));
            _permit(first + 103, list(), list(address(0)));
            _permit(first + 104, list(_action()), list(_wallet()));
            granted.push(first + 104);
        }
        // The last group has the items outside its windows.
        _permit(groups, list(actionAt(600), actionAt(650)), list(walletAt(600), walletAt(650)));
        _permit(groups, list(_action()), list(_wallet()));
        // Each page of 64 groups costs a word of its own.
        for (uint256 first; granted.length < 49 && first + 200 < groups; first += 256) {
            granted.push(first + 200);
        }
        for (uint256 first; granted.length < 49 && first + 30 < groups; first += 256) {
            granted.push(first + 30);
        }
        granted.push(groups);
        UsageKey memory k = newKey(WILDCARD_KEY);
        k.executeInGroups = list(0);
        setKey(k);
        k = newKey(GRANTED_KEY);
        k.executeInGroups = granted;
        setKey(k);
        for (uint256 first; first + 105 < groups; first += 256) {
            by(payer).removeGroup(account, first + 104);
        }
    }

    function _checkCost(uint256 usageHash) private returns (uint256) {
        return send(
            stranger,
            abi.encodeCall(IViewsFacet.canExecuteActionAndUseWallet, (usageHash, _action(), _wallet()))
        );
    }

    function _checks(uint256 groups, uint256 wildcard, uint256 grants) private {
        _arrange(groups);
        string memory end = string.concat(", ", vm.toString(groups), " groups");
        assertCan(WILDCARD_KEY, _action(), _wallet(), true, true);
        assertCan(GRANTED_KEY, _action(), _wallet(), true, true);
        _within(_checkCost(WILDCARD_KEY), wildcard, string.concat("wildcard, match in the last group", end));
        _within(_checkCost(GRANTED_KEY), grants, string.concat("50 grants, match in the last group", end));
        by(payer).removePkpFromGroup(account, groups, _wallet());
        by(payer).removeActionFromGroup(account, groups, _action());
        assertCan(WILDCARD_KEY, _action(), _wallet(), true, false);
        assertCan(GRANTED_KEY, _action(), _wallet(), false, false);
        _within(_checkCost(WILDCARD_KEY), wildcard, string.concat("wildcard, no match", end));
        _within(_checkCost(GRANTED_KEY), grants, string.concat("50 grants, no match", end));
        _permit(staleGroups[0], list(_action()), wallets());
        assertCan(GRANTED_KEY, _action(), _wallet(), true, false);
        _within(_checkCost(GRANTED_KEY), grants, string.concat("50 grants, may run only", end));
    }

    function _within(uint256 gas, uint256 limit, string memory name) private {
        vm.assertLe(gas, limit, name);
        keep("gas-worst-views", name, gas);
    }

    function test_checks_1000Groups() external {
        _checks(1000, 150_000, 150_000);
    }

    /// Over the 350,000 of the rule: see docs/gas.md.
    function test_checks_10000Groups() external {
        _checks(10_000, 590_000, 735_000);
    }

    // --------------------------------------------------------------------------------------------------- pages

    /// 20 keys, each with groups in 200 pages of 64, and a removed group in each word of 256.
    function test_pageOfKeysAndGroups() external {
        _addGroups(12_800);
        UsageKey memory k;
        for (uint256 i; i < 20; ++i) {
            k = newKey(keyAt(i));
            (k.manageIPFSIdsInGroups, k.addPkpToGroups) = (_onPages(0, i), _onPages(50, i));
            (k.removePkpFromGroups, k.executeInGroups) = (_onPages(100, i), _onPages(150, i));
            setKey(k);
        }
        _within(send(payer, encodeSetKey(k)), 1_400_000, "setUsageApiKey, on 200 pages, the same again");
        for (uint256 groupId = 255; groupId < 12_800; groupId += 256) {
            by(payer).removeGroup(account, groupId);
        }
        uint256 gas = send(stranger, abi.encodeCall(IViewsFacet.listApiKeys, (account, 0, 20)));
        _within(gas, PAGE_LIMIT, "listApiKeys");
        assertKey(k);
        gas = send(stranger, abi.encodeCall(IViewsFacet.listGroups, (account, 11, PAGE)));
        _within(gas, PAGE_LIMIT, "listGroups");
    }

    function _onPages(uint256 page, uint256 i) private pure returns (uint256[] memory groups) {
        groups = new uint256[](50);
        for (uint256 j; j < 50; ++j) {
            groups[j] = 64 * (page + j) + 1 + i;
        }
    }

    /// A group with 1,000 members of each kind after 9,000 removed ones.
    function test_pagesOfItems() external {
        _addGroups(1);
        _addItems(1, STALE + PAGE + 1);
        for (uint256 i = 1; i <= STALE + PAGE; i += 10) {
            _queue(abi.encodeCall(IMemberWrites.addToGroup, (account, 1, actionsFrom(i), walletsFrom(i))));
        }
        _flush();
        _pages("the last of 10,000 members", 9, PAGE_LIMIT);
        _within(
            send(stranger, abi.encodeCall(IViewsFacet.listActions, (account, 9, PAGE))),
            PAGE_LIMIT,
            "listActions"
        );
        _within(
            send(stranger, abi.encodeCall(IViewsFacet.listPkps, (account, 9, PAGE))), PAGE_LIMIT, "listPkps"
        );
        for (uint256 i = 1; i <= STALE; ++i) {
            _queue(abi.encodeCall(IActionWrites.removeAction, (account, actionAt(i))));
            _queue(abi.encodeCall(IWalletWrites.removeWalletDerivation, (account, walletAt(i))));
        }
        _flush();
        _pages("after 9,000 removed members", 0, 41_000_000);
    }

    /// @param contents The limit of listGroupContents, which reads past the removed members of both kinds.
    function _pages(string memory name, uint256 page, uint256 contents) private {
        _within(
            send(stranger, abi.encodeCall(IViewsFacet.listWalletsInGroup, (account, 1, page, PAGE))),
            PAGE_LIMIT,
            string.concat("listWalletsInGroup, ", name)
        );
        _within(
            send(stranger, abi.encodeCall(IViewsFacet.listActionsInGroup, (account, 1, page, PAGE))),
            PAGE_LIMIT,
            string.concat("listActionsInGroup, ", name)
        );
        _within(
            send(stranger, abi.encodeCall(IViewsFacet.listGroupContents, (account, 1))),
            contents,
            string.concat("listGroupContents, ", name)
        );
    }
}
