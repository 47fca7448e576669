// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IAccountConfig } from "../../contracts/interfaces/IAccountConfig.sol";
import { IAccountWrites } from "../../contracts/interfaces/IAccountWrites.sol";
import { IActionWrites } from "../../contracts/interfaces/IActionWrites.sol";
import { IConfigFacet } from "../../contracts/interfaces/IConfigFacet.sol";
import { IDiamond } from "../../contracts/interfaces/IDiamond.sol";
import { IErrors } from "../../contracts/interfaces/IErrors.sol";
import { IGroupWrites } from "../../contracts/interfaces/IGroupWrites.sol";
import { IMemberWrites } from "../../contracts/interfaces/IMemberWrites.sol";
import { ISignedWrites } from "../../contracts/interfaces/ISignedWrites.sol";
import { IUsageKeyWrites } from "../../contracts/interfaces/IUsageKeyWrites.sol";
import { IViewsFacet } from "../../contracts/interfaces/IViewsFacet.sol";
import { IWalletWrites } from "../../contracts/interfaces/IWalletWrites.sol";
import { IWritesFacet } from "../../contracts/interfaces/IWritesFacet.sol";
import { Generator } from "./Generator.sol";

/// @notice The rules, in one or more functions each, see README.md. They compare the diamond with its earlier answers, the records.
abstract contract Rules is Generator {
    /// @notice The lists of an account.
    struct Listed {
        uint256 number;
        /// The master hash, or the hash of the current account key.
        uint256 hash;
        address admin;
        bool managed;
        IViewsFacet.UsageApiKey[] keys;
        uint256[] groups;
        /// By position in `groups`.
        uint256[][] actions;
        address[][] pkps;
    }

    error Broken(string rule, uint256 hash, bytes detail);

    // Gas of a whole call from the handler, with cold storage.
    uint256 private constant GAS_PER_BYTE = 25;
    uint256 private constant GAS_PER_GROUP_ENTRY = 90_000;
    uint256 private constant GAS_PER_KEY_ENTRY = 50_000;
    uint256 private constant GAS_OF_CLEARING = 250_000;
    uint256 private constant GAS_OF_CALL = 130_000;

    uint256 internal clock;

    // Records.
    mapping(bytes4 selector => bool) private isAccountWrite;
    mapping(bytes4 selector => bool) private isKeyWrite;
    mapping(uint256 number => bool) private seenSecured;
    mapping(uint256 number => mapping(uint256 groupId => bool)) private usedGroup;
    mapping(uint256 path => uint256 number) private firstOwner;
    uint256[] private paths;
    mapping(uint256 hash => uint256 number) private keyOwner;
    uint256[] private keyHashes;
    /// Accounts that were transferred.
    uint256[] internal waiting;
    bytes32 private payersSet;
    bytes32 private immutable facetsAtStart;

    constructor(IAccountConfig accountConfig_, address[] memory services_)
        Generator(accountConfig_, services_)
    {
        clock = block.timestamp;
        for (uint256 i; i < accountWrites.length; ++i) {
            isAccountWrite[accountWrites[i]] = true;
        }
        for (uint256 i; i < keyWrites.length; ++i) {
            isKeyWrite[keyWrites[i]] = true;
        }
        payersSet = keccak256(abi.encode(accountConfig.api_payers()));
        facetsAtStart = keccak256(abi.encode(accountConfig.facets()));
    }

    /// @notice All rules about the state. Rules about a call are checked with the call.
    function checkRules() external {
        vm.warp(clock);
        for (uint256 number = 1; number <= accountCount; ++number) {
            Target memory t = _target(number);
            (, uint256 number_) = named(t.hash);
            if (number_ != number) continue; // evicted or retired, or its key hash belongs to a wallet
            Listed memory a = _list(t);
            rule1_WritersAndModes(a);
            rule3_WildcardsInEveryList(a);
            rule3_GroupIds(a);
            rule4_ReplacementIsExact(a);
            rule5_ExpiredKeysDoNothing(a);
            rule6_RunningFollowsFromTheLists(a);
            rule7_MembersAreOfTheAccount(a);
        }
        rule8_PathsKeepTheirAccount();
        rule9_IdentitiesNameTheirAccount();
        rule10_TransferTable();
        rule11_PayersAreTheOwners();
        rule13_NoEther();
        rule20_HashesKeepTheirAccount();
        rule21_IdentitiesWait();
        _everythingEqualsTheModel();
    }

    function _list(Target memory t) private view returns (Listed memory a) {
        (a.number, a.hash) = (t.number, t.hash);
        (, a.admin, a.managed,,) = accountConfig.resolve(t.hash);
        a.keys = accountConfig.listApiKeys(t.hash, 0, 20);
        a.groups = accountConfig.listGroups(t.hash, 0, 1000);
        (a.actions, a.pkps) = (new uint256[][](a.groups.length), new address[][](a.groups.length));
        for (uint256 i; i < a.groups.length; ++i) {
            (a.actions[i], a.pkps[i]) = accountConfig.listGroupContents(t.hash, a.groups[i]);
        }
    }

    // --------------------------------------------------------------------------------------------- rules 1 and 2

    function rule1_WritersAndModes(Listed memory a) internal {
        if (!a.managed) seenSecured[a.number] = true;
        else if (seenSecured[a.number]) revert Broken("managed again", a.hash, "");
        for (uint256 i; i < 3; ++i) {
            address caller = i == 0 ? a.admin : i == 1 ? _service() : _wallet();
            bool may = a.managed ? _isPayer(caller) : caller == a.admin;
            vm.prank(caller);
            if (accountConfig.accountExistsAndIsMutable(a.hash) != may) {
                revert Broken("who may write", a.hash, abi.encode(caller));
            }
        }
    }

    /// @notice Call after a call that wrote the account of `hash`.
    function rule1_WrittenByItsWriter(uint256 hash, address caller) internal view returns (bool isUsageKey) {
        address admin;
        bool managed;
        uint256 expiration;
        (, admin, managed, isUsageKey, expiration) = accountConfig.resolve(hash);
        if (managed ? !_isPayer(caller) : caller != admin) {
            revert Broken("written by another", hash, abi.encode(caller));
        }
        if (expiration != 0 && expiration <= block.timestamp) {
            revert Broken("written by expired key", hash, "");
        }
    }

    function _isPayer(address caller) private view returns (bool) {
        if (accountConfig.payersFrozen()) return false;
        address[] memory payers_ = accountConfig.api_payers();
        for (uint256 i; i < payers_.length; ++i) {
            if (payers_[i] == caller) return true;
        }
        return false;
    }

    /// @notice Call after a call with a usage-key hash.
    function rule2_KeysHaveSixWrites(bytes4 selector, uint256 hash) internal view {
        if (!isKeyWrite[selector]) revert Broken("written through a usage key", hash, abi.encode(selector));
    }

    // --------------------------------------------------------------------------------------------------- rule 3

    /// @notice Checks, with calls that fail after the permission, that a wildcard covers a group that it does not list.
    function rule3_WildcardsInEveryList(Listed memory a) internal {
        if (a.keys.length == 0) return;
        IViewsFacet.UsageApiKey memory k = a.keys[_next(a.keys.length)];
        if (_isExpired(k)) return;
        uint256 hash = k.usageApiKeyHash;
        address caller = _writerOf(a);
        if (caller == address(0)) return;
        (, uint256 unborn,,) = accountConfig.listSizes(hash);
        ++unborn;
        bytes memory none = accounts[a.number].pending
            ? abi.encodeWithSelector(IErrors.AccountNotAccepted.selector, hash)
            : abi.encodeWithSelector(IErrors.GroupDoesNotExist.selector, hash, unborn);
        _refused(
            caller,
            abi.encodeCall(IActionWrites.addActionToGroup, (hash, unborn, _action())),
            _isWildcard(k.permissions.manageIPFSIdsInGroups)
                ? none
                : abi.encodeWithSelector(IErrors.NotAllowedToManageIPFSIdsInGroup.selector, hash, unborn)
        );
        _refused(
            caller,
            abi.encodeCall(IWalletWrites.addPkpToGroup, (hash, unborn, _pkp())),
            _isWildcard(k.permissions.addPkpToGroups)
                ? none
                : abi.encodeWithSelector(IErrors.NotAllowedToAddPkpToGroup.selector, hash, unborn)
        );
        _refused(
            caller,
            abi.encodeCall(IWalletWrites.removePkpFromGroup, (hash, unborn, _pkp())),
            _isWildcard(k.permissions.removePkpFromGroups)
                ? none
                : abi.encodeWithSelector(IErrors.NotAllowedToRemovePkpFromGroup.selector, hash, unborn)
        );
        if (_isWildcard(k.permissions.executeInGroups) && !accountConfig.canExecuteAction(hash, _next())) {
            revert Broken("execute wildcard", hash, "");
        }
    }

    /// @notice Returns the writer of the account, zero when it is managed and the owner has removed all payers.
    function _writerOf(Listed memory a) private view returns (address) {
        if (!a.managed) return a.admin;
        address[] memory payers_ = accountConfig.api_payers();
        return payers_.length == 0 || accountConfig.payersFrozen() ? address(0) : payers_[0];
    }

    function _isWildcard(uint256[] memory list) private pure returns (bool) {
        return list.length == 1 && list[0] == 0;
    }

    function _isExpired(IViewsFacet.UsageApiKey memory k) private view returns (bool) {
        return k.expiration != 0 && k.expiration <= block.timestamp;
    }

    function rule3_GroupIds(Listed memory a) internal view {
        (, uint256 given,,) = accountConfig.listSizes(a.hash);
        for (uint256 i; i < a.groups.length; ++i) {
            uint256 id = a.groups[i];
            if (id == 0 || id > given || (i != 0 && id <= a.groups[i - 1])) {
                revert Broken("group ids", a.hash, abi.encode(a.groups));
            }
        }
    }

    /// @notice Call after addGroup has returned `groupId`.
    function rule3_GroupIdIsNew(uint256 number, uint256 groupId) internal {
        if (groupId == 0 || usedGroup[number][groupId]) {
            revert Broken("group id again", number, abi.encode(groupId));
        }
        usedGroup[number][groupId] = true;
    }

    // ---------------------------------------------------------------------------------------------- rules 4 to 7

    function rule4_ReplacementIsExact(Listed memory a) internal view {
        if (keccak256(abi.encode(a.keys)) != keccak256(abi.encode(this.listApiKeys(a.hash, 0, 20)))) {
            revert Broken("permissions of keys", a.hash, abi.encode(a.keys));
        }
        for (uint256 i; i < a.groups.length; ++i) {
            (uint256[] memory actions_, address[] memory pkps_) = this.listGroupContents(a.hash, a.groups[i]);
            if (keccak256(abi.encode(a.actions[i], a.pkps[i])) != keccak256(abi.encode(actions_, pkps_))) {
                revert Broken("contents of a group", a.hash, abi.encode(a.groups[i]));
            }
        }
    }

    /// @notice Call after updateGroup: no key that may execute in the group gets its former contents.
    function rule4_NothingIsLeft(uint256 hash, uint256 groupId) internal {
        uint256 number = _numberOf(hash);
        (uint256[] memory cidHashes,) = accountConfig.listGroupContents(hash, groupId);
        address[] storage all = accounts[number].pkps;
        uint256 key = _keyOf(number);
        if (cidHashes.length == 0 || all.length == 0 || key == 0) return;
        for (uint256 i; i < 8; ++i) {
            uint256 cidHash = _oneIn(4) ? _action() : cidHashes[_next(cidHashes.length)];
            address pkpId = all[_next(all.length)];
            _equal(abi.encodeCall(IViewsFacet.explainExecution, (key, cidHash, pkpId)));
        }
    }

    function rule5_ExpiredKeysDoNothing(Listed memory a) internal {
        address caller = _writerOf(a);
        for (uint256 i; i < a.keys.length; ++i) {
            if (!_isExpired(a.keys[i])) continue;
            Target memory t = _target(a.number);
            t.hash = a.keys[i].usageApiKeyHash;
            uint256 cidHash = _action();
            address pkpId = _pkp();
            IViewsFacet.Explanation memory e = accountConfig.explainExecution(t.hash, cidHash, pkpId);
            (bool execute, bool use) = accountConfig.canExecuteActionAndUseWallet(t.hash, cidHash, pkpId);
            if (
                execute || use || e.canExecute || e.canUseWallet
                    || accountConfig.canExecuteAction(t.hash, cidHash)
                    || accountConfig.canUseWalletInAction(t.hash, cidHash, pkpId)
                    || e.actionRule != IViewsFacet.ExecutionRule.KeyExpired
            ) revert Broken("expired key runs", t.hash, abi.encode(cidHash, pkpId));
            (bool ok,) = _callAs(
                caller, address(accountConfig), _accountWrite(keyWrites[_next(keyWrites.length)], t, caller)
            );
            if (ok) revert Broken("expired key writes", t.hash, "");
        }
    }

    /// @notice The lists determine which key may run which action with which wallet.
    function rule6_RunningFollowsFromTheLists(Listed memory a) internal {
        if (a.keys.length == 0) return;
        for (uint256 i; i < 3; ++i) {
            IViewsFacet.UsageApiKey memory k = a.keys[_next(a.keys.length)];
            uint256 cidHash = _action();
            address pkpId = _pkp();
            (bool execute, bool use) = _follows(a, k, cidHash, pkpId);
            uint256 hash = k.usageApiKeyHash;
            (bool execute_, bool use_) = accountConfig.canExecuteActionAndUseWallet(hash, cidHash, pkpId);
            IViewsFacet.Explanation memory e = accountConfig.explainExecution(hash, cidHash, pkpId);
            if (
                execute_ != execute || accountConfig.canExecuteAction(hash, cidHash) != execute
                    || e.canExecute != execute || use_ != use
                    || accountConfig.canUseWalletInAction(hash, cidHash, pkpId) != use
                    || e.canUseWallet != use
            ) revert Broken("running", hash, abi.encode(cidHash, pkpId, execute, use));
        }
    }

    function _follows(Listed memory a, IViewsFacet.UsageApiKey memory k, uint256 cidHash, address pkpId)
        private
        view
        returns (bool execute, bool use)
    {
        if (_isExpired(k)) return (false, false);
        bool wildcard = _isWildcard(k.permissions.executeInGroups);
        bool registered = accountConfig.getWalletDerivation(a.hash, pkpId) != 0;
        execute = wildcard;
        for (uint256 i; i < a.groups.length; ++i) {
            if (!wildcard && !_contains(k.permissions.executeInGroups, a.groups[i])) continue;
            if (!_contains(a.actions[i], cidHash) && !_contains(a.actions[i], 0)) continue;
            execute = true;
            if (registered && (_contains(a.pkps[i], pkpId) || _contains(a.pkps[i], address(0)))) use = true;
        }
    }

    function _contains(uint256[] memory list, uint256 value) private pure returns (bool) {
        for (uint256 i; i < list.length; ++i) {
            if (list[i] == value) return true;
        }
        return false;
    }

    function _contains(address[] memory list, address value) private pure returns (bool) {
        for (uint256 i; i < list.length; ++i) {
            if (list[i] == value) return true;
        }
        return false;
    }

    function rule7_MembersAreOfTheAccount(Listed memory a) internal view {
        uint256[] memory known = accountConfig.listActions(a.hash, 0, 1000);
        for (uint256 i; i < a.groups.length; ++i) {
            for (uint256 j; j < a.pkps[i].length; ++j) {
                address pkpId = a.pkps[i][j];
                if (pkpId != address(0) && accountConfig.getWalletDerivation(a.hash, pkpId) == 0) {
                    revert Broken("foreign wallet in a group", a.hash, abi.encode(a.groups[i], pkpId));
                }
            }
            for (uint256 j; j < a.actions[i].length; ++j) {
                if (a.actions[i][j] != 0 && !_contains(known, a.actions[i][j])) {
                    revert Broken("unknown action in a group", a.hash, abi.encode(a.groups[i]));
                }
            }
        }
    }

    // --------------------------------------------------------------------------------------------- rules 8 and 9

    /// @notice Call after the account has registered a wallet with `path`.
    function rule8_PathIsTheCallers(uint256 number, uint256 path, address caller) internal {
        if (firstOwner[path] == 0) {
            bool managed = accounts[number].managed;
            if (path >> 96 != (managed ? 0 : uint160(caller))) {
                revert Broken("path of another", path, abi.encode(caller));
            }
            firstOwner[path] = number;
            paths.push(path);
        } else if (firstOwner[path] != number) {
            revert Broken("path taken", path, abi.encode(firstOwner[path], number));
        }
    }

    function rule8_PathsKeepTheirAccount() internal {
        for (uint256 i; i < paths.length; ++i) {
            if (paths.length > 40 && !_oneIn(paths.length / 20)) continue;
            Account storage a = accounts[firstOwner[paths[i]]];
            if (accountConfig.getPathOwnerMaster(paths[i]) != (a.ended ? 0 : a.masterHash)) {
                revert Broken("path moved", paths[i], "");
            }
            if (!accountConfig.isPathRegistered(paths[i])) revert Broken("path free again", paths[i], "");
        }
    }

    function rule9_IdentitiesNameTheirAccount() internal view {
        for (uint256 i; i < WALLETS; ++i) {
            uint256 number = claimedBy[wallets[i]];
            if (number == 0) continue;
            (uint256 masterHash,, bool managed, bool isUsageKey,) =
                accountConfig.resolve(_identity(wallets[i]));
            Account storage a = accounts[number];
            if (masterHash != (a.ended ? 0 : a.masterHash) || managed || isUsageKey) {
                revert Broken("wallet identity", _identity(wallets[i]), abi.encode(masterHash));
            }
        }
    }

    /// @notice Call after a call that failed: a wallet that never chose an account was not refused one (rules 9 and 14).
    function rule9_NothingStopsAWallet(address caller, bytes memory data, bytes memory result) internal view {
        if (bytes4(result) != IErrors.AccountAlreadyExists.selector) return;
        address wallet = caller;
        bytes4 selector = bytes4(data);
        if (
            selector == IAccountWrites.convertToChainSecuredAccount.selector
                || selector == IAccountWrites.transferChainSecuredAccountOwnership.selector
        ) (, wallet) = abi.decode(_arguments(data), (uint256, address));
        else if (selector != IAccountWrites.newChainSecuredAccount.selector) return;
        if (claimedBy[wallet] == 0) {
            revert Broken("wallet locked out", _identity(wallet), data);
        }
    }

    /// @notice Call after rotateAccountKey.
    function rule17_OldKeyNamesNothing(uint256 hash, uint256 newHash) internal view {
        (uint256 master,,, bool isUsageKey,) = accountConfig.resolve(newHash);
        if (accountConfig.allApiKeyHashesToMaster(hash) != 0 || master == 0 || isUsageKey) {
            revert Broken("rotated key", hash, abi.encode(newHash));
        }
    }

    // ------------------------------------------------------------------------------------------- rules 10 to 13

    /// @notice Checks each row of the table with every mistake of the rows below it.
    function rule10_TransferTable() internal {
        uint256 number = _number();
        Target memory t = _target(number);
        (, uint256 number_) = named(t.hash);
        if (number_ != number) return;
        address outsider = address(this);
        uint256 unknown = _next();
        _refusedTransfer(
            outsider, unknown, address(0), abi.encodeWithSelector(IErrors.AdminWalletIsZero.selector)
        );
        _refusedTransfer(
            outsider, unknown, t.admin, abi.encodeWithSelector(IErrors.AccountDoesNotExist.selector, unknown)
        );
        uint256 key = _keyOf(number);
        if (key != 0) {
            _refusedTransfer(
                outsider, key, t.admin, abi.encodeWithSelector(IErrors.NotMasterAccount.selector, key)
            );
        }
        if (t.managed) {
            bytes memory managed = abi.encodeWithSelector(
                IErrors.InvalidRequest.selector, "the account is managed: convert it instead"
            );
            return _refusedTransfer(outsider, t.hash, t.admin, managed);
        }
        // Refused writes of the new admin would accept it.
        if (accounts[number].pending) return;
        _refusedTransfer(
            outsider,
            t.hash,
            t.admin,
            abi.encodeWithSelector(IErrors.NoAccountAccess.selector, t.hash, outsider)
        );
        _refusedTransfer(
            t.admin,
            t.hash,
            t.admin,
            abi.encodeWithSelector(IErrors.AlreadyAdminWallet.selector, t.hash, t.admin)
        );
        address known = wallets[_next(WALLETS)];
        if (claimedBy[known] == 0 || known == t.admin) return;
        _refusedTransfer(
            t.admin,
            t.hash,
            known,
            abi.encodeWithSelector(IErrors.AccountAlreadyExists.selector, _identity(known))
        );
    }

    function _refusedTransfer(address caller, uint256 hash, address newAdmin, bytes memory error_) private {
        _refused(
            caller,
            abi.encodeCall(IAccountWrites.transferChainSecuredAccountOwnership, (hash, newAdmin)),
            error_
        );
    }

    function _refused(address caller, bytes memory data, bytes memory error_) private {
        (bool ok, bytes memory result) = _callAs(caller, address(accountConfig), data);
        if (ok || keccak256(result) != keccak256(error_)) {
            revert Broken("refusal", uint32(bytes4(data)), result);
        }
    }

    function rule11_PayersAreTheOwners() internal {
        address[] memory payers_ = accountConfig.api_payers();
        if (keccak256(abi.encode(payers_)) != payersSet) revert Broken("payers", 0, abi.encode(payers_));
        if (keccak256(abi.encode(accountConfig.facets())) != facetsAtStart) revert Broken("routes", 0, "");
        address caller = accountConfig.adminApiPayerAccount();
        if (payers_.length != 0 && _oneIn(2)) caller = payers_[_next(payers_.length)];
        if (caller == accountConfig.owner() || caller == address(0)) return;
        bytes memory onlyOwner = abi.encodeWithSelector(IDiamond.OnlyOwner.selector, caller);
        _refused(caller, abi.encodeCall(IConfigFacet.setApiPayers, (payers_)), onlyOwner);
    }

    /// @notice Call after setApiPayers has succeeded.
    function rule11_SetByTheOwner(address caller, address[] memory payers_) internal {
        if (accountConfig.owner() != caller) revert Broken("payers set by another", 0, abi.encode(caller));
        payersSet = keccak256(abi.encode(payers_));
    }

    /// @notice The gas bound of a call depends on its arguments' lengths and not on the contract's state.
    function rule12_CostIsBounded(bytes memory data, bool ok, uint256 gas) internal pure {
        if (gas > _gasBound(data, ok)) revert Broken("cost", gas, data);
    }

    function _gasBound(bytes memory data, bool ok) private pure returns (uint256 bound) {
        bytes4 s = bytes4(data);
        bound = GAS_OF_CALL + GAS_PER_BYTE * data.length;
        // The arguments of a call that failed need not be arrays.
        if (s == IWritesFacet.multicall.selector) {
            if (!ok) return bound + GAS_PER_GROUP_ENTRY * data.length / 32;
            bytes[] memory calls = abi.decode(_arguments(data), (bytes[]));
            for (uint256 i; i < calls.length; ++i) {
                bound += _gasBound(calls[i], true);
            }
        } else if (s == IGroupWrites.addGroup.selector) {
            bound += GAS_PER_GROUP_ENTRY * (ok ? _length(data, 3) + _length(data, 4) : data.length / 32);
        } else if (s == IMemberWrites.addToGroup.selector || s == IMemberWrites.removeFromGroup.selector) {
            bound += GAS_PER_GROUP_ENTRY * (ok ? _length(data, 2) + _length(data, 3) : data.length / 32);
        } else if (s == IGroupWrites.updateGroup.selector) {
            bound += GAS_OF_CLEARING;
            bound += GAS_PER_GROUP_ENTRY * (ok ? _length(data, 4) + _length(data, 5) : data.length / 32);
        } else if (s == IUsageKeyWrites.setUsageApiKey.selector) {
            uint256 entries = data.length / 32;
            if (ok) entries = _length(data, 9) + _length(data, 10) + _length(data, 11) + _length(data, 12);
            bound += GAS_PER_KEY_ENTRY * entries;
        } else if (s == IConfigFacet.freezePayers.selector || s == IConfigFacet.unfreezePayers.selector) {
            bound += 50 * GAS_PER_KEY_ENTRY;
        } else if (s == IConfigFacet.setApiPayers.selector) {
            bound += GAS_PER_KEY_ENTRY * (ok ? _length(data, 0) : data.length / 32) + GAS_OF_CLEARING;
        } else if (s == IConfigFacet.setNodeConfiguration.selector) {
            bound += GAS_PER_KEY_ENTRY * data.length / 32;
        } else if (s != IViewsFacet.canExecuteActionAndUseWallet.selector && _isList(s)) {
            bound += 1 << 128; // pages: bounded by their size
        }
    }

    function _isList(bytes4 s) private pure returns (bool) {
        return s == IViewsFacet.listApiKeys.selector || s == IViewsFacet.listGroups.selector
            || s == IViewsFacet.listPkps.selector || s == IViewsFacet.listActions.selector
            || s == IViewsFacet.listGroupContents.selector || s == IViewsFacet.listWalletsInGroup.selector
            || s == IViewsFacet.listActionsInGroup.selector
            || s == IConfigFacet.nodeConfigurationValues.selector;
    }

    /// @return length The length of the array argument at `position`.
    function _length(bytes memory data, uint256 position) private pure returns (uint256 length) {
        // memory-safe: reads what the callee has decoded.
        assembly ("memory-safe") {
            let head := add(data, 36)
            length := mload(add(head, mload(add(head, shl(5, position)))))
        }
    }

    function rule13_NoEther() internal view {
        if (address(accountConfig).balance != 0) revert Broken("ether", address(accountConfig).balance, "");
    }

    function rule13_PlainEtherIsRefused(uint256 value, bytes memory data) internal {
        (bool ok, bytes memory result) = address(accountConfig).call{ value: value }(data);
        if (ok || result.length != 0) revert Broken("ether taken", value, data);
        rule13_NoEther();
    }

    // -------------------------------------------------------------------------------------------------- rule 20

    /// @notice Call after the account got an account key or a usage key with this hash.
    function rule20_HashIsOfItsAccount(uint256 number, uint256 hash) internal {
        if (keyOwner[hash] == 0) {
            keyOwner[hash] = number;
            keyHashes.push(hash);
        } else if (keyOwner[hash] != number) {
            revert Broken("hash of another account", hash, abi.encode(keyOwner[hash], number));
        }
    }

    /// @notice A hash that was a key of an account names this account or nothing, or it is the identity of a wallet and names
    /// a ChainSecured account. No account takes it as a key, whatever became of its own.
    function rule20_HashesKeepTheirAccount() internal {
        for (uint256 i; i < keyHashes.length; ++i) {
            uint256 hash = keyHashes[i];
            Account storage a = accounts[keyOwner[hash]];
            // More of the accounts that have ended.
            if (keyHashes.length > 40 && !_oneIn(keyHashes.length / (a.ended ? 40 : 20))) continue;
            (uint256 masterHash, address admin, bool managed, bool isUsageKey,) = accountConfig.resolve(hash);
            bool isOwn = masterHash == 0 || (!a.ended && masterHash == a.masterHash);
            if (!isOwn && (managed || isUsageKey || !_isIdentityOfAWallet(hash, admin))) {
                revert Broken("hash works elsewhere", hash, abi.encode(a.number, masterHash));
            }
            for (uint256 j; j < 4; ++j) {
                Target memory t = _target(_number());
                (, uint256 number) = named(t.hash);
                if (number == t.number && number != a.number) _refusesKey(t, hash);
            }
        }
    }

    /// @notice True for the identity of the admin, or of a former one, whose identity stays an alias.
    function _isIdentityOfAWallet(uint256 hash, address admin) private view returns (bool) {
        if (hash == _identity(admin)) return true;
        for (uint256 i; i < WALLETS; ++i) {
            if (hash == _identity(wallets[i])) return true;
        }
        for (uint256 i; i < SERVICES; ++i) {
            if (hash == _identity(services[i])) return true;
        }
        return false;
    }

    /// @notice Checks that the account cannot take the hash as a key.
    function _refusesKey(Target memory t, uint256 hash) private {
        address caller = t.admin;
        if (t.managed) {
            if (payers.length == 0 || payersFrozen) return;
            caller = payers[0];
        } else if (accounts[t.number].pending && t.hash == _identity(t.admin)) {
            return; // AccountNotAccepted
        }
        KeyArguments memory k;
        (k.accountApiKeyHash, k.usageApiKeyHash) = (t.hash, hash);
        bytes memory taken = abi.encodeWithSelector(IErrors.AccountAlreadyExists.selector, hash);
        _refused(caller, _encodeKey(k), taken);
        if (t.managed) {
            _refused(
                caller,
                abi.encodeCall(IAccountWrites.rotateAccountKey, (t.hash, hash, address(this), 0, "")),
                taken
            );
        }
        uint256 key = _keyOf(t.number);
        // The acceptance of the account takes the identity of its admin from the key.
        if (key == 0 || key == _identity(t.admin)) return;
        _refused(caller, abi.encodeCall(IUsageKeyWrites.rotateUsageApiKey, (t.hash, key, hash)), taken);
    }

    // -------------------------------------------------------------------------------------------------- rule 21

    /// @notice The identity of a wallet that has chosen no account names none that services would take for the wallet's own,
    /// whatever was transferred to it.
    function rule21_IdentitiesWait() internal view {
        for (uint256 i; i < WALLETS; ++i) {
            address wallet = wallets[i];
            if (claimedBy[wallet] != 0) continue;
            IViewsFacet.AccountState memory s = accountConfig.accountState(_identity(wallet));
            bool isOwn = s.state == IViewsFacet.HashState.Account && !s.managed
                && s.adminWalletAddress == wallet && s.accepted;
            if (isOwn) revert Broken("named before it was accepted", _identity(wallet), abi.encode(wallet));
        }
    }

    // ------------------------------------------------------------------------------------------------- records

    /// @notice Call after a call that succeeded.
    function _afterSuccess(address caller, bytes memory data, bytes memory result) internal {
        _record(caller, data, result);
        bytes4 selector = bytes4(data);
        if (selector == IAccountWrites.rotateAccountKey.selector) {
            rule17_OldKeyNamesNothing(uint256(_wordAt(data, 0)), uint256(_wordAt(data, 1)));
        }
        if (!isAccountWrite[selector]) return;
        uint256 hash = uint256(_wordAt(data, 0));
        if (
            selector != IAccountWrites.transferChainSecuredAccountOwnership.selector
                && selector != IAccountWrites.rotateAccountKey.selector
                && selector != IAccountWrites.retireAccount.selector
                && selector != IAccountWrites.retireManagedAccount.selector
                && selector != IAccountWrites.cancelTransfer.selector
                && selector != ISignedWrites.cancelNonce.selector
        ) {
            if (rule1_WrittenByItsWriter(hash, caller)) rule2_KeysHaveSixWrites(selector, hash);
        }
        if (selector == IGroupWrites.updateGroup.selector) {
            rule4_NothingIsLeft(hash, uint256(_wordAt(data, 1)));
        }
        // The state that the call may have changed.
        _equal(abi.encodeCall(IViewsFacet.accountState, (hash)));
        _equal(abi.encodeCall(IViewsFacet.accountState, (_identity(caller))));
        if (data.length > 67) {
            // The lower 160 bits: a new admin, where the function has one.
            address newAdmin = address(uint160(uint256(_wordAt(data, 1))));
            _equal(abi.encodeCall(IViewsFacet.accountState, (_identity(newAdmin))));
        }
        _equal(_view(views[4 + _next(14)], hash));
        _equal(_view(views[7 + _next(4)], _keyOf(_numberOf(hash))));
    }

    function _numberOf(uint256 hash) private view returns (uint256 number) {
        (, number) = named(hash);
    }

    /// @notice Records the state that later calls are checked against.
    function _record(address caller, bytes memory data, bytes memory result) private {
        bytes4 selector = bytes4(data);
        _recordChoice(caller);
        if (
            selector == IAccountWrites.convertToChainSecuredAccount.selector
                || selector == IAccountWrites.convertWithConsent.selector
        ) {
            _recordChoice(address(uint160(uint256(_wordAt(data, 1)))));
            // Immediately: the count is of this day only.
            _equal(abi.encodeCall(IConfigFacet.conversionsToday, (caller)));
        } else if (selector == IAccountWrites.transferChainSecuredAccountOwnership.selector) {
            uint256 number = _numberOf(uint256(_wordAt(data, 0)));
            if (number != 0) waiting.push(number);
        } else if (selector == IAccountWrites.newAccount.selector) {
            _recordKey(uint256(_wordAt(data, 0)));
        } else if (
            selector == IUsageKeyWrites.setUsageApiKey.selector
                || selector == IAccountWrites.rotateAccountKey.selector
        ) {
            _recordKey(uint256(_wordAt(data, 1)));
        } else if (selector == IUsageKeyWrites.rotateUsageApiKey.selector) {
            _recordKey(uint256(_wordAt(data, 2)));
        } else if (selector == IGroupWrites.addGroup.selector) {
            uint256 number = _numberOf(uint256(_wordAt(data, 0)));
            // Zero when a later call of the same multicall removed the usage key.
            if (number != 0) rule3_GroupIdIsNew(number, abi.decode(result, (uint256)));
        } else if (selector == IWalletWrites.registerWalletDerivation.selector) {
            uint256 number = _numberOf(uint256(_wordAt(data, 0)));
            if (number != 0) rule8_PathIsTheCallers(number, uint256(_wordAt(data, 2)), caller);
        } else if (selector == IConfigFacet.setApiPayers.selector) {
            rule11_SetByTheOwner(caller, abi.decode(_arguments(data), (address[])));
        } else if (selector == IWritesFacet.multicall.selector) {
            bytes[] memory calls = abi.decode(_arguments(data), (bytes[]));
            bytes[] memory results = abi.decode(result, (bytes[]));
            for (uint256 i; i < calls.length; ++i) {
                _record(caller, calls[i], results[i]);
            }
        }
    }

    /// @notice Records the owner of a hash that became a key, unless a later call of the same multicall ended the key.
    function _recordKey(uint256 hash) private {
        (, uint256 number) = named(hash);
        if (number != 0) rule20_HashIsOfItsAccount(number, hash);
    }

    /// @notice Records the account that a wallet has chosen, by what the model knows of its identity.
    function _recordChoice(address wallet) private {
        Name storage name = names[_identity(wallet)];
        if (name.kind == Kind.Alias
                ? !name.pending && !name.accountKey
                : name.kind == Kind.Account && accounts[name.account].claimed) {
            claimedBy[wallet] = name.account;
        }
    }

    function _arguments(bytes memory data) internal pure returns (bytes memory arguments) {
        arguments = new bytes(data.length - 4);
        // memory-safe: copies into the array that was allocated here.
        assembly ("memory-safe") {
            mcopy(add(arguments, 32), add(data, 36), mload(arguments))
        }
    }

    function _wordAt(bytes memory data, uint256 position) internal pure returns (bytes32 word) {
        // memory-safe: reads what the callee has decoded.
        assembly ("memory-safe") {
            word := mload(add(add(data, 36), shl(5, position)))
        }
    }

    // ---------------------------------------------------------------------------------------- against the model

    function _callAs(address caller, address target, bytes memory data)
        internal
        virtual
        returns (bool ok, bytes memory result);

    /// @notice A view of the diamond returns the answer of the model.
    function _equal(bytes memory data) internal view {
        (bool expected, bytes memory expectedResult) = address(this).staticcall(data);
        (bool ok, bytes memory result) = address(accountConfig).staticcall(data);
        if (ok != expected || keccak256(result) != keccak256(expectedResult)) {
            revert Broken("a view", uint32(bytes4(data)), abi.encode(data, expectedResult, result));
        }
    }

    function _everythingEqualsTheModel() internal {
        for (uint256 i; i < settings.length; ++i) {
            _equal(abi.encodePacked(settings[i]));
        }
        for (uint256 i; i < SERVICES; ++i) {
            _equal(abi.encodeCall(IConfigFacet.conversionsToday, (services[i])));
        }
        for (uint256 number = 1; number <= accountCount; ++number) {
            Target memory t = _target(number);
            _equal(abi.encodeCall(IViewsFacet.resolve, (t.masterHash)));
            _equal(abi.encodeCall(IViewsFacet.accountState, (t.masterHash)));
            _equal(abi.encodeCall(IViewsFacet.resolve, (t.hash)));
            _equal(abi.encodeCall(IViewsFacet.listSizes, (t.hash)));
            _equal(abi.encodeCall(IViewsFacet.listGroups, (t.hash, 0, 1000)));
            _equal(abi.encodeCall(IViewsFacet.listPkps, (t.hash, 0, 1000)));
            _equal(abi.encodeCall(IViewsFacet.listActions, (t.hash, 0, 1000)));
            uint256 key = _keyOf(number);
            if (key != 0) _equal(abi.encodeCall(IViewsFacet.explainExecution, (key, _action(), _pkp())));
        }
        for (uint256 i; i < KEY_HASHES; ++i) {
            _equal(abi.encodeCall(IViewsFacet.resolve, (hashes[i])));
            _equal(abi.encodeCall(IViewsFacet.accountState, (hashes[i])));
        }
        for (uint256 i; i < WALLETS; ++i) {
            _equal(abi.encodeCall(IViewsFacet.resolve, (_identity(wallets[i]))));
            _equal(abi.encodeCall(IViewsFacet.accountState, (_identity(wallets[i]))));
            _equal(abi.encodeCall(ISignedWrites.isNonceUsed, (_identity(wallets[i]), _next(nonceCount + 1))));
        }
    }
}
