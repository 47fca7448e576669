// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IAccountWrites } from "../interfaces/IAccountWrites.sol";
import { IActionWrites } from "../interfaces/IActionWrites.sol";
import { IGroupWrites } from "../interfaces/IGroupWrites.sol";
import { IMemberWrites } from "../interfaces/IMemberWrites.sol";
import { ISignedWrites } from "../interfaces/ISignedWrites.sol";
import { IUsageKeyWrites } from "../interfaces/IUsageKeyWrites.sol";
import { IWalletWrites } from "../interfaces/IWalletWrites.sol";

/// @title LibSignedTypes
/// @notice The EIP-712 type of each write that a wallet can sign.
library LibSignedTypes {
    // The kinds of parameters.
    uint256 internal constant WORD = 1;
    uint256 internal constant ADDRESS = 2;
    uint256 internal constant BOOL = 3;
    uint256 internal constant STRING = 4;
    uint256 internal constant WORDS = 5;
    uint256 internal constant ADDRESSES = 6;

    /// A list of kinds has the first parameter in its lowest bits.
    uint256 private constant BITS = 3;

    /// @return kind The kind of the first parameter of a list, 0 at its end.
    /// @return rest The list without it.
    function next(uint256 kinds) internal pure returns (uint256 kind, uint256 rest) {
        return (kinds & ((1 << BITS) - 1), kinds >> BITS);
    }

    function _kinds(uint256 a, uint256 b) private pure returns (uint256) {
        return a | (b << BITS);
    }

    function _kinds(uint256 a, uint256 b, uint256 c) private pure returns (uint256) {
        return _kinds(a, _kinds(b, c));
    }

    function _kinds(uint256 a, uint256 b, uint256 c, uint256 d) private pure returns (uint256) {
        return _kinds(a, _kinds(b, c, d));
    }

    function _kinds(uint256 a, uint256 b, uint256 c, uint256 d, uint256 e) private pure returns (uint256) {
        return _kinds(a, _kinds(b, c, d, e));
    }

    function _kinds(uint256 a, uint256 b, uint256 c, uint256 d, uint256 e, uint256 f)
        private
        pure
        returns (uint256)
    {
        return _kinds(a, _kinds(b, c, d, e, f));
    }

    /// @return text The encoded type without its end, so that signer, nonce and deadline can follow. Empty for any other function.
    /// @return kinds A kind per parameter, to read with `next`. 0 for any other function.
    function describe(bytes4 selector) internal pure returns (string memory text, uint256 kinds) {
        if (selector == IGroupWrites.addGroup.selector) {
            return (
                "AddGroup(uint256 apiKeyHash,string name,string description,uint256[] cidHashes,address[] pkpIds",
                _kinds(WORD, STRING, STRING, WORDS, ADDRESSES)
            );
        }
        if (selector == IGroupWrites.updateGroup.selector) {
            return (
                "UpdateGroup(uint256 apiKeyHash,uint256 groupId,string name,string description,uint256[] cidHashes,address[] pkpIds",
                _kinds(WORD, WORD, STRING, STRING, WORDS, ADDRESSES)
            );
        }
        if (selector == IGroupWrites.updateGroupMetadata.selector) {
            return (
                "UpdateGroupMetadata(uint256 apiKeyHash,uint256 groupId,string name,string description",
                _kinds(WORD, WORD, STRING, STRING)
            );
        }
        if (selector == IGroupWrites.removeGroup.selector) {
            return ("RemoveGroup(uint256 apiKeyHash,uint256 groupId", _kinds(WORD, WORD));
        }
        if (selector == IMemberWrites.addToGroup.selector) {
            return (
                "AddToGroup(uint256 apiKeyHash,uint256 groupId,uint256[] cidHashes,address[] pkpIds",
                _kinds(WORD, WORD, WORDS, ADDRESSES)
            );
        }
        if (selector == IMemberWrites.removeFromGroup.selector) {
            return (
                "RemoveFromGroup(uint256 apiKeyHash,uint256 groupId,uint256[] cidHashes,address[] pkpIds",
                _kinds(WORD, WORD, WORDS, ADDRESSES)
            );
        }
        if (selector == IActionWrites.addAction.selector) {
            return (
                "AddAction(uint256 apiKeyHash,string name,string description,uint256 actionHash",
                _kinds(WORD, STRING, STRING, WORD)
            );
        }
        if (selector == IActionWrites.removeAction.selector) {
            return ("RemoveAction(uint256 apiKeyHash,uint256 actionHash", _kinds(WORD, WORD));
        }
        if (selector == IActionWrites.updateActionMetadata.selector) {
            return (
                "UpdateActionMetadata(uint256 apiKeyHash,uint256 actionHash,uint256 groupId,string name,string description",
                _kinds(WORD, WORD, WORD, STRING, STRING)
            );
        }
        if (selector == IActionWrites.addActionToGroup.selector) {
            return (
                "AddActionToGroup(uint256 apiKeyHash,uint256 groupId,uint256 actionHash",
                _kinds(WORD, WORD, WORD)
            );
        }
        if (selector == IActionWrites.removeActionFromGroup.selector) {
            return (
                "RemoveActionFromGroup(uint256 apiKeyHash,uint256 groupId,uint256 actionHash",
                _kinds(WORD, WORD, WORD)
            );
        }
        if (selector == IWalletWrites.registerWalletDerivation.selector) {
            return (
                "RegisterWalletDerivation(uint256 apiKeyHash,address pkpId,uint256 derivationPath,string name,string description",
                _kinds(WORD, ADDRESS, WORD, STRING, STRING)
            );
        }
        if (selector == IWalletWrites.removeWalletDerivation.selector) {
            return ("RemoveWalletDerivation(uint256 apiKeyHash,address pkpId", _kinds(WORD, ADDRESS));
        }
        if (selector == IWalletWrites.addPkpToGroup.selector) {
            return
                (
                    "AddPkpToGroup(uint256 apiKeyHash,uint256 groupId,address pkpId",
                    _kinds(WORD, WORD, ADDRESS)
                );
        }
        if (selector == IWalletWrites.removePkpFromGroup.selector) {
            return (
                "RemovePkpFromGroup(uint256 apiKeyHash,uint256 groupId,address pkpId",
                _kinds(WORD, WORD, ADDRESS)
            );
        }
        if (selector == IUsageKeyWrites.setUsageApiKey.selector) {
            return (
                "SetUsageApiKey(uint256 accountApiKeyHash,uint256 usageApiKeyHash,uint256 expiration,uint256 balance,string name,string description,bool createGroups,bool deleteGroups,bool createPKPs,uint256[] manageIPFSIdsInGroups,uint256[] addPkpToGroups,uint256[] removePkpFromGroups,uint256[] executeInGroups",
                _kinds(WORD, WORD, WORD, WORD, STRING, STRING)
                    | (_kinds(BOOL, BOOL, BOOL, WORDS, WORDS, WORDS) << (6 * BITS)) | (WORDS << (12 * BITS))
            );
        }
        if (selector == IUsageKeyWrites.updateUsageApiKeyMetadata.selector) {
            return (
                "UpdateUsageApiKeyMetadata(uint256 accountApiKeyHash,uint256 usageApiKeyHash,string name,string description",
                _kinds(WORD, WORD, STRING, STRING)
            );
        }
        if (selector == IUsageKeyWrites.setUsageApiKeyExpiration.selector) {
            return (
                "SetUsageApiKeyExpiration(uint256 accountApiKeyHash,uint256 usageApiKeyHash,uint256 expiration",
                _kinds(WORD, WORD, WORD)
            );
        }
        if (selector == IUsageKeyWrites.rotateUsageApiKey.selector) {
            return (
                "RotateUsageApiKey(uint256 accountApiKeyHash,uint256 usageApiKeyHash,uint256 newUsageApiKeyHash",
                _kinds(WORD, WORD, WORD)
            );
        }
        if (selector == IUsageKeyWrites.removeUsageApiKey.selector) {
            return ("RemoveUsageApiKey(uint256 accountApiKeyHash,uint256 usageApiKeyHash", _kinds(WORD, WORD));
        }
        if (selector == IUsageKeyWrites.removeAllUsageApiKeys.selector) {
            return ("RemoveAllUsageApiKeys(uint256 accountApiKeyHash", WORD);
        }
        if (selector == IAccountWrites.newChainSecuredAccount.selector) {
            return ("NewChainSecuredAccount(string name,string description", _kinds(STRING, STRING));
        }
        if (selector == IAccountWrites.transferChainSecuredAccountOwnership.selector) {
            return (
                "TransferChainSecuredAccountOwnership(uint256 apiKeyHash,address newAdminWalletAddress",
                _kinds(WORD, ADDRESS)
            );
        }
        if (selector == IAccountWrites.retireAccount.selector) {
            return ("RetireAccount(uint256 apiKeyHash", WORD);
        }
        if (selector == IAccountWrites.acceptAccount.selector) {
            return ("AcceptAccount(uint256 apiKeyHash", WORD);
        }
        if (selector == IAccountWrites.cancelTransfer.selector) {
            return ("CancelTransfer(uint256 apiKeyHash", WORD);
        }
        if (selector == ISignedWrites.cancelNonce.selector) {
            return ("CancelNonce(uint256 apiKeyHash,uint256 cancelledNonce", _kinds(WORD, WORD));
        }
    }
}
