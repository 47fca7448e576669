// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IActionWrites } from "../../contracts/interfaces/IActionWrites.sol";
import { IWalletWrites } from "../../contracts/interfaces/IWalletWrites.sol";
import { StorageAccess } from "../storage/StorageAccess.sol";
import { GasTest } from "./GasTest.sol";

/// @notice Arrangements of an account that decide about the gas of a call, each described by a number: its genes.
abstract contract Shapes is GasTest, StorageAccess {
    /// The group of the calls, in a block of 32 and a word of 256 of its own.
    uint256 internal constant G = 3000;
    /// Groups that fill the two windows of an item, and one in the word of 256 of G.
    uint256[3] private fillers = [uint256(40), 400, 2900];
    /// Groups of which some are removed, in a word each.
    uint256[6] private others = [uint256(600), 900, 1200, 1500, 1800, 2100];

    /// A gene chooses one of four arrangements.
    uint256 internal constant GENES = 12;
    uint256 private constant DISTANCE = 0; // of the indices of the items
    uint256 private constant ITEM_WINDOWS = 1; // groups that every item is in
    uint256 private constant GROUP_WINDOWS = 2; // items that G has in windows
    uint256 private constant GROUP_WORDS = 3; // neighbours that G has outside its windows
    uint256 internal constant MEMBERS = 4; // of G that are replaced
    uint256 private constant REMOVED = 5; // groups
    uint256 private constant STALE = 6; // groups
    uint256 private constant HASH = 7; // that names the account
    uint256 private constant EVERY = 8; // whether "every" is among the items
    uint256 internal constant KEY_PAGES = 9; // distance of the pages of a key's groups
    uint256 internal constant KEY_ORDER = 10; // of its groups
    uint256 internal constant CHURN = 11; // words of G whose members left

    uint256 internal genes;
    /// The account by the hash of the shape.
    uint256 internal hash;

    /// @notice The items of the calls: 10 that are added to G, 10 members of it, 4 that fill its windows and words.
    uint256 internal constant ADDED = 1;
    uint256 internal constant REPLACED = 11;
    uint256 private constant FILLING = 21;
    uint256 private constant CHURNED = 25;

    function gene(uint256 number) internal view returns (uint256) {
        return (genes >> (2 * number)) & 3;
    }

    function setUp() public virtual override {
        super.setUp();
        enterManaged();
        addGroupAs(fillers[0], list(), wallets());
        addGroupAs(fillers[1], list(), wallets());
        for (uint256 i; i < others.length; ++i) {
            addGroupAs(others[i], list(), wallets());
        }
        addGroupAs(fillers[2], list(), wallets());
        addGroupAs(2901, list(), wallets());
        addGroupAs(2902, list(), wallets());
        addGroupAs(G, list(), wallets());
        store(slotAt(MASTERS, refOf(MANAGED)), MASTER_GROUPS, 40_000);
    }

    /// @notice Adds action and wallet number `i`, at an index that depends on the shape.
    function _addItem(uint256 i) private {
        uint256[4] memory distances = [uint256(1), 33, 129, 300];
        uint256 index = 1000 + i * distances[gene(DISTANCE)];
        if (i >= FILLING && i < CHURNED) {
            // The first two fill windows. The others are beside the first item of the calls.
            index = i < FILLING + 2 ? 200 + 300 * (i - FILLING) : 1000 + distances[gene(DISTANCE)] + i;
        }
        store(slotAt(ENTRIES, MANAGED), ACCOUNT_ACTIONS, index - 1);
        store(slotAt(ENTRIES, MANAGED), ACCOUNT_WALLETS, index - 1);
        by(payer).addAction(MANAGED, "", "", actionAt(i));
        by(payer).registerWalletDerivation(MANAGED, walletAt(i), pathOf(1 << 64 | i), "", "");
    }

    function _add(uint256 groupId, uint256 first) private {
        by(payer).addToGroup(MANAGED, groupId, added(first), addedWallets(first));
    }

    /// @notice The actions from number `first` on, "every" in the place of the last one in some shapes.
    function added(uint256 first) internal view returns (uint256[] memory hashes) {
        hashes = actionsFrom(first);
        if (gene(EVERY) == first % 4) hashes[9] = 0;
    }

    function addedWallets(uint256 first) internal view returns (address[] memory pkpIds) {
        pkpIds = walletsFrom(first);
        if (gene(EVERY) == first % 4) pkpIds[9] = address(0);
    }

    function arrange(uint256 genes_) internal {
        genes = genes_;
        for (uint256 i = 1; i < CHURNED; ++i) {
            _addItem(i);
        }
        store(slotAt(ENTRIES, MANAGED), ACCOUNT_ACTIONS, 60_000);
        store(slotAt(ENTRIES, MANAGED), ACCOUNT_WALLETS, 60_000);
        for (uint256 i; i < gene(ITEM_WINDOWS); ++i) {
            _add(fillers[i], ADDED);
            _add(fillers[i], REPLACED);
        }
        for (uint256 i; i < gene(GROUP_WINDOWS) && i < 2; ++i) {
            by(payer).addToGroup(MANAGED, G, list(actionAt(FILLING + i)), list(walletAt(FILLING + i)));
        }
        for (uint256 i; i < gene(GROUP_WORDS) && i < 2; ++i) {
            by(payer).addToGroup(MANAGED, G, list(actionAt(FILLING + 2 + i)), list(walletAt(FILLING + 2 + i)));
        }
        if (gene(MEMBERS) != 0) _add(G, REPLACED);
        _churn();
        for (uint256 i; i < 2 * gene(REMOVED); ++i) {
            by(payer).removeGroup(MANAGED, others[i]);
        }
        if (gene(STALE) > 1) {
            store(slotAt(STALE_GROUPS, refOf(MANAGED)), put(FIRST_STALE, 2901) | put(SECOND_STALE, 2902));
        }
        hash = MANAGED;
        if (gene(HASH) < 2) return;
        convert();
        if (gene(HASH) == 3) hash = identity(newAdmin);
    }

    function _churn() private {
        for (uint256 i; i < 20 * gene(CHURN); ++i) {
            store(slotAt(ENTRIES, MANAGED), ACCOUNT_ACTIONS, 10_000 + 300 * i);
            by(payer).addActionToGroup(MANAGED, G, actionAt(CHURNED + i));
            by(payer).removeActionFromGroup(MANAGED, G, actionAt(CHURNED + i));
        }
    }

    /// @notice Five groups in each list of a key.
    /// @param round Other groups in each round.
    function keyOf(uint256 usageHash, uint256 round) internal view returns (UsageKey memory k) {
        k = newKey(usageHash);
        (k.accountApiKeyHash, k.name, k.description, k.expiration) = (hash, LABEL, TEXT, NOW + 1000 + round);
        k.manageIPFSIdsInGroups = _keyGroups(round, 0);
        k.addPkpToGroups = _keyGroups(round, 1);
        k.removePkpFromGroups = _keyGroups(round, 2);
        k.executeInGroups = _keyGroups(round, 3);
    }

    function _keyGroups(uint256 round, uint256 list_) private view returns (uint256[] memory groups) {
        groups = new uint256[](5);
        uint256[4] memory distances = [uint256(1), 64, 128, 256];
        for (uint256 i; i < 5; ++i) {
            // Interleaved or one list after the other, and the same groups in every list.
            uint256 place = gene(KEY_ORDER) == 0 ? i : gene(KEY_ORDER) == 1 ? 4 * i + list_ : 5 * list_ + i;
            if (gene(KEY_ORDER) == 3) place = 19 - place;
            groups[i] = 3100 + round + (place + 20 * round) * distances[gene(KEY_PAGES)];
        }
    }
}
