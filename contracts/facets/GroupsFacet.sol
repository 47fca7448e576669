// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { ActionWrites } from "./writes/ActionWrites.sol";
import { GroupWrites } from "./writes/GroupWrites.sol";
import { MemberWrites } from "./writes/MemberWrites.sol";
import { WalletWrites } from "./writes/WalletWrites.sol";

/// @notice Writes groups, actions and wallets, see the interfaces of its parts.
contract GroupsFacet is GroupWrites, ActionWrites, WalletWrites, MemberWrites { }
