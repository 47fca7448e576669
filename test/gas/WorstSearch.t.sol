// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IActionWrites } from "../../contracts/interfaces/IActionWrites.sol";
import { IGroupWrites } from "../../contracts/interfaces/IGroupWrites.sol";
import { IMemberWrites } from "../../contracts/interfaces/IMemberWrites.sol";
import { IUsageKeyWrites } from "../../contracts/interfaces/IUsageKeyWrites.sol";
import { IWalletWrites } from "../../contracts/interfaces/IWalletWrites.sol";
import { Shapes } from "./Shapes.sol";

/// @notice The worst shape of each write of contents and usage keys, by a search that changes one gene of a shape after the other
/// and keeps the shape that costs more. snapshots/gas-worst.json and gas-worst-shapes.json have the worst ones: each is measured
/// again, and no shape of this run may cost more. `WORST_COUNT=N npm run snapshot:gas` searches and rewrites them.
/// forge-config: default.isolate = true
contract WorstSearch is Shapes {
    uint256 private constant FRESH = uint256(keccak256("fresh"));
    uint256 private seed = uint256(keccak256("search"));

    /// @notice The worst shape of each call. In memory, because a snapshot of the state includes the storage of the test.
    struct Found {
        uint256 count;
        string[] names;
        uint256[] gas;
        uint256[] shapes;
    }

    /// @notice Measures the calls at the shape as it is arranged, one after the other.
    function _measure(Found memory f, string memory name, bytes memory data) private {
        uint256 snapshot = vm.snapshotState();
        uint256 gas = send(writer, data);
        vm.revertToState(snapshot);
        uint256 i;
        while (i < f.count && keccak256(bytes(f.names[i])) != keccak256(bytes(name))) ++i;
        if (i == f.count) f.names[f.count++] = name;
        if (gas > f.gas[i]) (f.gas[i], f.shapes[i]) = (gas, genes);
    }

    function _try(Found memory f, uint256 shape) private {
        uint256 snapshot = vm.snapshotState();
        arrange(shape);
        _groups(f);
        _members(f);
        _items(f);
        _keys(f);
        vm.revertToState(snapshot);
    }

    /// @notice Measures every shape of the snapshot.
    function _tryKept(Found memory f) private {
        string memory json = vm.readFile("snapshots/gas-worst-shapes.json");
        string[] memory names = vm.parseJsonKeys(json, "$");
        uint256[] memory shapes = new uint256[](names.length);
        for (uint256 i; i < names.length; ++i) {
            shapes[i] = kept("gas-worst-shapes", names[i]);
            uint256 j;
            while (shapes[j] != shapes[i]) ++j;
            if (j == i) _try(f, shapes[i]);
        }
        vm.assertEq(f.count, names.length, "calls");
    }

    /// @param rounds Shapes to try. Each has up to three other genes than the worst one of some call.
    function _search(Found memory f, uint256 rounds) private {
        for (uint256 i; i < rounds; ++i) {
            seed = uint256(keccak256(abi.encode(seed)));
            uint256 shape = f.shapes[seed % f.count];
            for (uint256 change; change <= (seed >> 16) % 3; ++change) {
                uint256 random = seed >> (32 * (change + 1));
                shape ^= (1 + (random >> 8) % 3) << (2 * (random % GENES));
            }
            _try(f, shape);
        }
    }

    function test_NoShapeCostsMoreThanTheWorst() external {
        Found memory f = Found(0, new string[](64), new uint256[](64), new uint256[](64));
        seed ^= vm.envOr("WORST_SEED", uint256(0));
        _tryKept(f);
        for (uint256 i; i < f.count && !updatesSnapshots(); ++i) {
            keep("gas-worst", f.names[i], f.gas[i]);
        }
        _search(f, vm.envOr("WORST_COUNT", uint256(4)));
        for (uint256 i; i < f.count; ++i) {
            if (updatesSnapshots()) {
                keep("gas-worst", f.names[i], f.gas[i]);
                keep("gas-worst-shapes", f.names[i], f.shapes[i]);
                continue;
            }
            uint256 limit = kept("gas-worst", f.names[i]) * 101 / 100;
            string memory shape = string.concat(f.names[i], ": shape ", vm.toString(f.shapes[i]));
            vm.assertLe(f.gas[i], limit, shape);
        }
    }

    function _groups(Found memory f) private {
        (uint256[] memory cids, address[] memory pkps) = (added(ADDED), addedWallets(ADDED));
        _measure(f, "addGroup", abi.encodeCall(IGroupWrites.addGroup, (hash, LABEL, TEXT, cids, pkps)));
        _measure(
            f, "updateGroup", abi.encodeCall(IGroupWrites.updateGroup, (hash, G, LABEL, TEXT, cids, pkps))
        );
        _measure(
            f, "updateGroupMetadata", abi.encodeCall(IGroupWrites.updateGroupMetadata, (hash, G, LABEL, TEXT))
        );
        _measure(f, "removeGroup", abi.encodeCall(IGroupWrites.removeGroup, (hash, G)));
    }

    function _members(Found memory f) private {
        (uint256 cid, address pkp) = (added(ADDED)[0], addedWallets(ADDED)[0]);
        _measure(
            f,
            "addToGroup",
            abi.encodeCall(IMemberWrites.addToGroup, (hash, G, added(ADDED), addedWallets(ADDED)))
        );
        _measure(f, "addActionToGroup", abi.encodeCall(IActionWrites.addActionToGroup, (hash, G, cid)));
        _measure(f, "addPkpToGroup", abi.encodeCall(IWalletWrites.addPkpToGroup, (hash, G, pkp)));
        _measure(
            f,
            "addActionToGroup, unknown action",
            abi.encodeCall(IActionWrites.addActionToGroup, (hash, G, FRESH))
        );
        (cid, pkp) = (actionAt(REPLACED), walletAt(REPLACED));
        if (gene(MEMBERS) == 0) return;
        _measure(
            f,
            "removeFromGroup",
            abi.encodeCall(IMemberWrites.removeFromGroup, (hash, G, added(REPLACED), addedWallets(REPLACED)))
        );
        _measure(
            f, "removeActionFromGroup", abi.encodeCall(IActionWrites.removeActionFromGroup, (hash, G, cid))
        );
        _measure(f, "removePkpFromGroup", abi.encodeCall(IWalletWrites.removePkpFromGroup, (hash, G, pkp)));
        _measure(
            f,
            "updateActionMetadata",
            abi.encodeCall(IActionWrites.updateActionMetadata, (hash, cid, G, LABEL, TEXT))
        );
    }

    function _items(Found memory f) private {
        (uint256 cid, address pkp) = (actionAt(ADDED), walletAt(ADDED));
        _measure(f, "addAction", abi.encodeCall(IActionWrites.addAction, (hash, LABEL, TEXT, FRESH)));
        uint256 lookAlike = cid ^ (1 << 200);
        _measure(
            f,
            "addAction, in the place of a look-alike",
            abi.encodeCall(IActionWrites.addAction, (hash, LABEL, TEXT, lookAlike))
        );
        _measure(f, "removeAction", abi.encodeCall(IActionWrites.removeAction, (hash, cid)));
        uint256 path = pathOf(1 << 65);
        _measure(
            f,
            "registerWalletDerivation",
            abi.encodeCall(IWalletWrites.registerWalletDerivation, (hash, noWallet, path, LABEL, TEXT))
        );
        _measure(
            f, "removeWalletDerivation", abi.encodeCall(IWalletWrites.removeWalletDerivation, (hash, pkp))
        );
    }

    function _keys(Found memory f) private {
        UsageKey memory k = keyOf(FRESH, 0);
        _measure(f, "setUsageApiKey, new", encodeSetKey(k));
        setKey(k);
        _measure(f, "setUsageApiKey, the same again", encodeSetKey(k));
        _measure(f, "setUsageApiKey, changed", encodeSetKey(keyOf(FRESH, 1)));
        _measure(
            f,
            "setUsageApiKeyExpiration",
            abi.encodeCall(IUsageKeyWrites.setUsageApiKeyExpiration, (hash, FRESH, NOW + 5))
        );
        _measure(
            f,
            "rotateUsageApiKey",
            abi.encodeCall(IUsageKeyWrites.rotateUsageApiKey, (hash, FRESH, FRESH + 1))
        );
        _measure(
            f,
            "updateUsageApiKeyMetadata",
            abi.encodeCall(IUsageKeyWrites.updateUsageApiKeyMetadata, (hash, FRESH, LABEL, TEXT))
        );
        _measure(f, "removeUsageApiKey", abi.encodeCall(IUsageKeyWrites.removeUsageApiKey, (hash, FRESH)));
        _measure(f, "removeAllUsageApiKeys", abi.encodeCall(IUsageKeyWrites.removeAllUsageApiKeys, (hash)));
    }
}
