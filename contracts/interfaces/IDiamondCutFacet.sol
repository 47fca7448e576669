// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IDiamond } from "./IDiamond.sol";

/// @title IDiamondCutFacet
/// @notice Changes routes (EIP-2535) and the owner (ERC-173 with acceptance).
interface IDiamondCutFacet {
    /// @notice Adds, replaces and removes routed selectors, then delegatecalls `init` when it is not zero.
    /// Owner only. All or nothing.
    function diamondCut(IDiamond.FacetCut[] calldata cuts, address init, bytes calldata initCalldata) external;

    /// @notice The owner: may cut, and set the api payers and every setting.
    function owner() external view returns (address);

    /// @notice The address that may accept the ownership, or zero.
    function pendingOwner() external view returns (address);

    /// @notice Offers the ownership to `newOwner`, who must accept it. An offer to the owner itself withdraws an earlier one.
    /// Owner only. OwnerIsZero for the zero address.
    function transferOwnership(address newOwner) external;

    /// @notice Completes a transfer. Pending owner only.
    function acceptOwnership() external;
}
