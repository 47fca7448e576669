// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { AccountConfigTest } from "../utils/AccountConfigTest.sol";

/// @notice Random calls on an account, then every permission compared with a model without bitmaps, pages and indices: plain
/// mappings, cleared on every removal.
contract PermissionsDifferentialTest is AccountConfigTest {
    uint256 private constant STEPS = 60;
    uint256 private constant KEYS = 3;
    uint256 private constant LISTS = 4;

    /// Group ids on both sides of each end of a page or word.
    uint256[] private groups = [1, 2, 63, 64, 94, 95, 127, 128, 255, 256, 300];
    /// The first one is "every action". The last one is registered only through a group.
    uint256[] private actions;
    /// The first one is "every wallet".
    address[] private pkps;

    // The model.
    mapping(uint256 group => bool) private live;
    mapping(uint256 action => bool) private knownAction;
    mapping(address pkp => bool) private knownPkp;
    mapping(uint256 group => mapping(uint256 action => bool)) private permitsAction;
    mapping(uint256 group => mapping(address pkp => bool)) private permitsPkp;
    mapping(uint256 usageHash => bool) private knownKey;
    mapping(uint256 usageHash => uint256) private expiration;
    mapping(uint256 usageHash => mapping(uint256 list => bool)) private wildcard;
    mapping(uint256 usageHash => mapping(uint256 list => mapping(uint256 group => bool))) private granted;

    uint256 private random;
    uint256 private paths = 10_000;

    function setUp() public override {
        super.setUp();
        addGroupsUpTo(300);
        by(payer).removeActionFromGroup(MANAGED, GROUP, ACTION);
        by(payer).removePkpFromGroup(MANAGED, GROUP, wallet);
        actions = [0, ACTION, 1, 2, 3, NO_ACTION];
        pkps = [address(0), wallet, address(1), address(2), address(3)];
        (knownAction[ACTION], knownPkp[wallet]) = (true, true);
        // Indices on both sides of each end too.
        uint256[3] memory fillers = [uint256(108), 143, 10];
        for (uint256 i; i < 3; ++i) {
            for (uint256 j; j < fillers[i]; ++j) {
                by(payer).addAction(MANAGED, "", "", 1000 * (i + 1) + j);
                address filler = address(uint160(1000 * (i + 1) + j));
                by(payer).registerWalletDerivation(MANAGED, filler, ++paths, "", "");
            }
            _addAction(actions[i + 2]);
            _addPkp(pkps[i + 2]);
        }
        for (uint256 i; i < groups.length; ++i) {
            live[groups[i]] = true;
        }
    }

    /// forge-config: default.fuzz.runs = 128
    function testFuzz_PermissionsEqualTheModel(uint256 seed) external {
        random = seed;
        for (uint256 i; i < KEYS; ++i) {
            _setKey(i + 1);
        }
        for (uint256 i; i < STEPS; ++i) {
            _step();
        }
        _compare();
    }

    // -------------------------------------------------------------------------------------------------- session

    function _next(uint256 bound) private returns (uint256) {
        random = uint256(keccak256(abi.encode(random)));
        return random % bound;
    }

    function _step() private {
        uint256 kind = _next(23);
        uint256 group = groups[_next(groups.length)];
        uint256 action = actions[_next(actions.length)];
        address pkp = pkps[_next(pkps.length)];
        if (kind < 5 && live[group]) {
            by(payer).addActionToGroup(MANAGED, group, action);
            (permitsAction[group][action], knownAction[action]) = (true, true);
        } else if (kind < 10 && live[group] && (pkp == address(0) || knownPkp[pkp])) {
            by(payer).addPkpToGroup(MANAGED, group, pkp);
            permitsPkp[group][pkp] = true;
        } else if (kind == 10 && live[group] && permitsAction[group][action]) {
            by(payer).removeActionFromGroup(MANAGED, group, action);
            permitsAction[group][action] = false;
        } else if (kind == 11 && live[group] && permitsPkp[group][pkp]) {
            by(payer).removePkpFromGroup(MANAGED, group, pkp);
            permitsPkp[group][pkp] = false;
        } else if (kind == 12 && action != 0) {
            knownAction[action] ? _removeAction(action) : _addAction(action);
        } else if (kind == 13 && pkp != address(0)) {
            knownPkp[pkp] ? _removePkp(pkp) : _addPkp(pkp);
        } else if (kind == 14 && live[group]) {
            by(payer).removeGroup(MANAGED, group);
            live[group] = false;
        } else if (kind == 15) {
            _addGroup(action, pkp);
        } else if (kind < 18 && live[group]) {
            _updateGroup(group, action, pkp);
        } else if (kind < 21) {
            _setKey(1 + _next(KEYS));
        } else if (kind == 21 && knownKey[1]) {
            by(payer).removeUsageApiKey(MANAGED, 1);
            knownKey[1] = false;
        } else if (live[group]) {
            _stuff(group);
        }
    }

    /// @notice Adds more members than a replacement of the group clears. They are not in the model.
    function _stuff(uint256 group) private {
        for (uint256 i; i < 25; ++i) {
            by(payer).addActionToGroup(MANAGED, group, 1000 + i);
        }
    }

    function _addAction(uint256 action) private {
        by(payer).addAction(MANAGED, "", "", action);
        knownAction[action] = true;
    }

    function _addPkp(address pkp) private {
        by(payer).registerWalletDerivation(MANAGED, pkp, ++paths, "", "");
        knownPkp[pkp] = true;
    }

    function _removeAction(uint256 action) private {
        by(payer).removeAction(MANAGED, action);
        knownAction[action] = false;
        for (uint256 i; i < groups.length; ++i) {
            permitsAction[groups[i]][action] = false;
        }
    }

    function _removePkp(address pkp) private {
        by(payer).removeWalletDerivation(MANAGED, pkp);
        knownPkp[pkp] = false;
        for (uint256 i; i < groups.length; ++i) {
            permitsPkp[groups[i]][pkp] = false;
        }
    }

    function _contents(address pkp) private view returns (address[] memory) {
        return pkp == address(0) || knownPkp[pkp] ? list(pkp) : wallets();
    }

    function _fill(uint256 group, uint256 action, address pkp) private {
        (permitsAction[group][action], knownAction[action]) = (true, true);
        if (_contents(pkp).length != 0) permitsPkp[group][pkp] = true;
    }

    function _addGroup(uint256 action, address pkp) private {
        uint256 group = by(payer).addGroup(MANAGED, "", "", list(action), _contents(pkp));
        groups.push(group);
        live[group] = true;
        _fill(group, action, pkp);
    }

    function _updateGroup(uint256 group, uint256 action, address pkp) private {
        by(payer).updateGroup(MANAGED, group, "", "", list(action), _contents(pkp));
        for (uint256 i; i < actions.length; ++i) {
            permitsAction[group][actions[i]] = false;
        }
        for (uint256 i; i < pkps.length; ++i) {
            permitsPkp[group][pkps[i]] = false;
        }
        _fill(group, action, pkp);
    }

    function _setKey(uint256 usageHash) private {
        UsageKey memory k = newKey(usageHash);
        if (_next(8) == 0) k.expiration = NOW + _next(2);
        k.manageIPFSIdsInGroups = _grant(usageHash, 0);
        k.addPkpToGroups = _grant(usageHash, 1);
        k.removePkpFromGroups = _grant(usageHash, 2);
        k.executeInGroups = _grant(usageHash, 3);
        setKey(k);
        (knownKey[usageHash], expiration[usageHash]) = (true, k.expiration);
    }

    /// @return ids A random choice of live groups in random order, sometimes with the wildcard.
    function _grant(uint256 usageHash, uint256 list_) private returns (uint256[] memory ids) {
        for (uint256 i; i < groups.length; ++i) {
            granted[usageHash][list_][groups[i]] = false;
        }
        wildcard[usageHash][list_] = _next(8) == 0;
        uint256 size = _next(4) == 0 ? _next(2) : _next(groups.length);
        ids = new uint256[](size + 1);
        uint256 count;
        if (wildcard[usageHash][list_]) ids[count++] = 0;
        for (uint256 i; i < size; ++i) {
            uint256 group = groups[_next(groups.length)];
            if (!live[group]) continue;
            granted[usageHash][list_][group] = true;
            ids[count++] = group;
        }
        // memory-safe: shortens an array that was allocated here.
        assembly ("memory-safe") {
            mstore(ids, count)
        }
    }

    // -------------------------------------------------------------------------------------------------- compare

    function _compare() private view {
        for (uint256 usageHash = 1; usageHash <= KEYS; ++usageHash) {
            for (uint256 i; i < actions.length; ++i) {
                for (uint256 j; j < pkps.length; ++j) {
                    (bool execute, bool useWallet) = _expected(usageHash, actions[i], pkps[j]);
                    assertCan(usageHash, actions[i], pkps[j], execute, useWallet);
                }
            }
            if (!knownKey[usageHash]) continue;
            _compareList(usageHash, 0, usageKey(usageHash).permissions.manageIPFSIdsInGroups);
            _compareList(usageHash, 1, usageKey(usageHash).permissions.addPkpToGroups);
            _compareList(usageHash, 2, usageKey(usageHash).permissions.removePkpFromGroups);
            _compareList(usageHash, 3, usageKey(usageHash).permissions.executeInGroups);
        }
        for (uint256 i; i < groups.length; ++i) {
            if (live[groups[i]]) _compareGroup(groups[i]);
        }
    }

    function _expected(uint256 usageHash, uint256 action, address pkp)
        private
        view
        returns (bool execute, bool useWallet)
    {
        if (!knownKey[usageHash]) return (false, false);
        if (expiration[usageHash] != 0 && expiration[usageHash] <= NOW) return (false, false);
        execute = wildcard[usageHash][3];
        for (uint256 i; i < groups.length; ++i) {
            uint256 group = groups[i];
            if (!live[group]) continue;
            if (!wildcard[usageHash][3] && !granted[usageHash][3][group]) continue;
            if (!permitsAction[group][0] && !permitsAction[group][action]) continue;
            execute = true;
            if (!knownPkp[pkp]) continue;
            if (permitsPkp[group][address(0)] || permitsPkp[group][pkp]) useWallet = true;
        }
    }

    function _compareList(uint256 usageHash, uint256 list_, uint256[] memory found) private view {
        if (wildcard[usageHash][list_]) {
            vm.assertEq(found, list(0));
            return;
        }
        uint256 count;
        for (uint256 i; i < groups.length; ++i) {
            if (live[groups[i]] && granted[usageHash][list_][groups[i]]) ++count;
        }
        vm.assertEq(found.length, count, "length of a list");
        for (uint256 i; i < found.length; ++i) {
            vm.assertTrue(live[found[i]] && granted[usageHash][list_][found[i]], "granted group");
            vm.assertTrue(i == 0 || found[i - 1] < found[i], "ascending");
        }
    }

    function _compareGroup(uint256 group) private view {
        (uint256[] memory actions_, address[] memory pkps_) = accountConfig.listGroupContents(MANAGED, group);
        uint256 count;
        for (uint256 i; i < actions_.length; ++i) {
            if (actions_[i] < 1000 || actions_[i] >= 1025) actions_[count++] = actions_[i];
        }
        // memory-safe: shortens an array that was allocated here.
        assembly ("memory-safe") {
            mstore(actions_, count)
        }
        count = 0;
        for (uint256 i; i < actions.length; ++i) {
            if (permitsAction[group][actions[i]]) ++count;
        }
        vm.assertEq(actions_.length, count, "actions of a group");
        for (uint256 i; i < actions_.length; ++i) {
            vm.assertTrue(permitsAction[group][actions_[i]], "action of a group");
        }
        count = 0;
        for (uint256 i; i < pkps.length; ++i) {
            if (permitsPkp[group][pkps[i]]) ++count;
        }
        vm.assertEq(pkps_.length, count, "wallets of a group");
        for (uint256 i; i < pkps_.length; ++i) {
            vm.assertTrue(permitsPkp[group][pkps_[i]], "wallet of a group");
        }
    }
}
