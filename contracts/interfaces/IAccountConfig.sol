// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IAccountWrites } from "./IAccountWrites.sol";
import { IActionWrites } from "./IActionWrites.sol";
import { IConfigFacet } from "./IConfigFacet.sol";
import { IDiamond } from "./IDiamond.sol";
import { IDiamondCutFacet } from "./IDiamondCutFacet.sol";
import { IDiamondLoupeFacet } from "./IDiamondLoupeFacet.sol";
import { IErrors } from "./IErrors.sol";
import { IGroupWrites } from "./IGroupWrites.sol";
import { IMemberWrites } from "./IMemberWrites.sol";
import { ISignaturesFacet } from "./ISignaturesFacet.sol";
import { ISignedWrites } from "./ISignedWrites.sol";
import { IUsageKeyWrites } from "./IUsageKeyWrites.sol";
import { IViewsFacet } from "./IViewsFacet.sol";
import { IWalletWrites } from "./IWalletWrites.sol";
import { IWritesFacet } from "./IWritesFacet.sol";

/// @title IAccountConfig
/// @notice The whole interface of the diamond, composed of one interface per facet. It decides who may run which action
/// with which wallet, and holds all authority of the service.
///
/// An account is *managed* (an api payer writes it) or *ChainSecured* (only its admin wallet writes it). Its name is its
/// master hash: `uint256(keccak256(bytes(account key text)))` for an account that was opened managed,
/// `uint256(keccak256(abi.encodePacked(wallet)))` for an account that a wallet opened. An alias is the identity of a wallet
/// that became admin of an account later. It names the account exactly as the master hash does. A usage key is named by
/// the hash of its text and carries permissions within one account.
///
/// CONVENTIONS
/// - `apiKeyHash` is a master hash, an alias or, where the function says so, the hash of a usage key.
/// - Callers: an api payer writes a managed account, the current admin wallet a ChainSecured account. Any other caller gets
///   NoAccountAccess. "Master" means that the function takes the master hash or an alias; the hash of a usage key gets
///   NotMasterAccount. "Permission" means that it also takes the hash of a usage key that holds the named permission.
/// - Order of the guards: lengths of texts and arrays, zero arguments, the account (AccountDoesNotExist), master or
///   permission, the caller (NoAccountAccess), then the objects of the call.
/// - Names and descriptions are emitted and never stored: name up to 128 bytes, description up to 1,024 bytes.
/// - Group ids start at 1 in every account and are never reused. Group id 0 in a permission list grants all groups,
///   including groups added later. CID hash 0 in a group permits every action, wallet 0 every wallet of the account.
/// - Arrays: at most 10 entries in group calls, 50 in key calls. A page has at most 1,000 entries, a page of usage keys 20.
/// - Times are Unix seconds. Every change emits an event, and the events alone are enough to rebuild the state.
/// - The first indexed topic of an account's event is the resolved master hash, whatever hash the call was made with.
interface IAccountConfig is
    IDiamond,
    IDiamondCutFacet,
    IDiamondLoupeFacet,
    IErrors,
    IAccountWrites,
    IUsageKeyWrites,
    IGroupWrites,
    IActionWrites,
    IWalletWrites,
    ISignedWrites,
    IMemberWrites,
    IWritesFacet,
    IViewsFacet,
    ISignaturesFacet,
    IConfigFacet
{ }
