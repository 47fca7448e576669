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
    // The kinds of parameters, which take three bits each, the first parameter the lowest ones.
    uint256 internal constant BITS = 3;
    uint256 internal constant ADDRESS = 2;
    uint256 internal constant BOOL = 3;
    uint256 internal constant STRING = 4;
    uint256 internal constant WORDS = 5;
    uint256 internal constant ADDRESSES = 6;

    /// @return text The encoded type without its end, so that signer, nonce and deadline can follow. Empty for any other function.
    /// @return kinds A kind per parameter, 1 for uint256.
    function describe(bytes4 selector) internal pure returns (string memory text, uint256 kinds) {
        if (selector == IGroupWrites.addGroup.selector) {
            return (
                "AddGroup(uint256 apiKeyHash,string name,string description,uint256[] cidHashes,address[] pkpIds",
                0x6b21
            );
        }
        if (selector == IGroupWrites.updateGroup.selector) {
            return (
                "UpdateGroup(uint256 apiKeyHash,uint256 groupId,string name,string description,uint256[] cidHashes,address[] pkpIds",
                0x35909
            );
        }
        if (selector == IGroupWrites.updateGroupMetadata.selector) {
            return (
                "UpdateGroupMetadata(uint256 apiKeyHash,uint256 groupId,string name,string description", 0x909
            );
        }
        if (selector == IGroupWrites.removeGroup.selector) {
            return ("RemoveGroup(uint256 apiKeyHash,uint256 groupId", 0x9);
        }
        if (selector == IMemberWrites.addToGroup.selector) {
            return
                ("AddToGroup(uint256 apiKeyHash,uint256 groupId,uint256[] cidHashes,address[] pkpIds", 0xd49);
        }
        if (selector == IMemberWrites.removeFromGroup.selector) {
            return (
                "RemoveFromGroup(uint256 apiKeyHash,uint256 groupId,uint256[] cidHashes,address[] pkpIds",
                0xd49
            );
        }
        if (selector == IActionWrites.addAction.selector) {
            return ("AddAction(uint256 apiKeyHash,string name,string description,uint256 actionHash", 0x321);
        }
        if (selector == IActionWrites.removeAction.selector) {
            return ("RemoveAction(uint256 apiKeyHash,uint256 actionHash", 0x9);
        }
        if (selector == IActionWrites.updateActionMetadata.selector) {
            return (
                "UpdateActionMetadata(uint256 apiKeyHash,uint256 actionHash,uint256 groupId,string name,string description",
                0x4849
            );
        }
        if (selector == IActionWrites.addActionToGroup.selector) {
            return ("AddActionToGroup(uint256 apiKeyHash,uint256 groupId,uint256 actionHash", 0x49);
        }
        if (selector == IActionWrites.removeActionFromGroup.selector) {
            return ("RemoveActionFromGroup(uint256 apiKeyHash,uint256 groupId,uint256 actionHash", 0x49);
        }
        if (selector == IWalletWrites.registerWalletDerivation.selector) {
            return (
                "RegisterWalletDerivation(uint256 apiKeyHash,address pkpId,uint256 derivationPath,string name,string description",
                0x4851
            );
        }
        if (selector == IWalletWrites.removeWalletDerivation.selector) {
            return ("RemoveWalletDerivation(uint256 apiKeyHash,address pkpId", 0x11);
        }
        if (selector == IWalletWrites.addPkpToGroup.selector) {
            return ("AddPkpToGroup(uint256 apiKeyHash,uint256 groupId,address pkpId", 0x89);
        }
        if (selector == IWalletWrites.removePkpFromGroup.selector) {
            return ("RemovePkpFromGroup(uint256 apiKeyHash,uint256 groupId,address pkpId", 0x89);
        }
        if (selector == IUsageKeyWrites.setUsageApiKey.selector) {
            return (
                "SetUsageApiKey(uint256 accountApiKeyHash,uint256 usageApiKeyHash,uint256 expiration,uint256 balance,string name,string description,bool createGroups,bool deleteGroups,bool createPKPs,uint256[] manageIPFSIdsInGroups,uint256[] addPkpToGroups,uint256[] removePkpFromGroups,uint256[] executeInGroups",
                0x5b6b6e4249
            );
        }
        if (selector == IUsageKeyWrites.updateUsageApiKeyMetadata.selector) {
            return (
                "UpdateUsageApiKeyMetadata(uint256 accountApiKeyHash,uint256 usageApiKeyHash,string name,string description",
                0x909
            );
        }
        if (selector == IUsageKeyWrites.setUsageApiKeyExpiration.selector) {
            return (
                "SetUsageApiKeyExpiration(uint256 accountApiKeyHash,uint256 usageApiKeyHash,uint256 expiration",
                0x49
            );
        }
        if (selector == IUsageKeyWrites.rotateUsageApiKey.selector) {
            return (
                "RotateUsageApiKey(uint256 accountApiKeyHash,uint256 usageApiKeyHash,uint256 newUsageApiKeyHash",
                0x49
            );
        }
        if (selector == IUsageKeyWrites.removeUsageApiKey.selector) {
            return ("RemoveUsageApiKey(uint256 accountApiKeyHash,uint256 usageApiKeyHash", 0x9);
        }
        if (selector == IUsageKeyWrites.removeAllUsageApiKeys.selector) {
            return ("RemoveAllUsageApiKeys(uint256 accountApiKeyHash", 0x1);
        }
        if (selector == IAccountWrites.newChainSecuredAccount.selector) {
            return ("NewChainSecuredAccount(string name,string description", 0x24);
        }
        if (selector == IAccountWrites.transferChainSecuredAccountOwnership.selector) {
            return
                (
                    "TransferChainSecuredAccountOwnership(uint256 apiKeyHash,address newAdminWalletAddress",
                    0x11
                );
        }
        if (selector == IAccountWrites.retireAccount.selector) {
            return ("RetireAccount(uint256 apiKeyHash", 0x1);
        }
        if (selector == IAccountWrites.acceptAccount.selector) {
            return ("AcceptAccount(uint256 apiKeyHash", 0x1);
        }
        if (selector == IAccountWrites.cancelTransfer.selector) {
            return ("CancelTransfer(uint256 apiKeyHash", 0x1);
        }
        if (selector == ISignedWrites.cancelNonce.selector) {
            return ("CancelNonce(uint256 apiKeyHash,uint256 cancelledNonce", 0x9);
        }
    }
}
