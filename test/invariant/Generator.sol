// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IAccountConfig } from "../../contracts/interfaces/IAccountConfig.sol";
import { IAccountWrites } from "../../contracts/interfaces/IAccountWrites.sol";
import { IActionWrites } from "../../contracts/interfaces/IActionWrites.sol";
import { IConfigFacet } from "../../contracts/interfaces/IConfigFacet.sol";
import { IDiamond } from "../../contracts/interfaces/IDiamond.sol";
import { IDiamondCutFacet } from "../../contracts/interfaces/IDiamondCutFacet.sol";
import { IGroupWrites } from "../../contracts/interfaces/IGroupWrites.sol";
import { IMemberWrites } from "../../contracts/interfaces/IMemberWrites.sol";
import { ISignedWrites } from "../../contracts/interfaces/ISignedWrites.sol";
import { IUsageKeyWrites } from "../../contracts/interfaces/IUsageKeyWrites.sol";
import { IViewsFacet } from "../../contracts/interfaces/IViewsFacet.sol";
import { IWalletWrites } from "../../contracts/interfaces/IWalletWrites.sol";
import { Vm } from "../utils/Vm.sol";
import { Model } from "./Model.sol";
import { IERC1271 } from "@openzeppelin/contracts/interfaces/IERC1271.sol";
import { ECDSA } from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";

/// @notice A wallet with code, which forwards calls of any caller and accepts the signatures of one key (ERC-1271).
contract ContractWallet is IERC1271 {
    address private immutable signer;

    constructor(address signer_) {
        signer = signer_;
    }

    function isValidSignature(bytes32 digest, bytes calldata signature) external view returns (bytes4) {
        return ECDSA.recover(digest, signature) == signer ? IERC1271.isValidSignature.selector : bytes4(0);
    }

    function forward(address target, bytes calldata data) external returns (bool ok, bytes memory result) {
        return target.call(data);
    }
}

/// @notice Calldata for every function of AccountConfig, from small pools of values, so that hashes, wallets, paths and groups
/// occur repeatedly, and sometimes a new or an oversized value.
abstract contract Generator is Model {
    Vm internal constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));

    uint256 internal constant WALLETS = 320;
    uint256 internal constant SERVICES = 6;
    uint256 internal constant KEY_HASHES = 80;
    uint256 internal constant ITEMS = 12;

    IAccountConfig internal immutable accountConfig;

    /// Owners, payers and operators come from here.
    address[] internal services;
    /// Wallets that open and receive accounts. Every fourth has code, and the key of the wallet before it signs for both.
    address[] internal wallets;
    /// The key that signs for a wallet.
    mapping(address wallet => uint256) internal privateKeyOf;
    /// The other wallet of the same key.
    mapping(address wallet => address) internal siblingOf;
    /// The first one is "every".
    uint256[] internal actions;
    address[] internal pkps;
    /// Of account keys and usage keys.
    uint256[] internal hashes;
    /// Wallets below this one have had an account.
    uint256 internal fresh;
    mapping(address wallet => uint256 account) internal claimedBy;
    /// Group ids on both sides of the ends of words and pages.
    uint16[] internal borders = [1, 2, 63, 64, 94, 95, 127, 128, 191, 192, 255, 256];
    uint256 internal pathCount;
    uint256 private seeds;
    uint256 private transient random;

    /// @notice The account of a call, from the model.
    struct Target {
        /// The hash that the call uses.
        uint256 hash;
        uint256 number;
        uint256 masterHash;
        address admin;
        bool managed;
        uint256 groupCount;
    }

    constructor(IAccountConfig accountConfig_, address[] memory services_) {
        (accountConfig, services, diamond) = (accountConfig_, services_, address(accountConfig_));
        for (uint256 i; i < SERVICES; ++i) {
            privateKeyOf[services_[i]] = uint256(keccak256(bytes(string.concat("service ", vm.toString(i)))));
        }
        (owner, adminApiPayerAccount) = (accountConfig.owner(), accountConfig.adminApiPayerAccount());
        payers = accountConfig.api_payers();
        for (uint256 i; i < WALLETS; ++i) {
            wallets.push(_newWallet({ i: i, withCode: i % 4 == 3 }));
        }
        (actions, pkps) = (new uint256[](1), new address[](1));
        for (uint256 i; i < ITEMS; ++i) {
            actions.push(_hashOf("action", i));
            pkps.push(_addressOf("wallet", i));
        }
        for (uint256 i; i < KEY_HASHES; ++i) {
            hashes.push(_hashOf("key", i));
        }
    }

    function _newWallet(uint256 i, bool withCode) private returns (address wallet) {
        uint256 privateKey = _hashOf("admin wallet", withCode ? i - 1 : i);
        wallet = vm.addr(privateKey);
        if (withCode) wallet = address(new ContractWallet(wallet));
        privateKeyOf[wallet] = privateKey;
        if (withCode) (siblingOf[wallet], siblingOf[wallets[i - 1]]) = (wallets[i - 1], wallet);
    }

    // -------------------------------------------------------------------------------------------------- chance

    function _seed(uint256 seed) internal {
        // Forge repeats values.
        random = uint256(keccak256(abi.encode(seed, ++seeds)));
    }

    /// @notice Returns the upper half of a linear congruential generator: cheap, and random enough for choices.
    function _next() internal returns (uint256) {
        // Unchecked: modulo 2^256 on purpose.
        unchecked {
            random = random * 0x5851f42d4c957f2d14057b7ef767814f5851f42d4c957f2d14057b7ef767814d + 1;
        }
        return (random >> 128) * 0x100000000000000000000000000000001;
    }

    function _next(uint256 bound) internal returns (uint256) {
        return _next() % bound;
    }

    function _oneIn(uint256 bound) internal returns (bool) {
        return _next(bound) == 0;
    }

    // -------------------------------------------------------------------------------------------------- values

    function _hashOf(string memory kind, uint256 i) internal pure returns (uint256) {
        return uint256(keccak256(abi.encode(kind, i)));
    }

    function _addressOf(string memory kind, uint256 i) internal pure returns (address) {
        return address(uint160(_hashOf(kind, i)));
    }

    function _identity(address wallet) internal pure returns (uint256) {
        return uint256(keccak256(abi.encodePacked(wallet)));
    }

    function _service() internal returns (address) {
        return services[_next(SERVICES)];
    }

    function _wallet() internal returns (address) {
        return _oneIn(12) ? _service() : wallets[_next(WALLETS)];
    }

    /// @notice Returns a wallet that never had an account, as long as there is one.
    function _freshWallet() internal returns (address) {
        while (fresh < WALLETS && claimedBy[wallets[fresh]] != 0) ++fresh;
        uint256 i = fresh + _next(3);
        return i < WALLETS ? wallets[i] : _wallet();
    }

    function _newAdmin() internal returns (address) {
        if (_oneIn(32)) return address(0);
        return _oneIn(4) ? _wallet() : _freshWallet();
    }

    /// @notice Returns the number of an account, mostly one of the first.
    function _number() internal returns (uint256) {
        for (uint256 i; i < 8; ++i) {
            uint256 number = 1 + _next(_oneIn(3) ? accountCount : 6 + i);
            if (number <= accountCount && (!accounts[number].ended || _oneIn(32))) return number;
        }
        return accountCount;
    }

    function _target(uint256 number) internal view returns (Target memory t) {
        t.number = number;
        Account storage a = accounts[number];
        (t.masterHash, t.admin, t.managed, t.groupCount) = (a.masterHash, a.admin, a.managed, a.groupCount);
        t.hash = a.keyHash;
    }

    /// @notice Returns a usage key of the account, 0 when it has none.
    function _keyOf(uint256 number) internal returns (uint256) {
        uint256[] storage all = accounts[number].keys;
        uint256 length = all.length;
        if (length == 0) return 0;
        uint256 start = _next(length);
        for (uint256 i; i < length; ++i) {
            uint256 key = all[(start + i) % length];
            if (key != 0) return key;
        }
        return 0;
    }

    /// @notice Returns any hash: of an account, an alias, a usage key, a wallet without an account, or of nothing.
    function _hash() internal returns (uint256) {
        uint256 kind = _next(16);
        if (kind < 1) return _target(_number()).masterHash;
        if (kind < 5) return _target(_number()).hash;
        if (kind < 7) return _identity(_target(_number()).admin);
        if (kind < 11) return _keyOf(_number());
        if (kind < 13) return _identity(_oneIn(2) ? _freshWallet() : _wallet());
        if (kind < 15) return hashes[_next(KEY_HASHES)];
        return _oneIn(2) ? 0 : _next();
    }

    /// @notice Returns a hash for a usage key of the account.
    function _usageHash(Target memory t) internal returns (uint256) {
        uint256 kind = _next(16);
        uint256 key = kind < 9 ? _keyOf(t.number) : 0;
        if (key != 0) return key;
        if (kind < 13) return _pooledHash();
        if (kind < 14) return _identity(_freshWallet());
        return _oneIn(4) ? t.masterHash : _hash();
    }

    /// @notice Returns a hash of the pool. A hash belongs to its first account for ever, so half of the time a new one
    /// takes the place of another.
    function _pooledHash() internal returns (uint256) {
        uint256 i = _next(KEY_HASHES);
        if (_oneIn(2)) hashes[i] = _next();
        return hashes[i];
    }

    /// @notice Returns a group id of the account, mostly a live one among the last.
    function _group(Target memory t) internal returns (uint256) {
        uint256 kind = _next(24);
        if (kind == 0) return 0;
        if (kind == 1) return _oneIn(2) ? _next() : t.groupCount + 1 + _next(2);
        return kind == 2 ? 1 + _next(t.groupCount + 1) : _liveGroup(t);
    }

    /// @return id Mostly a live group: one of the last, or one at the end of a word or page.
    function _liveGroup(Target memory t) internal returns (uint256 id) {
        for (uint256 i; i < 6; ++i) {
            uint256 range = t.groupCount > 6 ? 6 : t.groupCount;
            id = t.groupCount - (range == 0 ? 0 : _next(range));
            if (t.groupCount > 60 && _oneIn(3)) id = borders[_next(borders.length)];
            if (accounts[t.number].groups[id].live) return id;
        }
    }

    function _action() internal returns (uint256) {
        return _oneIn(32) ? _next() : actions[_next(actions.length)];
    }

    function _pkp() internal returns (address) {
        return _oneIn(32) ? _wallet() : pkps[_next(pkps.length)];
    }

    /// @return cidHash Mostly an action of the account.
    function _actionOf(Target memory t) internal returns (uint256 cidHash) {
        for (uint256 i; i < 6; ++i) {
            cidHash = _action();
            if (accounts[t.number].hasAction[cidHash]) return cidHash;
        }
    }

    /// @return groupId Mostly a group that permits the action.
    function _actionIn(Target memory t) internal returns (uint256 groupId, uint256 cidHash) {
        for (uint256 i; i < 4; ++i) {
            groupId = _group(t);
            uint256 start = _next(actions.length);
            for (uint256 j; j < actions.length; ++j) {
                cidHash = actions[(start + j) % actions.length];
                if (accounts[t.number].groups[groupId].actions[cidHash]) return (groupId, cidHash);
            }
        }
    }

    /// @return groupId Mostly a group that permits the wallet.
    function _pkpIn(Target memory t) internal returns (uint256 groupId, address pkpId) {
        for (uint256 i; i < 4; ++i) {
            groupId = _group(t);
            uint256 start = _next(pkps.length);
            for (uint256 j; j < pkps.length; ++j) {
                pkpId = pkps[(start + j) % pkps.length];
                if (accounts[t.number].groups[groupId].pkps[pkpId]) return (groupId, pkpId);
            }
        }
    }

    /// @return pkpId Mostly a wallet of the account, or "every".
    function _pkpOf(Target memory t) internal returns (address pkpId) {
        for (uint256 i; i < 4; ++i) {
            pkpId = _pkp();
            if (pkpId == address(0) || accounts[t.number].pathOf[pkpId] != 0) return pkpId;
        }
    }

    function _path(address caller, bool managed) internal returns (uint256) {
        address mintedFor = managed ? address(0) : caller;
        if (_oneIn(12)) mintedFor = _oneIn(2) ? address(0) : _wallet();
        return (uint256(uint160(mintedFor)) << 96) | (_oneIn(4) ? _next(4) : 4 + ++pathCount);
    }

    function _expiration() internal returns (uint256) {
        uint256 kind = _next(32);
        if (kind < 16) return 0;
        if (kind == 31) return type(uint40).max + _next(2);
        if (kind == 30) return _next();
        return kind < 19 ? block.timestamp - _next(100) : block.timestamp + _next(400_000);
    }

    function _name() internal returns (string memory) {
        return string(new bytes(_oneIn(64) ? 128 + _next(2) : _next(13)));
    }

    function _description() internal returns (string memory) {
        return string(new bytes(_oneIn(64) ? 1024 + _next(2) : _next(61)));
    }

    /// @return ids A permission list: nothing, the wildcard, some groups, both.
    function _grants(Target memory t) internal returns (uint256[] memory ids) {
        uint256 kind = _next(8);
        uint256 length = kind < 2 ? 0 : kind < 4 ? 1 : 1 + _next(4);
        if (_oneIn(100)) length = 49 + _next(3);
        ids = new uint256[](length);
        if (kind == 2 || kind == 3) return ids;
        uint256 count = kind == 4 ? 1 : 0;
        for (uint256 i = count; i < length; ++i) {
            uint256 id = _liveGroup(t);
            if (accounts[t.number].groups[id].live || _oneIn(64)) ids[count++] = id;
        }
        // memory-safe: shortens an array that was allocated here.
        assembly ("memory-safe") {
            mstore(ids, count)
        }
    }

    /// @param many True for up to all items of the account, so that groups get more members than a replacement clears.
    function _actions(Target memory t, bool many) internal returns (uint256[] memory list) {
        list = new uint256[](many ? 10 : _oneIn(64) ? 11 : _next(4));
        uint256[] storage all = accounts[t.number].actions;
        uint256 count;
        uint256 start = _next();
        for (uint256 i; many && i < all.length && count < 10; ++i) {
            uint256 cidHash = all[(start % all.length + i) % all.length];
            if (cidHash != 0) list[count++] = cidHash;
        }
        for (; count < list.length; ++count) {
            list[count] = _action();
        }
    }

    function _pkps(Target memory t, bool many) internal returns (address[] memory list) {
        list = new address[](many ? 10 : _oneIn(64) ? 11 : _next(4));
        address[] storage all = accounts[t.number].pkps;
        uint256 count;
        uint256 start = _next();
        for (uint256 i; many && i < all.length && count < 10; ++i) {
            address pkpId = all[(start % all.length + i) % all.length];
            if (pkpId != address(0)) list[count++] = pkpId;
        }
        for (; count < list.length; ++count) {
            list[count] = _oneIn(16) ? _pkp() : _pkpOf(t);
        }
    }

    // ------------------------------------------------------------------------------------------------ calldata

    /// The writes of an existing account, each repeated by its weight.
    bytes4[] internal accountWrites = [
        IUsageKeyWrites.setUsageApiKey.selector,
        IUsageKeyWrites.setUsageApiKey.selector,
        IUsageKeyWrites.setUsageApiKey.selector,
        IUsageKeyWrites.setUsageApiKey.selector,
        IUsageKeyWrites.updateUsageApiKeyMetadata.selector,
        IUsageKeyWrites.updateUsageApiKeyMetadata.selector,
        IUsageKeyWrites.removeUsageApiKey.selector,
        IUsageKeyWrites.setUsageApiKeyExpiration.selector,
        IUsageKeyWrites.setUsageApiKeyExpiration.selector,
        IUsageKeyWrites.rotateUsageApiKey.selector,
        IUsageKeyWrites.rotateUsageApiKey.selector,
        IAccountWrites.rotateAccountKey.selector,
        IUsageKeyWrites.removeAllUsageApiKeys.selector,
        IMemberWrites.addToGroup.selector,
        IMemberWrites.addToGroup.selector,
        IMemberWrites.removeFromGroup.selector,
        IGroupWrites.addGroup.selector,
        IGroupWrites.addGroup.selector,
        IGroupWrites.addGroup.selector,
        IGroupWrites.updateGroup.selector,
        IGroupWrites.updateGroup.selector,
        IGroupWrites.updateGroupMetadata.selector,
        IGroupWrites.removeGroup.selector,
        IActionWrites.addAction.selector,
        IActionWrites.addAction.selector,
        IActionWrites.removeAction.selector,
        IActionWrites.updateActionMetadata.selector,
        IActionWrites.addActionToGroup.selector,
        IActionWrites.addActionToGroup.selector,
        IActionWrites.addActionToGroup.selector,
        IActionWrites.removeActionFromGroup.selector,
        IWalletWrites.registerWalletDerivation.selector,
        IWalletWrites.registerWalletDerivation.selector,
        IWalletWrites.registerWalletDerivation.selector,
        IWalletWrites.removeWalletDerivation.selector,
        IWalletWrites.removeWalletDerivation.selector,
        IWalletWrites.addPkpToGroup.selector,
        IWalletWrites.addPkpToGroup.selector,
        IWalletWrites.addPkpToGroup.selector,
        IWalletWrites.removePkpFromGroup.selector,
        IAccountWrites.rotateAccountKey.selector,
        IAccountWrites.retireAccount.selector,
        IAccountWrites.retireManagedAccount.selector,
        IAccountWrites.transferChainSecuredAccountOwnership.selector,
        IAccountWrites.transferChainSecuredAccountOwnership.selector,
        IAccountWrites.acceptAccount.selector,
        IAccountWrites.cancelTransfer.selector,
        ISignedWrites.cancelNonce.selector
    ];

    /// The writes that end the account key of a managed account or its mode.
    bytes4[] internal holderWrites = [
        IAccountWrites.convertToChainSecuredAccount.selector,
        IAccountWrites.convertToChainSecuredAccount.selector,
        IAccountWrites.convertWithConsent.selector,
        IAccountWrites.convertWithConsent.selector,
        IAccountWrites.rotateAccountKey.selector,
        IAccountWrites.rotateAccountKey.selector,
        IAccountWrites.retireManagedAccount.selector,
        IAccountWrites.retireManagedAccount.selector
    ];

    /// The writes that a usage key may get a permission for.
    bytes4[] internal keyWrites = [
        IGroupWrites.addGroup.selector,
        IGroupWrites.addGroup.selector,
        IGroupWrites.addGroup.selector,
        IGroupWrites.removeGroup.selector,
        IActionWrites.addActionToGroup.selector,
        IActionWrites.addActionToGroup.selector,
        IActionWrites.removeActionFromGroup.selector,
        IWalletWrites.registerWalletDerivation.selector,
        IWalletWrites.registerWalletDerivation.selector,
        IWalletWrites.addPkpToGroup.selector,
        IWalletWrites.addPkpToGroup.selector,
        IWalletWrites.removePkpFromGroup.selector,
        IMemberWrites.addToGroup.selector,
        IMemberWrites.removeFromGroup.selector
    ];

    bytes4[] internal otherWrites = [
        IAccountWrites.newChainSecuredAccount.selector,
        IAccountWrites.newAccount.selector,
        IAccountWrites.convertToChainSecuredAccount.selector,
        IAccountWrites.convertWithConsent.selector,
        IConfigFacet.setApiPayers.selector,
        IConfigFacet.setAdminApiPayerAccount.selector,
        IConfigFacet.setConfigOperator.selector,
        IConfigFacet.setNodeConfiguration.selector,
        IConfigFacet.setPricing.selector,
        IConfigFacet.setPricingOperator.selector,
        IConfigFacet.setGuardian.selector,
        IConfigFacet.setConversionLimit.selector,
        IConfigFacet.setConsentRequired.selector,
        IConfigFacet.freezePayers.selector,
        IConfigFacet.unfreezePayers.selector,
        IConfigFacet.unfreezePayers.selector,
        IDiamondCutFacet.transferOwnership.selector,
        IDiamondCutFacet.acceptOwnership.selector,
        IDiamondCutFacet.diamondCut.selector
    ];

    bytes4[] internal views = [
        IViewsFacet.resolve.selector,
        IViewsFacet.accountExistsAndIsMutable.selector,
        IViewsFacet.getAccountWalletAddress.selector,
        IViewsFacet.allApiKeyHashesToMaster.selector,
        IViewsFacet.listSizes.selector,
        IViewsFacet.getWalletDerivation.selector,
        IViewsFacet.getPathOwnerMaster.selector,
        IViewsFacet.canExecuteAction.selector,
        IViewsFacet.canUseWalletInAction.selector,
        IViewsFacet.canExecuteActionAndUseWallet.selector,
        IViewsFacet.explainExecution.selector,
        IViewsFacet.listApiKeys.selector,
        IViewsFacet.listGroups.selector,
        IViewsFacet.listPkps.selector,
        IViewsFacet.listActions.selector,
        IViewsFacet.listGroupContents.selector,
        IViewsFacet.listWalletsInGroup.selector,
        IViewsFacet.listActionsInGroup.selector,
        IConfigFacet.getPricing.selector,
        IConfigFacet.nodeConfigurationValue.selector,
        IViewsFacet.isPathRegistered.selector,
        IViewsFacet.accountState.selector,
        ISignedWrites.isNonceUsed.selector,
        IConfigFacet.conversionsToday.selector
    ];

    /// Views without arguments.
    bytes4[] internal settings = [
        IConfigFacet.api_payers.selector,
        IConfigFacet.adminApiPayerAccount.selector,
        IConfigFacet.pricingOperator.selector,
        IConfigFacet.configOperator.selector,
        IConfigFacet.guardian.selector,
        IConfigFacet.payersFrozen.selector,
        IConfigFacet.conversionLimit.selector,
        IConfigFacet.consentRequired.selector,
        IViewsFacet.accountCount.selector,
        IViewsFacet.pkpCount.selector,
        IConfigFacet.nodeConfigurationValues.selector,
        IDiamondCutFacet.owner.selector,
        IDiamondCutFacet.pendingOwner.selector
    ];

    /// @notice Returns a write of an account by `caller`.
    function _accountWrite(bytes4 s, Target memory t, address caller) internal returns (bytes memory) {
        if (s == IUsageKeyWrites.setUsageApiKey.selector) return _setUsageApiKey(t);
        if (s == IUsageKeyWrites.updateUsageApiKeyMetadata.selector) {
            return abi.encodeWithSelector(s, t.hash, _usageHash(t), _name(), _description());
        }
        if (s == IUsageKeyWrites.removeUsageApiKey.selector) {
            return abi.encodeWithSelector(s, t.hash, _usageHash(t));
        }
        if (s == IUsageKeyWrites.setUsageApiKeyExpiration.selector) {
            return abi.encodeWithSelector(s, t.hash, _usageHash(t), _expiration());
        }
        if (s == IUsageKeyWrites.rotateUsageApiKey.selector) {
            uint256 key = _oneIn(8) ? _usageHash(t) : _keyOf(t.number);
            return abi.encodeWithSelector(s, t.hash, key, _oneIn(8) ? _usageHash(t) : _newHash());
        }
        if (s == IUsageKeyWrites.removeAllUsageApiKeys.selector) return abi.encodeWithSelector(s, t.hash);
        if (s == IMemberWrites.addToGroup.selector) {
            bool many = _oneIn(8);
            return abi.encodeWithSelector(s, t.hash, _group(t), _actions(t, many), _pkps(t, many));
        }
        if (s == IMemberWrites.removeFromGroup.selector) return _removeFromGroup(t);
        if (s == IGroupWrites.addGroup.selector) {
            bool many = _oneIn(8);
            return
                abi.encodeWithSelector(s, t.hash, _name(), _description(), _actions(t, many), _pkps(t, many));
        }
        if (s == IGroupWrites.updateGroup.selector) {
            bool many = _oneIn(8);
            return abi.encodeWithSelector(
                s, t.hash, _group(t), _name(), _description(), _actions(t, many), _pkps(t, many)
            );
        }
        if (s == IGroupWrites.updateGroupMetadata.selector) {
            return abi.encodeWithSelector(s, t.hash, _group(t), _name(), _description());
        }
        if (s == IGroupWrites.removeGroup.selector) return abi.encodeWithSelector(s, t.hash, _group(t));
        if (s == IActionWrites.addAction.selector) {
            return abi.encodeWithSelector(s, t.hash, _name(), _description(), _action());
        }
        if (s == IActionWrites.removeAction.selector) {
            return abi.encodeWithSelector(s, t.hash, _actionOf(t));
        }
        if (s == IActionWrites.updateActionMetadata.selector) {
            (uint256 groupId, uint256 cidHash) = _oneIn(2) ? (0, _actionOf(t)) : _actionIn(t);
            return abi.encodeWithSelector(s, t.hash, cidHash, groupId, _name(), _description());
        }
        if (s == IWalletWrites.registerWalletDerivation.selector) {
            uint256 path = _path(caller, t.managed);
            return abi.encodeWithSelector(s, t.hash, _pkp(), path, _name(), _description());
        }
        if (s == IWalletWrites.removeWalletDerivation.selector) {
            return abi.encodeWithSelector(s, t.hash, _pkpOf(t));
        }
        if (s == IActionWrites.addActionToGroup.selector) {
            return abi.encodeWithSelector(s, t.hash, _group(t), _action());
        }
        if (s == IWalletWrites.addPkpToGroup.selector) {
            return abi.encodeWithSelector(s, t.hash, _group(t), _oneIn(8) ? _pkp() : _pkpOf(t));
        }
        if (s == IActionWrites.removeActionFromGroup.selector) {
            (uint256 groupId, uint256 cidHash) = _actionIn(t);
            return abi.encodeWithSelector(s, t.hash, groupId, cidHash);
        }
        if (s == IWalletWrites.removePkpFromGroup.selector) {
            (uint256 groupId, address pkpId) = _pkpIn(t);
            return abi.encodeWithSelector(s, t.hash, groupId, pkpId);
        }
        if (s == ISignedWrites.cancelNonce.selector) {
            return abi.encodeWithSelector(s, t.hash, _nonce());
        }
        if (
            s == IAccountWrites.rotateAccountKey.selector || s == IAccountWrites.retireManagedAccount.selector
                || s == IAccountWrites.convertWithConsent.selector
        ) return _withConsent(s, t);
        if (s == IAccountWrites.retireAccount.selector) {
            // Rarely an account that is in use.
            return abi.encodeWithSelector(s, _oneIn(8) || t.number > 6 ? t.hash : _next());
        }
        if (s == IAccountWrites.acceptAccount.selector || s == IAccountWrites.cancelTransfer.selector) {
            return abi.encodeWithSelector(s, t.hash);
        }
        // convertToChainSecuredAccount, transferChainSecuredAccountOwnership
        return abi.encodeWithSelector(s, t.hash, _newAdmin());
    }

    // ------------------------------------------------------------------------------------------------ consents

    /// The writes with consent that were made, the first ones by chance.
    bytes[] private consents;

    /// @notice Returns a write that its holder consented to, at times another holder, for something else, or long ago.
    function _withConsent(bytes4 s, Target memory t) private returns (bytes memory data) {
        if (consents.length != 0 && _oneIn(10)) return consents[_next(consents.length)];
        uint256 hash = t.hash;
        // Rarely an account that is in use.
        if (s == IAccountWrites.retireManagedAccount.selector && t.number <= 6 && !_oneIn(8)) hash = _next();
        bytes memory fields = abi.encode(hash);
        string memory typed = RETIRE;
        if (s == IAccountWrites.rotateAccountKey.selector) {
            uint256 newHash = _oneIn(6) ? _hash() : _oneIn(6) ? _identity(_freshWallet()) : _next();
            (fields, typed) = (abi.encode(hash, newHash, _newAdmin()), ROTATE);
        } else if (s == IAccountWrites.convertWithConsent.selector) {
            (fields, typed) = (abi.encode(hash, _newAdmin()), CONVERT);
        }
        uint256 deadline = _oneIn(8) ? block.timestamp - _next(2) : type(uint256).max;
        bytes memory consent = _consentOf(t, typed, fields, deadline);
        // The bytes follow the fields, the deadline and their own offset.
        data = bytes.concat(s, fields, bytes32(deadline), bytes32(fields.length + 64));
        uint256 padding = (32 - consent.length % 32) % 32;
        data = bytes.concat(data, bytes32(consent.length), consent, new bytes(padding));
        if (consents.length < 64) consents.push(data);
        else consents[_next(64)] = data;
    }

    function _consentOf(Target memory t, string memory typed, bytes memory fields, uint256 deadline)
        private
        returns (bytes memory)
    {
        address holder = _oneIn(8) ? _wallet() : t.admin;
        uint256 signedUntil = _oneIn(16) ? deadline - 1 : deadline;
        if (_oneIn(16)) fields = bytes.concat(bytes32(_next()), fields);
        return _oneIn(32) ? bytes("") : _sign(holder, consentDigest(typed, fields, signedUntil));
    }

    function _sign(address wallet, bytes32 digest) internal view returns (bytes memory) {
        uint256 privateKey = privateKeyOf[wallet];
        // A holder without a known key: any other signature.
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(privateKey == 0 ? 1 : privateKey, digest);
        return abi.encodePacked(r, s, v);
    }

    uint256 internal nonceCount;

    /// @notice Returns a nonce that was not used, at times one that was used by some account.
    function _nonce() internal returns (uint256) {
        return _oneIn(4) && nonceCount != 0 ? _next(nonceCount) : nonceCount++;
    }

    /// @notice Returns a removal of up to two members of a group, mostly of real ones.
    function _removeFromGroup(Target memory t) private returns (bytes memory) {
        (uint256 groupId, uint256 cidHash) = _actionIn(t);
        uint256[] memory cidHashes = new uint256[](_next(2));
        address[] memory pkpIds = new address[](_next(2));
        if (cidHashes.length != 0) cidHashes[0] = cidHash;
        if (pkpIds.length != 0) {
            address pkpId;
            (groupId, pkpId) = _pkpIn(t);
            pkpIds[0] = pkpId;
            if (cidHashes.length != 0) {
                for (uint256 i; i < actions.length; ++i) {
                    if (accounts[t.number].groups[groupId].actions[actions[i]]) cidHashes[0] = actions[i];
                }
            }
        }
        return
            abi.encodeWithSelector(IMemberWrites.removeFromGroup.selector, t.hash, groupId, cidHashes, pkpIds);
    }

    /// @notice Returns a hash for a rotation: of the pool, of a wallet, or a new one.
    function _newHash() private returns (uint256) {
        if (_oneIn(4)) return _identity(_freshWallet());
        return _oneIn(4) ? _pooledHash() : _next();
    }

    function _setUsageApiKey(Target memory t) private returns (bytes memory) {
        KeyArguments memory k;
        k.accountApiKeyHash = t.hash;
        k.usageApiKeyHash = _usageHash(t);
        k.expiration = _expiration();
        k.balance = _next();
        (k.name, k.description) = (_name(), _description());
        (k.createGroups, k.deleteGroups, k.createPKPs) = (_oneIn(2), _oneIn(2), _oneIn(2));
        k.manageIPFSIdsInGroups = _grants(t);
        k.addPkpToGroups = _grants(t);
        k.removePkpFromGroups = _grants(t);
        k.executeInGroups = _grants(t);
        return _encodeKey(k);
    }

    function _encodeKey(KeyArguments memory k) internal pure returns (bytes memory data) {
        data = abi.encode(k);
        bytes4 selector = IUsageKeyWrites.setUsageApiKey.selector;
        // The encoding of a struct is an offset, then its fields: the last 4 bytes of the offset make room
        // for the selector. memory-safe: stays inside `data`.
        assembly ("memory-safe") {
            let length := mload(data)
            mstore(add(data, 32), shr(224, selector))
            data := add(data, 28)
            mstore(data, sub(length, 28))
        }
    }

    /// @notice Returns a call of one of `otherWrites`.
    function _otherWrite(bytes4 s) internal returns (bytes memory) {
        if (s == IAccountWrites.newChainSecuredAccount.selector) {
            return abi.encodeWithSelector(s, _name(), _description());
        }
        if (s == IAccountWrites.newAccount.selector) {
            uint256 hash = _oneIn(3) ? _identity(_freshWallet()) : _oneIn(8) ? _hash() : _pooledHash();
            return abi.encodeWithSelector(s, hash, !_oneIn(16), _name(), _description(), _newAdmin());
        }
        if (
            s == IAccountWrites.convertToChainSecuredAccount.selector
                || s == IAccountWrites.convertWithConsent.selector
        ) {
            return _accountWrite(s, _target(_number()), address(0));
        }
        if (s == IConfigFacet.setApiPayers.selector) return abi.encodeWithSelector(s, _payers());
        if (s == IConfigFacet.setNodeConfiguration.selector) {
            string memory key = string(new bytes(_oneIn(16) ? 128 + _next(2) : _next(6)));
            return abi.encodeWithSelector(s, key, _oneIn(3) ? "" : _description());
        }
        if (s == IConfigFacet.setPricing.selector) return abi.encodeWithSelector(s, _next(4), _next());
        if (s == IConfigFacet.setConversionLimit.selector) {
            // Unlimited, or as many as are rarely and never made.
            return abi.encodeWithSelector(s, _oneIn(3) ? _next() : _oneIn(4) ? _next(4) : 1000);
        }
        if (s == IConfigFacet.setConsentRequired.selector) return abi.encodeWithSelector(s, _oneIn(8));
        if (s == IConfigFacet.freezePayers.selector || s == IConfigFacet.unfreezePayers.selector) {
            return abi.encodeWithSelector(s);
        }
        if (s == IDiamondCutFacet.acceptOwnership.selector) return abi.encodeWithSelector(s);
        if (s == IDiamondCutFacet.diamondCut.selector) {
            return abi.encodeWithSelector(s, new IDiamond.FacetCut[](0), address(0), "");
        }
        // setAdminApiPayerAccount, setConfigOperator, setPricingOperator, transferOwnership
        return abi.encodeWithSelector(s, _oneIn(32) ? address(0) : _service());
    }

    function _payers() private returns (address[] memory list) {
        list = new address[](_oneIn(16) ? 51 : _next(5));
        uint256 first = _next(SERVICES);
        for (uint256 i; i < list.length; ++i) {
            list[i] = services[(first + i) % SERVICES];
        }
        if (list.length != 0 && _oneIn(8)) list[0] = _oneIn(2) ? address(0) : _wallet();
    }

    function _view(bytes4 s, uint256 hash) internal returns (bytes memory) {
        if (s == IViewsFacet.getPathOwnerMaster.selector || s == IViewsFacet.isPathRegistered.selector) {
            return abi.encodeWithSelector(s, _path(_wallet(), _oneIn(2)));
        }
        if (s == IConfigFacet.getPricing.selector) return abi.encodeWithSelector(s, _next(4));
        if (s == IConfigFacet.conversionsToday.selector) return abi.encodeWithSelector(s, _service());
        if (s == ISignedWrites.isNonceUsed.selector) {
            return abi.encodeWithSelector(s, hash, _next(nonceCount + 2));
        }
        if (s == IConfigFacet.nodeConfigurationValue.selector) {
            return abi.encodeWithSelector(s, string(new bytes(_next(6))));
        }
        if (s == IViewsFacet.getWalletDerivation.selector) return abi.encodeWithSelector(s, hash, _pkp());
        if (s == IViewsFacet.canExecuteAction.selector) return abi.encodeWithSelector(s, hash, _action());
        if (
            s == IViewsFacet.canUseWalletInAction.selector
                || s == IViewsFacet.canExecuteActionAndUseWallet.selector
                || s == IViewsFacet.explainExecution.selector
        ) return abi.encodeWithSelector(s, hash, _action(), _pkp());
        uint256 size = _oneIn(2) ? 1 + _next(4) : _next(s == IViewsFacet.listApiKeys.selector ? 42 : 1002);
        if (
            s == IViewsFacet.listApiKeys.selector || s == IViewsFacet.listGroups.selector
                || s == IViewsFacet.listPkps.selector || s == IViewsFacet.listActions.selector
        ) return abi.encodeWithSelector(s, hash, _oneIn(32) ? _next() : _next(3), size);
        (, uint256 number) = named(hash);
        Target memory t = _target(number);
        if (s == IViewsFacet.listGroupContents.selector) {
            return abi.encodeWithSelector(s, hash, _group(t));
        }
        if (s == IViewsFacet.listWalletsInGroup.selector || s == IViewsFacet.listActionsInGroup.selector) {
            return abi.encodeWithSelector(s, hash, _group(t), _oneIn(32) ? _next() : _next(3), size);
        }
        return abi.encodeWithSelector(s, hash);
    }
}
