// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IAccountWrites } from "../../contracts/interfaces/IAccountWrites.sol";
import { IActionWrites } from "../../contracts/interfaces/IActionWrites.sol";
import { IConfigFacet } from "../../contracts/interfaces/IConfigFacet.sol";
import { IDiamondCutFacet } from "../../contracts/interfaces/IDiamondCutFacet.sol";
import { IDiamondLoupeFacet } from "../../contracts/interfaces/IDiamondLoupeFacet.sol";
import { IGroupWrites } from "../../contracts/interfaces/IGroupWrites.sol";
import { ISignaturesFacet } from "../../contracts/interfaces/ISignaturesFacet.sol";
import { ISignedWrites } from "../../contracts/interfaces/ISignedWrites.sol";
import { IUsageKeyWrites } from "../../contracts/interfaces/IUsageKeyWrites.sol";
import { IViewsFacet } from "../../contracts/interfaces/IViewsFacet.sol";
import { IWalletWrites } from "../../contracts/interfaces/IWalletWrites.sol";
import { AccountConfigTest } from "../utils/AccountConfigTest.sol";

/// @notice A diamond with many accounts, and every answer of every view about them.
///
/// Even accounts are opened managed, odd ones by their admin wallet. Each even account and the next odd one have the same
/// history, see `_live`. The first two are large. UPGRADE_ACCOUNTS is the number of accounts.
abstract contract Population is AccountConfigTest {
    enum History {
        Plain,
        Removals,
        Wildcards,
        /// Converted or transferred, then written by the new admin.
        HandedOver,
        /// Entries that were removed and added again.
        Returns,
        /// An expired key, a replaced group.
        Replacements,
        /// Several groups in all lists of a key.
        Lists,
        /// A managed account converted and transferred; a wallet's account that evicted another.
        TwoOwners,
        /// A rotated usage key and a changed expiration; a rotated account key.
        Rotations,
        /// All usage keys removed; a transfer that the new admin has not accepted.
        Pending,
        Retired
    }

    /// @notice Calls of one writer in one transaction.
    struct Batch {
        bytes[] calls;
        uint256 count;
    }

    uint256 private constant HISTORIES = uint256(type(History).max) + 1;
    uint256 private constant LARGE = 2;
    uint256 private constant LARGE_GROUPS = 300;
    uint256 private constant LARGE_ACTIONS = 300;
    uint256 private constant LARGE_WALLETS = 130;
    /// The number of accounts that one call fills or reads, which bounds the memory.
    uint256 private constant CHUNK = 50;

    uint256 internal accounts;
    /// The views of the interface, except the loupe, whose answers an upgrade changes.
    bytes4[] internal views;
    /// Position in `views`, plus 1.
    mapping(bytes4 selector => uint256) private _viewNumber;

    function setUp() public virtual override {
        super.setUp();
        chooseVersion();
        _listViews();
        by(owner).setPricingOperator(admin);
        by(owner).setConfigOperator(newAdmin);
        by(owner).setGuardian(newAdmin);
        by(owner).setConversionLimit(1_000_000);
        vm.prank(admin);
        (bool ok,) = address(accountConfig).call(cancelNonceCall());
        vm.assertTrue(ok);
        by(owner).setPricing(7, 77);
        by(owner).setNodeConfiguration("key", "value");
        by(owner).setNodeConfiguration("long", text(500));
        by(owner).transferOwnership(stranger);
        accounts = vm.envOr("UPGRADE_ACCOUNTS", uint256(500));
        for (uint256 i; i < accounts; i += CHUNK) {
            this.fill(i);
        }
    }

    // The version that the accounts are made with, and its functions that differ.

    function chooseVersion() internal virtual { }

    function cancelNonceCall() internal view virtual returns (bytes memory) {
        return abi.encodeCall(ISignedWrites.cancelNonce, (SECURED, 0));
    }

    /// @param hash An account key.
    function rotateCall(uint256 hash, uint256 newHash) internal virtual returns (bytes memory) {
        address newKey_ = addressOfKey(newHash);
        bytes memory consent = consentOf(hash, rotation(hash, newHash, newKey_));
        return abi.encodeCall(IAccountWrites.rotateAccountKey, (hash, newHash, newKey_, DEADLINE, consent));
    }

    /// @param hash An account key.
    function retireCall(uint256 hash) internal virtual returns (bytes memory) {
        bytes memory consent = consentOf(hash, retirement(hash));
        return abi.encodeCall(IAccountWrites.retireManagedAccount, (hash, DEADLINE, consent));
    }

    function _listViews() private {
        string memory json = vm.readFile(artifact("IAccountConfig"));
        string memory path = "$.abi[?(@.stateMutability=='view'||@.stateMutability=='pure')].name";
        string[] memory names = abi.decode(vm.parseJson(json, path), (string[]));
        string[] memory signatures = functionsOf("IAccountConfig").signatures;
        for (uint256 i; i < names.length; ++i) {
            for (uint256 j; j < signatures.length; ++j) {
                bytes4 selector = selectorOf(signatures[j]);
                if (!_isNameOf(names[i], signatures[j]) || _isLoupe(selector)) continue;
                views.push(selector);
                _viewNumber[selector] = views.length;
            }
        }
    }

    function _isNameOf(string memory name, string memory signature) private pure returns (bool) {
        bytes memory start = bytes.concat(bytes(name), "(");
        if (bytes(signature).length < start.length) return false;
        for (uint256 i; i < start.length; ++i) {
            if (bytes(signature)[i] != start[i]) return false;
        }
        return true;
    }

    function _isLoupe(bytes4 selector) private pure returns (bool) {
        return selector == IDiamondLoupeFacet.facets.selector
            || selector == IDiamondLoupeFacet.facetAddress.selector
            || selector == IDiamondLoupeFacet.facetAddresses.selector
            || selector == IDiamondLoupeFacet.facetFunctionSelectors.selector;
    }

    // ------------------------------------------------------------------------------------------------ members

    function _isSecured(uint256 i) private pure returns (bool) {
        return i % 2 == 1;
    }

    function _history(uint256 i) private pure returns (History) {
        return History(i / 2 % HISTORIES);
    }

    function _hash(string memory kind, uint256 i, uint256 number) private pure returns (uint256) {
        return uint256(keccak256(abi.encode(kind, i, number)));
    }

    function _admin(uint256 i, uint256 number) private pure returns (address) {
        // The lower 160 bits of a hash.
        return address(uint160(_hash("admin", i, number)));
    }

    function _pkp(uint256 i, uint256 number) private pure returns (address) {
        // The lower 160 bits of a hash.
        return address(uint160(_hash("wallet", i, number)));
    }

    function _key(uint256 i, uint256 number) private pure returns (uint256) {
        return _hash("key", i, number);
    }

    /// @notice Accounts share their actions with others.
    function _action(uint256 i, uint256 number) private pure returns (uint256) {
        return _hash("action", i % 10, number);
    }

    /// @notice Minted for the first admin.
    function _path(uint256 i, uint256 number) private pure returns (uint256) {
        return _pathFor(_isSecured(i) ? _admin(i, 0) : address(0), i, number);
    }

    function _pathFor(address minter, uint256 i, uint256 number) private pure returns (uint256) {
        // The lower 96 bits of a hash.
        return uint256(uint160(minter)) << 96 | uint96(_hash("path", i, number));
    }

    function _masterHash(uint256 i) private pure returns (uint256) {
        return _isSecured(i) ? identity(_admin(i, 0)) : _hash("account", i, 0);
    }

    /// @notice True for an account that was transferred and not accepted.
    function isWaiting(uint256 i) internal pure returns (bool) {
        return _history(i) == History.Pending && _isSecured(i);
    }

    /// @notice The master hash of an account that waits, the wallet that it waits for, and the one that gave it.
    function waiting(uint256 i) internal pure returns (uint256 master, address admin_, address giver) {
        return (_masterHash(i), _admin(i, 1), _admin(i, 0));
    }

    /// @notice Returns the hash that writes the account after its history.
    function _currentHash(uint256 i) private pure returns (uint256) {
        bool isRotated = _history(i) == History.Rotations && !_isSecured(i);
        return isRotated ? _hash("account", i, 1) : _masterHash(i);
    }

    /// @notice Returns the writer of the account after its history.
    function _writer(uint256 i) private view returns (address) {
        History history = _history(i);
        if (history == History.HandedOver) return _admin(i, 1);
        if (history == History.Pending && _isSecured(i)) return _admin(i, 1);
        if (history == History.TwoOwners && !_isSecured(i)) return _admin(i, 2);
        return _isSecured(i) ? _admin(i, 0) : payer;
    }

    // --------------------------------------------------------------------------------------------------- fill

    function _batch(uint256 size) private pure returns (Batch memory) {
        return Batch({ calls: new bytes[](size), count: 0 });
    }

    function _add(Batch memory batch, bytes memory data) private pure {
        batch.calls[batch.count++] = data;
    }

    function _send(Batch memory batch, address writer_) private {
        bytes[] memory calls = batch.calls;
        uint256 count = batch.count;
        // memory-safe: shortens an array to what is used of it.
        assembly ("memory-safe") {
            mstore(calls, count)
        }
        vm.prank(writer_);
        accountConfig.multicall(calls);
    }

    function _addAction(Batch memory batch, uint256 master, uint256 action) private pure {
        _add(batch, abi.encodeCall(IActionWrites.addAction, (master, "", "", action)));
    }

    function _register(Batch memory batch, uint256 master, address pkp, uint256 path) private pure {
        _add(batch, abi.encodeCall(IWalletWrites.registerWalletDerivation, (master, pkp, path, "", "")));
    }

    function _addGroup(Batch memory batch, uint256 master, uint256[] memory actions, address[] memory pkps)
        private
        pure
    {
        _add(batch, abi.encodeCall(IGroupWrites.addGroup, (master, "", "", actions, pkps)));
    }

    function _setKey(Batch memory batch, uint256 master, uint256 hash, uint256[] memory groups) private pure {
        UsageKey memory k;
        (k.accountApiKeyHash, k.usageApiKeyHash, k.executeInGroups) = (master, hash, groups);
        _add(batch, encodeSetKey(k));
    }

    /// @notice Fills a chunk of accounts, starting with `first`.
    function fill(uint256 first) external {
        for (uint256 i = first; i < first + CHUNK && i < accounts; ++i) {
            _open(i);
            _live(i);
            if (i < LARGE) _grow(i);
        }
    }

    function _open(uint256 i) private {
        if (!_isSecured(i)) {
            vm.prank(payer);
            accountConfig.newAccount(_masterHash(i), true, "", "", addressOfKey(_masterHash(i)));
            return;
        }
        if (_history(i) == History.TwoOwners) {
            vm.prank(payer);
            accountConfig.newAccount(_masterHash(i), true, "", "", stranger);
            Batch memory evicted = _batch(3);
            _addAction(evicted, _masterHash(i), _action(i, 5));
            _addGroup(evicted, _masterHash(i), list(_action(i, 5)), wallets());
            _setKey(evicted, _masterHash(i), _key(i, 1), list(1));
            _send(evicted, payer);
        }
        vm.prank(_admin(i, 0));
        accountConfig.newChainSecuredAccount("", "");
    }

    /// @notice The history of an account. Each one that is not retired has group 1, wallet 0 and key 0 at the end.
    function _live(uint256 i) private {
        uint256 m = _masterHash(i);
        History history = _history(i);
        Batch memory b = _batch(20);
        _addAction(b, m, _action(i, 0));
        _addAction(b, m, _action(i, 1));
        _register(b, m, _pkp(i, 0), _path(i, 0));
        _addGroup(b, m, list(_action(i, 0)), list(_pkp(i, 0)));
        _setKey(b, m, _key(i, 0), list(1));
        if (history == History.Removals) {
            _register(b, m, _pkp(i, 1), _path(i, 1));
            _addGroup(b, m, list(_action(i, 1)), list(_pkp(i, 1)));
            _addGroup(b, m, list(_action(i, 0)), list(_pkp(i, 1)));
            _setKey(b, m, _key(i, 1), list(1, 2, 3));
            _setKey(b, m, _key(i, 0), list(1, 2, 3));
            _add(b, abi.encodeCall(IGroupWrites.removeGroup, (m, 2)));
            _add(b, abi.encodeCall(IActionWrites.removeAction, (m, _action(i, 1))));
            _add(b, abi.encodeCall(IWalletWrites.removeWalletDerivation, (m, _pkp(i, 1))));
            _add(b, abi.encodeCall(IUsageKeyWrites.removeUsageApiKey, (m, _key(i, 1))));
        } else if (history == History.Wildcards) {
            _addGroup(b, m, list(0), list(address(0)));
            UsageKey memory k = almightyKey(_key(i, 1));
            k.accountApiKeyHash = m;
            _add(b, encodeSetKey(k));
        } else if (history == History.Returns) {
            _add(b, abi.encodeCall(IActionWrites.removeAction, (m, _action(i, 0))));
            _addAction(b, m, _action(i, 0));
            _add(b, abi.encodeCall(IWalletWrites.removeWalletDerivation, (m, _pkp(i, 0))));
            _register(b, m, _pkp(i, 0), _path(i, 0));
            _add(b, abi.encodeCall(IUsageKeyWrites.removeUsageApiKey, (m, _key(i, 0))));
            _setKey(b, m, _key(i, 0), list());
        } else if (history == History.Replacements) {
            UsageKey memory k;
            (k.accountApiKeyHash, k.usageApiKeyHash, k.expiration) = (m, _key(i, 1), NOW);
            (k.deleteGroups, k.executeInGroups) = (true, list(1));
            _add(b, encodeSetKey(k));
            _add(
                b,
                abi.encodeCall(
                    IGroupWrites.updateGroup, (m, 1, "", "", list(_action(i, 1)), list(_pkp(i, 0)))
                )
            );
        } else if (history == History.Lists) {
            for (uint256 j; j < 4; ++j) {
                _addGroup(b, m, list(_action(i, j % 2)), j % 2 == 0 ? list(_pkp(i, 0)) : wallets());
            }
            UsageKey memory k;
            (k.accountApiKeyHash, k.usageApiKeyHash, k.createPKPs) = (m, _key(i, 1), true);
            (k.manageIPFSIdsInGroups, k.addPkpToGroups) = (list(1, 2), list(3, 4));
            (k.removePkpFromGroups, k.executeInGroups) = (list(5), list(2, 3, 5));
            _add(b, encodeSetKey(k));
            _add(b, abi.encodeCall(IGroupWrites.removeGroup, (m, 3)));
            _add(b, abi.encodeCall(IActionWrites.removeActionFromGroup, (m, 1, _action(i, 0))));
            _add(b, abi.encodeCall(IWalletWrites.removePkpFromGroup, (m, 1, _pkp(i, 0))));
        } else if (history == History.Rotations) {
            _setKey(b, m, _key(i, 1), list(1));
            _add(b, abi.encodeCall(IUsageKeyWrites.rotateUsageApiKey, (m, _key(i, 1), _key(i, 2))));
            _add(b, abi.encodeCall(IUsageKeyWrites.setUsageApiKeyExpiration, (m, _key(i, 0), NOW + 1)));
            if (!_isSecured(i)) {
                _add(b, rotateCall(m, _currentHash(i)));
            }
        } else if (history == History.Pending) {
            _setKey(b, m, _key(i, 1), list(1));
            _add(b, abi.encodeCall(IUsageKeyWrites.removeAllUsageApiKeys, (m)));
            _setKey(b, m, _key(i, 0), list(1));
            if (_isSecured(i)) {
                _add(
                    b, abi.encodeCall(IAccountWrites.transferChainSecuredAccountOwnership, (m, _admin(i, 1)))
                );
            }
        } else if (history == History.Retired) {
            _add(b, _isSecured(i) ? abi.encodeCall(IAccountWrites.retireAccount, (m)) : retireCall(m));
        }
        _send(b, _isSecured(i) ? _admin(i, 0) : payer);
        if (history == History.HandedOver || (history == History.TwoOwners && !_isSecured(i))) _handOver(i);
    }

    function _handOver(uint256 i) private {
        uint256 m = _masterHash(i);
        vm.prank(_isSecured(i) ? _admin(i, 0) : payer);
        if (_isSecured(i)) accountConfig.transferChainSecuredAccountOwnership(m, _admin(i, 1));
        else accountConfig.convertToChainSecuredAccount(m, _admin(i, 1));
        if (_history(i) == History.TwoOwners) {
            vm.prank(_admin(i, 1));
            accountConfig.transferChainSecuredAccountOwnership(m, _admin(i, 2));
        }
        Batch memory b = _batch(4);
        uint256 aliasHash = identity(_writer(i));
        // Accepts a transferred account.
        _add(b, abi.encodeCall(IGroupWrites.updateGroupMetadata, (m, 1, "", "")));
        _register(b, aliasHash, _pkp(i, 1), _pathFor(_writer(i), i, 1));
        _add(b, abi.encodeCall(IWalletWrites.addPkpToGroup, (aliasHash, 1, _pkp(i, 1))));
        _setKey(b, aliasHash, _key(i, 1), list(1));
        _send(b, _writer(i));
    }

    /// @notice Makes an account large: beyond the first word of every packed set.
    function _grow(uint256 i) private {
        uint256 m = _masterHash(i);
        Batch memory b = _batch(LARGE_GROUPS + LARGE_ACTIONS + LARGE_WALLETS + 20);
        for (uint256 n = 2; n < LARGE_ACTIONS; ++n) {
            _addAction(b, m, _action(i, n));
        }
        for (uint256 n = 1; n < LARGE_WALLETS; ++n) {
            _register(b, m, _pkp(i, n), _path(i, n));
        }
        for (uint256 n = 2; n <= LARGE_GROUPS; ++n) {
            _addGroup(b, m, list(_action(i, n % LARGE_ACTIONS)), list(_pkp(i, n % LARGE_WALLETS)));
        }
        for (uint256 n = 2; n < 20; ++n) {
            _add(
                b,
                abi.encodeCall(
                    IActionWrites.addActionToGroup, (m, LARGE_GROUPS, _action(i, LARGE_ACTIONS - n))
                )
            );
        }
        _setKey(b, m, _key(i, 1), list(1, 70, LARGE_GROUPS));
        _add(b, abi.encodeCall(IGroupWrites.removeGroup, (m, 150)));
        _send(b, _writer(i));
    }

    // -------------------------------------------------------------------------------------------------- write

    /// @notice Writes some accounts of a chunk again: one in three of each history and mode.
    function write(uint256 first) external {
        for (uint256 i = first; i < first + CHUNK && i < accounts; ++i) {
            if (i / (2 * HISTORIES) % 3 != 0 || _history(i) == History.Retired) continue;
            uint256 m = _currentHash(i);
            Batch memory b = _batch(8);
            _addGroup(b, m, list(_action(i, 3000)), list(_pkp(i, 0)));
            _register(b, m, _pkp(i, 2000), _pathFor(_writer(i) == payer ? address(0) : _writer(i), i, 2000));
            _add(b, abi.encodeCall(IWalletWrites.addPkpToGroup, (m, 1, _pkp(i, 2000))));
            _setKey(b, m, _key(i, 2), list(0));
            _setKey(b, m, _key(i, 0), list());
            _add(b, abi.encodeCall(IActionWrites.removeAction, (m, _action(i, 0))));
            _send(b, _writer(i));
        }
    }

    function writeSome() internal {
        for (uint256 i; i < accounts; i += CHUNK) {
            this.write(i);
        }
    }

    // ---------------------------------------------------------------------------------------------------- ask

    /// @return answers By position in `views`: a hash over all answers of the view, including reverts.
    function askAll() internal returns (bytes32[] memory) {
        return askSome(accounts);
    }

    /// @return answers Of the settings and the first `count` accounts, rounded up to a chunk.
    function askSome(uint256 count) internal returns (bytes32[] memory answers) {
        answers = new bytes32[](views.length);
        _askSettings(answers);
        for (uint256 i; i < count; i += CHUNK) {
            answers = this.ask(i, answers);
        }
    }

    function _ask(bytes32[] memory answers, bytes memory data) private view {
        // Fails for any function that is not in `views`.
        uint256 position = _viewNumber[bytes4(data)] - 1;
        (bool ok, bytes memory result) = address(accountConfig).staticcall(data);
        answers[position] = keccak256(abi.encodePacked(answers[position], ok, result));
    }

    function _askSettings(bytes32[] memory answers) private view {
        _ask(answers, abi.encodeCall(IDiamondCutFacet.owner, ()));
        _ask(answers, abi.encodeCall(IDiamondCutFacet.pendingOwner, ()));
        _ask(answers, abi.encodeCall(IDiamondLoupeFacet.supportsInterface, (0x48e2b093)));
        _ask(answers, abi.encodeCall(IConfigFacet.api_payers, ()));
        _ask(answers, abi.encodeCall(IConfigFacet.adminApiPayerAccount, ()));
        _ask(answers, abi.encodeCall(IConfigFacet.pricingOperator, ()));
        _ask(answers, abi.encodeCall(IConfigFacet.configOperator, ()));
        _ask(answers, abi.encodeCall(IConfigFacet.guardian, ()));
        _ask(answers, abi.encodeCall(IConfigFacet.payersFrozen, ()));
        _ask(answers, abi.encodeCall(IConfigFacet.conversionLimit, ()));
        _ask(answers, abi.encodeCall(IConfigFacet.conversionsToday, (payer)));
        _ask(answers, abi.encodeCall(IConfigFacet.consentRequired, ()));
        _ask(answers, abi.encodeCall(ISignedWrites.isNonceUsed, (SECURED, 0)));
        _ask(answers, abi.encodeCall(ISignedWrites.isNonceUsed, (SECURED, 1)));
        _ask(answers, abi.encodeCall(ISignedWrites.eip712Domain, ()));
        bytes[] memory calls = new bytes[](1);
        calls[0] = abi.encodeCall(IGroupWrites.removeGroup, (SECURED, 1));
        _ask(answers, abi.encodeCall(ISignedWrites.hashSignedWrites, (SECURED, admin, calls, 0, NOW)));
        _ask(answers, abi.encodeCall(IViewsFacet.accountCount, ()));
        _ask(answers, abi.encodeCall(IViewsFacet.pkpCount, ()));
        _ask(answers, abi.encodeCall(IConfigFacet.getPricing, (7)));
        _ask(answers, abi.encodeCall(IConfigFacet.nodeConfigurationValue, ("long")));
        _ask(answers, abi.encodeCall(IConfigFacet.nodeConfigurationValues, ()));
        for (uint256 i; i < 2; ++i) {
            (uint8 v, bytes32 r, bytes32 s) = vm.sign(keyOf(i == 0 ? "admin" : "stranger"), bytes32(i));
            bytes memory signature = abi.encodePacked(r, s, v);
            _ask(
                answers,
                abi.encodeCall(ISignaturesFacet.isValidWalletSignature, (admin, bytes32(i), signature))
            );
            _ask(
                answers,
                abi.encodeCall(ISignaturesFacet.isValidAccountSignature, (SECURED, bytes32(i), signature))
            );
        }
    }

    /// @notice Adds the answers about a chunk of accounts.
    function ask(uint256 first, bytes32[] memory answers) external returns (bytes32[] memory) {
        for (uint256 i = first; i < first + CHUNK && i < accounts; ++i) {
            uint256 m = _currentHash(i);
            _askHash(answers, _masterHash(i));
            _askLists(answers, m, i < LARGE ? LARGE_GROUPS : 2, i < LARGE ? 23 : 1);
            for (uint256 n; n < 2; ++n) {
                _ask(answers, abi.encodeCall(IViewsFacet.getWalletDerivation, (m, _pkp(i, n))));
                _ask(answers, abi.encodeCall(IViewsFacet.getPathOwnerMaster, (_path(i, n))));
                _ask(answers, abi.encodeCall(IViewsFacet.isPathRegistered, (_path(i, n))));
            }
            _askHash(answers, m);
            for (uint256 n; n < 3; ++n) {
                _askState(answers, identity(_admin(i, n)));
                if (n != 1 || !isWaiting(i)) {
                    _ask(answers, abi.encodeCall(IViewsFacet.resolve, (identity(_admin(i, n)))));
                }
                _askState(answers, _key(i, n));
                _ask(answers, abi.encodeCall(IViewsFacet.resolve, (_key(i, n))));
                _askRule(answers, _key(i, n), _action(i, n), _pkp(i, n));
            }
            _askKey(answers, _key(i, i % 3), _action(i, 0), _pkp(i, 0));
            vm.prank(_writer(i));
            _ask(answers, abi.encodeCall(IViewsFacet.accountExistsAndIsMutable, (m)));
            if (i >= LARGE) continue;
            for (uint256 n; n < LARGE_ACTIONS; n += 10) {
                _askKey(answers, _key(i, 1), _action(i, n), _pkp(i, n % LARGE_WALLETS));
            }
        }
        return answers;
    }

    function _askState(bytes32[] memory answers, uint256 hash) private view {
        _ask(answers, abi.encodeCall(IViewsFacet.accountState, (hash)));
    }

    function _askHash(bytes32[] memory answers, uint256 hash) private view {
        _askState(answers, hash);
        _ask(answers, abi.encodeCall(IViewsFacet.resolve, (hash)));
        _ask(answers, abi.encodeCall(IViewsFacet.allApiKeyHashesToMaster, (hash)));
        _ask(answers, abi.encodeCall(IViewsFacet.getAccountWalletAddress, (hash)));
    }

    function _askKey(bytes32[] memory answers, uint256 hash, uint256 action, address pkp) private view {
        _ask(answers, abi.encodeCall(IViewsFacet.canExecuteAction, (hash, action)));
        _ask(answers, abi.encodeCall(IViewsFacet.canUseWalletInAction, (hash, action, pkp)));
        _ask(answers, abi.encodeCall(IViewsFacet.canExecuteActionAndUseWallet, (hash, action, pkp)));
        _askRule(answers, hash, action, pkp);
    }

    function _askRule(bytes32[] memory answers, uint256 hash, uint256 action, address pkp) private view {
        _ask(answers, abi.encodeCall(IViewsFacet.explainExecution, (hash, action, pkp)));
    }

    function _askLists(bytes32[] memory answers, uint256 m, uint256 groups, uint256 step) private view {
        _ask(answers, abi.encodeCall(IViewsFacet.listSizes, (m)));
        _ask(answers, abi.encodeCall(IViewsFacet.listApiKeys, (m, 0, 20)));
        _ask(answers, abi.encodeCall(IViewsFacet.listGroups, (m, 0, 1000)));
        _ask(answers, abi.encodeCall(IViewsFacet.listPkps, (m, 0, 1000)));
        _ask(answers, abi.encodeCall(IViewsFacet.listActions, (m, 0, 1000)));
        for (uint256 id = groups; id > 0; id = id > step ? id - step : 0) {
            _ask(answers, abi.encodeCall(IViewsFacet.listGroupContents, (m, id)));
            _ask(answers, abi.encodeCall(IViewsFacet.listWalletsInGroup, (m, id, 0, 10)));
            _ask(answers, abi.encodeCall(IViewsFacet.listActionsInGroup, (m, id, 0, 10)));
        }
    }
}
