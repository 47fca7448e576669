// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IDiamond } from "./interfaces/IDiamond.sol";
import { LibDiamond } from "./libraries/LibDiamond.sol";

/// @title AccountConfig
/// @notice The diamond: delegates each selector to its facet. Functions: see IAccountConfig. It takes no ETH.
contract AccountConfig {
    constructor(address owner, IDiamond.FacetCut[] memory cuts) {
        if (owner == address(0)) revert IDiamond.OwnerIsZero();
        LibDiamond.load().owner = owner;
        emit IDiamond.OwnershipTransferred({ previousOwner: address(0), newOwner: owner });
        LibDiamond.cut(cuts, address(0), "");
    }

    fallback() external {
        address facet = LibDiamond.load().routes[msg.sig].facet;
        if (facet == address(0)) revert IDiamond.FunctionNotFound(msg.sig);
        // Not memory-safe, and it need not be: it never returns to Solidity.
        assembly {
            calldatacopy(0, 0, calldatasize())
            let ok := delegatecall(gas(), facet, 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            if iszero(ok) { revert(0, returndatasize()) }
            return(0, returndatasize())
        }
    }
}
