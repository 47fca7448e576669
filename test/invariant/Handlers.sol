// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IAccountConfig } from "../../contracts/interfaces/IAccountConfig.sol";
import { IAccountWrites } from "../../contracts/interfaces/IAccountWrites.sol";
import { IActionWrites } from "../../contracts/interfaces/IActionWrites.sol";
import { IDiamondCutFacet } from "../../contracts/interfaces/IDiamondCutFacet.sol";
import { IGroupWrites } from "../../contracts/interfaces/IGroupWrites.sol";
import { ISignedWrites } from "../../contracts/interfaces/ISignedWrites.sol";
import { IWalletWrites } from "../../contracts/interfaces/IWalletWrites.sol";
import { IWritesFacet } from "../../contracts/interfaces/IWritesFacet.sol";
import { ContractWallet } from "./Generator.sol";
import { Rules } from "./Rules.sol";

/// @notice The targets of the invariant tests. Each function makes one call of the diamond in one role and compares its
/// result with that of the model.
contract Handlers is Rules {
    enum Role {
        Payer,
        Admin,
        ContractAdmin,
        FormerAdmin,
        KeyHolder,
        Stranger,
        Service,
        Batch,
        Attacker,
        Reader,
        Signer,
        HandOver
    }

    bytes32 private constant ALLOCATION_PANIC = keccak256(abi.encodeWithSignature("Panic(uint256)", 0x41));

    struct Count {
        uint256 calls;
        uint256 successes;
        uint256 maxGas;
    }

    mapping(bytes4 selector => Count) public countOf;
    mapping(Role role => Count) public countOfRole;
    uint256 private etherCalls;
    /// Signed batches that were executed.
    bytes[] private executed;
    bool private started;

    /// @notice False where switches of planted bugs cost gas.
    bool private immutable isMeasured = vm.envOr("INVARIANT_UNMEASURED", uint256(0)) == 0;

    constructor(IAccountConfig accountConfig_, address[] memory services_)
        Rules(accountConfig_, services_)
    { }

    /// @notice Opens the first accounts: odd numbers managed, even ones ChainSecured, the last with a contract wallet.
    function open() external {
        for (uint256 i; i < 3; ++i) {
            bytes memory data =
                abi.encodeCall(IAccountWrites.newAccount, (hashes[i], true, "", "", services[5]));
            _act(Role.Payer, services[1], data);
            _act(
                Role.Stranger, wallets[i + 1], abi.encodeCall(IAccountWrites.newChainSecuredAccount, ("", ""))
            );
        }
    }

    /// @notice Adds `count` groups, actions and wallets each to an account, and removes most of them again.
    function grow(uint256 number, uint256 count) external {
        Target memory t = _target(number);
        address caller = t.managed ? services[1] : t.admin;
        uint256 mintedFor = t.managed ? 0 : uint160(caller);
        for (uint256 i = t.groupCount + 1; i <= t.groupCount + count; ++i) {
            bool keeps = i + 6 > t.groupCount + count;
            for (uint256 j; j < borders.length; ++j) {
                keeps = keeps || i == borders[j];
            }
            uint256 path = mintedFor << 96 | (4 + ++pathCount);
            address pkpId = _addressOf("filler", i);
            uint256 cidHash = _hashOf("filler", i);
            _fill(
                caller,
                abi.encodeCall(IGroupWrites.addGroup, (t.hash, "", "", new uint256[](0), new address[](0)))
            );
            _fill(
                caller, abi.encodeCall(IWalletWrites.registerWalletDerivation, (t.hash, pkpId, path, "", ""))
            );
            _fill(caller, abi.encodeCall(IActionWrites.addAction, (t.hash, "", "", cidHash)));
            if (keeps) continue;
            _fill(caller, abi.encodeCall(IGroupWrites.removeGroup, (t.hash, i)));
            _fill(caller, abi.encodeCall(IWalletWrites.removeWalletDerivation, (t.hash, pkpId)));
            _fill(caller, abi.encodeCall(IActionWrites.removeAction, (t.hash, cidHash)));
        }
    }

    /// @notice Starts to count calls.
    function startCounting() external {
        started = true;
    }

    function _fill(address caller, bytes memory data) private {
        _act(Role.Batch, caller, data);
    }

    /// Forge resets the time between two calls.
    modifier acts(uint256 seed) {
        _seed(seed);
        if (block.timestamp != clock) vm.warp(clock);
        _;
    }

    // --------------------------------------------------------------------------------------------------- roles

    function payer(uint256 seed) external acts(seed) {
        if (_oneIn(8)) return _act(Role.Payer, _payer(), _otherWrite(IAccountWrites.newAccount.selector));
        Target memory t = _accountOf({ managed: true, withCode: false });
        if (_oneIn(3)) {
            bytes4 selector = holderWrites[_next(holderWrites.length)];
            uint256 start = _next(accountCount);
            for (uint256 i; i < accountCount; ++i) {
                t = _target(1 + (start + i) % accountCount);
                if (t.managed && t.number > 6 && !accounts[t.number].ended) break;
            }
            return _act(Role.Payer, _payer(), _accountWrite(selector, t, address(0)));
        }
        _write(Role.Payer, _payer(), t);
    }

    function admin(uint256 seed) external acts(seed) {
        Target memory t = _accountOf({ managed: false, withCode: false });
        if (_oneIn(3)) t.hash = _identity(t.admin);
        _write(Role.Admin, t.admin, t);
    }

    function contractAdmin(uint256 seed) external acts(seed) {
        Target memory t = _accountOf({ managed: false, withCode: true });
        if (_oneIn(3)) t.hash = _identity(t.admin);
        _write(Role.ContractAdmin, t.admin, t);
    }

    /// @notice Calls by a wallet that transferred its account, or whose account was evicted.
    function formerAdmin(uint256 seed) external acts(seed) {
        Target memory t;
        uint256 start = _next(WALLETS);
        for (uint256 i; i < WALLETS; ++i) {
            address wallet = wallets[(start + i) % WALLETS];
            if (claimedBy[wallet] == 0) continue;
            t = _target(claimedBy[wallet]);
            if (t.admin == wallet) continue;
            if (_oneIn(2)) t.hash = _identity(wallet);
            return _write(Role.FormerAdmin, wallet, t);
        }
        _write(Role.Stranger, _wallet(), _target(_number()));
    }

    /// @notice Calls with a usage-key hash by the writer of the account.
    function keyHolder(uint256 seed) external acts(seed) {
        Target memory t;
        for (uint256 i; i < 8 && t.hash == 0; ++i) {
            t = _target(_number());
            t.hash = _keyOf(t.number);
        }
        address caller = _oneIn(24) ? _wallet() : _writer(t);
        if (_oneIn(8)) return _write(Role.KeyHolder, caller, t);
        _act(Role.KeyHolder, caller, _accountWrite(keyWrites[_next(keyWrites.length)], t, caller));
    }

    function stranger(uint256 seed) external acts(seed) {
        if (_oneIn(3)) {
            address opener = _oneIn(4) ? _wallet() : _freshWallet();
            return _act(Role.Stranger, opener, _otherWrite(IAccountWrites.newChainSecuredAccount.selector));
        }
        Target memory t = _target(_number());
        if (_oneIn(3)) t.hash = _hash();
        _write(Role.Stranger, _wallet(), t);
    }

    /// @notice Calls by the owner, the operators and the payers that do not concern one account.
    function service(uint256 seed) external acts(seed) {
        bytes4 selector = otherWrites[_next(otherWrites.length)];
        address caller = _service();
        uint256 kind = _next(8);
        if (selector == IDiamondCutFacet.acceptOwnership.selector && kind != 0) caller = pendingOwner;
        else if (kind < 3) caller = owner;
        else if (kind == 3) caller = configOperator;
        else if (kind == 4) caller = pricingOperator;
        if (caller == address(0)) caller = _service();
        _act(Role.Service, caller, _otherWrite(selector));
    }

    /// @notice Several writes of one account in a multicall.
    function batch(uint256 seed) external acts(seed) {
        Target memory t = _target(_number());
        address caller = _writer(t);
        bytes[] memory calls = _oneIn(4) ? _stuff(t) : new bytes[](1 + _next(3));
        for (uint256 i; i < calls.length; ++i) {
            if (calls[i].length != 0) continue;
            calls[i] = _accountWrite(accountWrites[_next(accountWrites.length)], t, caller);
        }
        _act(Role.Batch, caller, abi.encodeCall(IWritesFacet.multicall, (calls)));
    }

    /// @notice Decides about an account that waits for its new admin.
    function handOver(uint256 seed) external acts(seed) {
        Target memory t = _waitingAccount();
        if (t.number == 0) {
            t = _accountOf({ managed: false, withCode: false });
            bytes4 transfer = IAccountWrites.transferChainSecuredAccountOwnership.selector;
            return _act(Role.HandOver, t.admin, _accountWrite(transfer, t, t.admin));
        }
        address giver = accounts[t.number].giver;
        if (_oneIn(4)) t.hash = _oneIn(2) ? _identity(t.admin) : _keyOf(t.number);
        uint256 kind = _next(10);
        if (kind < 4) {
            bytes memory cancel = abi.encodeCall(IAccountWrites.cancelTransfer, (t.hash));
            return _act(Role.HandOver, kind < 2 ? giver : kind == 2 ? t.admin : _wallet(), cancel);
        }
        if (kind < 6) {
            bytes memory accept = abi.encodeCall(IAccountWrites.acceptAccount, (t.hash));
            return _act(Role.HandOver, _oneIn(6) ? giver : t.admin, accept);
        }
        if (kind == 6) {
            bytes memory open_ = abi.encodeCall(IAccountWrites.newChainSecuredAccount, ("", ""));
            return _act(Role.HandOver, t.admin, open_);
        }
        if (kind == 7) {
            bytes memory retire = abi.encodeCall(IAccountWrites.retireAccount, (t.hash));
            return _act(Role.HandOver, _oneIn(3) ? giver : t.admin, retire);
        }
        _write(Role.HandOver, kind == 8 ? giver : t.admin, t);
    }

    /// @return t One of the last accounts that were transferred and not accepted, number 0 when there is none.
    function _waitingAccount() private returns (Target memory t) {
        for (uint256 i; i < 12 && waiting.length != 0; ++i) {
            uint256 last = waiting.length < 8 ? waiting.length : 8;
            Account storage a = accounts[waiting[waiting.length - 1 - _next(last)]];
            if (a.pending && !a.ended) return _target(a.number);
        }
    }

    /// @notice Writes that a wallet signs and anyone submits: they have the result of the wallet's own multicall, once.
    function signer(uint256 seed) external acts(seed) {
        if (executed.length != 0 && _oneIn(4)) _refuseAgain();
        (Target memory t, address wallet, bytes[] memory calls) = _batchToSign();
        uint256 nonce = _nonce();
        (bool signable, bytes memory digest) = _digest(t.hash, wallet, calls, nonce);
        if (!signable || privateKeyOf[wallet] == 0) {
            return _act(Role.Admin, wallet, abi.encodeCall(IWritesFacet.multicall, (calls)));
        }
        address other = _oneIn(2) ? siblingOf[wallet] : wallets[_next(WALLETS)];
        if (privateKeyOf[other] == privateKeyOf[wallet] && other != wallet) {
            (, digest) = _digest(t.hash, other, calls, nonce);
        }
        if (other != wallet && other != address(0)) {
            bytes memory forged = _submission(t.hash, wallet, calls, nonce, _sign(other, bytes32(digest)));
            (bool ok,) = _callAs(_wallet(), address(accountConfig), forged);
            if (ok) revert Broken("signed by another wallet", t.hash, forged);
        }
        (, digest) = _digest(t.hash, wallet, calls, nonce);
        _actSigned(wallet, _submission(t.hash, wallet, calls, nonce, _sign(wallet, bytes32(digest))));
    }

    /// @return t The account of the batch.
    /// @return wallet Its admin, at times the wallet that transferred it, or one without an account.
    /// @return calls The writes.
    function _batchToSign() private returns (Target memory t, address wallet, bytes[] memory calls) {
        t = _oneIn(4) ? _waitingAccount() : _accountOf({ managed: false, withCode: _oneIn(4) });
        if (t.number == 0) t = _accountOf({ managed: false, withCode: false });
        calls = new bytes[](_oneIn(3) ? 2 + _next(3) : 1);
        wallet = t.admin;
        if (_oneIn(3)) t.hash = _identity(wallet);
        if (_oneIn(6)) {
            wallet = _oneIn(2) ? _freshWallet() : wallets[_next(WALLETS)];
            t.hash = _identity(wallet);
            if (_oneIn(4)) calls[0] = _accountWrite(ISignedWrites.cancelNonce.selector, t, wallet);
            else if (!_oneIn(6)) calls[0] = _otherWrite(IAccountWrites.newChainSecuredAccount.selector);
        } else if (accounts[t.number].pending && _oneIn(3)) {
            calls[0] = abi.encodeCall(IAccountWrites.cancelTransfer, (t.hash));
            if (!_oneIn(4)) wallet = accounts[t.number].giver;
        }
        for (uint256 i; i < calls.length; ++i) {
            if (calls[i].length != 0) continue;
            calls[i] = _accountWrite(accountWrites[_next(accountWrites.length)], t, wallet);
        }
    }

    function _digest(uint256 hash, address wallet, bytes[] memory calls, uint256 nonce)
        private
        view
        returns (bool ok, bytes memory digest)
    {
        return address(accountConfig)
            .staticcall(
                abi.encodeCall(
                    ISignedWrites.hashSignedWrites, (hash, wallet, calls, nonce, type(uint256).max)
                )
            );
    }

    function _submission(
        uint256 hash,
        address wallet,
        bytes[] memory calls,
        uint256 nonce,
        bytes memory signature
    ) private pure returns (bytes memory) {
        return abi.encodeCall(
            ISignedWrites.executeSigned, (hash, wallet, calls, nonce, type(uint256).max, signature)
        );
    }

    /// @param data A call of executeSigned with a signature of the wallet.
    function _actSigned(address wallet, bytes memory data) private {
        (uint256 hash,, bytes[] memory calls, uint256 nonce,, bytes memory signature) =
            abi.decode(_arguments(data), (uint256, address, bytes[], uint256, uint256, bytes));
        bytes memory call_ = abi.encodeCall(this.executeAsSigner, (hash, calls, nonce));
        (bool expected, bytes memory expectedResult) = _callAs(wallet, address(this), call_);
        (bool ok, bytes memory result) = _callAs(_wallet(), address(accountConfig), data);
        _count(countOfRole[Role.Signer], ok, 0);
        if (ok != expected || keccak256(result) != keccak256(expectedResult)) {
            revert Unequal(wallet, data, expected, expectedResult, ok, result);
        }
        if (!ok) {
            if (calls.length == 1) rule9_NothingStopsAWallet(wallet, calls[0], result);
            return;
        }
        executed.push(data);
        rule22_UsedOnce(data);
        rule22_UsedOnce(_submission(hash, siblingOf[wallet], calls, nonce, signature));
        _equal(abi.encodeCall(ISignedWrites.isNonceUsed, (hash, nonce)));
        if (calls.length == 1) _afterSuccess(wallet, calls[0], abi.decode(result, (bytes[]))[0]);
        else _afterSuccess(wallet, abi.encodeCall(IWritesFacet.multicall, (calls)), result);
    }

    function _refuseAgain() private {
        // One of the last, or of all.
        uint256 range = executed.length < 20 || _oneIn(2) ? executed.length : 20;
        rule22_UsedOnce(executed[executed.length - 1 - _next(range)]);
    }

    /// @notice Call with a signed batch that was executed, by its signer or by another wallet of the same key.
    function rule22_UsedOnce(bytes memory data) private {
        (bool ok,) = _callAs(_wallet(), address(accountConfig), data);
        if (ok) revert Broken("executed twice", 0, data);
    }

    /// @notice Any call with any arguments by any caller.
    function attacker(uint256 seed) external acts(seed) {
        address caller = _oneIn(3) ? _service() : _oneIn(2) ? _freshWallet() : _wallet();
        _act(Role.Attacker, caller, _attack(caller, 2));
    }

    function reader(uint256 seed) external acts(seed) {
        bytes4 selector = _oneIn(8) ? settings[_next(settings.length)] : views[_next(views.length)];
        uint256 hash = _oneIn(2) ? _keyOf(_number()) : _hash();
        _act(Role.Reader, _oneIn(2) ? _payer() : _wallet(), _view(selector, hash));
    }

    function time(uint256 seed) external acts(seed) {
        // Half of the time to the second of a key's expiration, or to the second before.
        uint256 expiration = keys[_keyOf(_number())].expiration;
        if (_oneIn(2) && expiration > clock && expiration < clock + 1 days) clock = expiration - _next(2);
        else clock += _oneIn(16) ? 1 days : _next(3600);
    }

    /// @notice Rule 13.
    function ether_(uint256 seed) external acts(seed) {
        bytes memory data = _oneIn(2) ? bytes("") : _attack(address(this), 1);
        ++etherCalls;
        rule13_PlainEtherIsRefused(1 + _next(address(this).balance), data);
    }

    // ------------------------------------------------------------------------------------------------- choices

    function _payer() private returns (address) {
        return payers.length == 0 ? _service() : payers[_next(payers.length)];
    }

    function _writer(Target memory t) private returns (address) {
        return t.managed ? _payer() : t.admin;
    }

    /// @return calls Add ten actions and ten wallets to one group, so that it gets more members than a replacement clears.
    function _stuff(Target memory t) private returns (bytes[] memory calls) {
        calls = new bytes[](20);
        uint256 groupId = _liveGroup(t);
        uint256[] memory cidHashes = _actions(t, true);
        address[] memory pkpIds = _pkps(t, true);
        for (uint256 i; i < 10; ++i) {
            calls[i] = abi.encodeCall(IActionWrites.addActionToGroup, (t.hash, groupId, cidHashes[i]));
            calls[i + 10] = abi.encodeCall(IWalletWrites.addPkpToGroup, (t.hash, groupId, pkpIds[i]));
        }
    }

    function _accountOf(bool managed, bool withCode) private returns (Target memory t) {
        for (uint256 i; i < 12; ++i) {
            t = _target(_number());
            if (t.managed == managed && (!withCode || t.admin.code.length != 0)) return t;
        }
    }

    function _write(Role role, address caller, Target memory t) private {
        _act(role, caller, _accountWrite(accountWrites[_next(accountWrites.length)], t, caller));
    }

    /// @param depth The maximum nesting of multicalls.
    function _attack(address caller, uint256 depth) private returns (bytes memory data) {
        uint256 kind = _next(16);
        if (kind < 3 && depth != 0) {
            bytes[] memory calls = new bytes[](_next(4));
            for (uint256 i; i < calls.length; ++i) {
                calls[i] = _attack(caller, depth - 1);
            }
            return abi.encodeCall(IWritesFacet.multicall, (calls));
        }
        if (kind < 8) {
            Target memory t = _target(_number());
            t.hash = _hash();
            data = _accountWrite(accountWrites[_next(accountWrites.length)], t, caller);
        } else if (kind < 11) {
            data = _otherWrite(otherWrites[_next(otherWrites.length)]);
        } else {
            data = _words();
        }
        if (!_oneIn(8)) return data;
        // Malformed: cut off, extended, or with another word at its start.
        if (_oneIn(3)) return bytes.concat(data, bytes32(_next()));
        if (data.length < 36) return data;
        uint256 word = _next(data.length / 32);
        uint256 value = _next();
        if (_oneIn(2)) (word, value) = (0, _hash());
        // memory-safe: stays inside `data`, whose length is at least 4 + 32 · (word + 1) or is cut to less.
        assembly ("memory-safe") {
            switch lt(word, 13)
            case 1 {
                if iszero(lt(mload(data), add(36, shl(5, word)))) {
                    mstore(add(data, add(36, shl(5, word))), value)
                }
            }
            default { mstore(data, add(4, shl(5, word))) }
        }
    }

    /// @return data Any selector with a few words, half of them known values.
    function _words() private returns (bytes memory data) {
        uint256 kind = _next(5);
        bytes4 selector = kind == 0
            ? bytes4(bytes32(_next()))
            : kind == 1
                ? accountWrites[_next(accountWrites.length)]
                : kind == 2 ? otherWrites[_next(otherWrites.length)] : views[_next(views.length)];
        data = abi.encodePacked(selector);
        for (uint256 i = _next(7); i != 0; --i) {
            data = bytes.concat(data, bytes32(_word()));
        }
    }

    function _word() private returns (uint256) {
        uint256 kind = _next(12);
        if (kind < 5) return _next();
        if (kind < 8) return _hash();
        if (kind < 9) return _action();
        if (kind < 10) return uint160(_wallet());
        return kind < 11 ? uint160(_pkp()) : _next(300);
    }

    // -------------------------------------------------------------------------------------------------- calls

    error Unequal(address caller, bytes data, bool expected, bytes expectedResult, bool ok, bytes result);

    /// @notice Fails when a write succeeded fewer than `least` times, or a role fewer than ten times as often.
    function requireSuccesses(uint256 least) external view {
        _requireSuccesses(accountWrites, least);
        _requireSuccesses(otherWrites, least);
        for (uint256 i; i <= uint256(type(Role).max); ++i) {
            Count storage count = countOfRole[Role(i)];
            // A former admin may do nothing.
            uint256 seen = Role(i) == Role.FormerAdmin ? count.calls : count.successes;
            if (seen < 10 * least) revert Broken("role does too little", i, abi.encode(seen));
        }
    }

    function _requireSuccesses(bytes4[] storage selectors, uint256 least) private view {
        for (uint256 i; i < selectors.length; ++i) {
            uint256 successes = countOf[selectors[i]].successes;
            if (successes < least) {
                revert Broken("succeeds too seldom", uint32(selectors[i]), abi.encode(successes));
            }
        }
    }

    /// @return line The counts as JSON: calls, successes and the largest gas by role and by selector.
    function summary() external view returns (string memory line) {
        line = string.concat('{"ether":[', vm.toString(etherCalls), ",0,0]");
        string[12] memory names_ = [
            "payer",
            "admin",
            "contractAdmin",
            "formerAdmin",
            "keyHolder",
            "stranger",
            "service",
            "batch",
            "attacker",
            "reader",
            "signer",
            "handOver"
        ];
        for (uint256 i; i < names_.length; ++i) {
            line = _append(line, names_[i], countOfRole[Role(i)]);
        }
        line = _append(line, accountWrites);
        line = _append(line, otherWrites);
        line = _append(line, views);
        line = _append(line, settings);
        Count storage multicalls = countOf[IWritesFacet.multicall.selector];
        line = _append(line, vm.toString(bytes32(IWritesFacet.multicall.selector)), multicalls);
        return string.concat(line, "}");
    }

    function _append(string memory line, bytes4[] storage selectors) private view returns (string memory) {
        for (uint256 i; i < selectors.length; ++i) {
            // A selector with a higher weight is repeated.
            if (i != 0 && selectors[i] == selectors[i - 1]) continue;
            line = _append(line, vm.toString(bytes32(selectors[i])), countOf[selectors[i]]);
        }
        return line;
    }

    function _append(string memory line, string memory name, Count storage count)
        private
        view
        returns (string memory)
    {
        line = string.concat(line, ',"', name, '":[', vm.toString(count.calls), ",");
        return string.concat(line, vm.toString(count.successes), ",", vm.toString(count.maxGas), "]");
    }

    /// @notice Makes a call on the model, then on the diamond, and expects the same answer.
    function _act(Role role, address caller, bytes memory data) internal {
        bytes4 selector = bytes4(data);
        (bool expected, bytes memory expectedResult) = _callAs(caller, address(this), data);
        // The model decodes to memory where the diamond does not: a length out of range is a panic in the model, and an
        // empty revert in the diamond.
        if (!expected && keccak256(expectedResult) == ALLOCATION_PANIC) expectedResult = "";
        uint256 gas = gasleft();
        (bool ok, bytes memory result) = _callAs(caller, address(accountConfig), data);
        gas -= gasleft();
        if (ok != expected || keccak256(result) != keccak256(expectedResult)) {
            revert Unequal(caller, data, expected, expectedResult, ok, result);
        }
        _count(countOf[selector], ok, gas);
        _count(countOfRole[role], ok, gas);
        if (isMeasured) rule12_CostIsBounded(data, ok, gas);
        if (!ok) return rule9_NothingStopsAWallet(caller, data, result);
        _afterSuccess(caller, data, result);
    }

    function _count(Count storage count, bool ok, uint256 gas) private {
        if (!started) return;
        ++count.calls;
        if (ok) ++count.successes;
        if (gas > count.maxGas) count.maxGas = gas;
    }

    function _callAs(address caller, address target, bytes memory data)
        internal
        override
        returns (bool ok, bytes memory result)
    {
        if (caller.code.length != 0 && caller != address(this)) {
            return ContractWallet(caller).forward(target, data);
        }
        vm.prank(caller);
        return target.call(data);
    }
}
