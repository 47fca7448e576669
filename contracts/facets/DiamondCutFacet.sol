// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IDiamond } from "../interfaces/IDiamond.sol";
import { IDiamondCutFacet } from "../interfaces/IDiamondCutFacet.sol";
import { LibDiamond } from "../libraries/LibDiamond.sol";

/// @notice Changes the routes and the owner, see IDiamondCutFacet.
contract DiamondCutFacet is IDiamondCutFacet {
    /// @inheritdoc IDiamondCutFacet
    function diamondCut(IDiamond.FacetCut[] calldata cuts, address init, bytes calldata initCalldata)
        external
    {
        LibDiamond.requireOwner();
        LibDiamond.cut(cuts, init, initCalldata);
    }

    /// @inheritdoc IDiamondCutFacet
    function owner() external view returns (address) {
        return LibDiamond.load().owner;
    }

    /// @inheritdoc IDiamondCutFacet
    function pendingOwner() external view returns (address) {
        return LibDiamond.load().pendingOwner;
    }

    /// @inheritdoc IDiamondCutFacet
    function transferOwnership(address newOwner) external {
        LibDiamond.requireOwner();
        if (newOwner == address(0)) revert IDiamond.OwnerIsZero();
        LibDiamond.load().pendingOwner = newOwner;
        emit IDiamond.OwnershipTransferStarted({ previousOwner: msg.sender, newOwner: newOwner });
    }

    /// @inheritdoc IDiamondCutFacet
    function acceptOwnership() external {
        LibDiamond.Layout storage $ = LibDiamond.load();
        if (msg.sender != $.pendingOwner) revert IDiamond.OnlyPendingOwner(msg.sender);
        emit IDiamond.OwnershipTransferred({ previousOwner: $.owner, newOwner: msg.sender });
        $.owner = msg.sender;
        delete $.pendingOwner;
    }
}
