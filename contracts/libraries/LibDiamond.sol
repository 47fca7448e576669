// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IDiamond } from "../interfaces/IDiamond.sol";

/// @title LibDiamond
/// @notice Routes and ownership of the diamond.
library LibDiamond {
    struct Route {
        address facet;
        /// Position in `selectors`.
        uint96 position;
    }

    /// @custom:storage-location erc7201:latchkey.storage.Diamond
    struct Layout {
        mapping(bytes4 selector => Route) routes;
        bytes4[] selectors;
        address owner;
        address pendingOwner;
    }

    /// keccak256(abi.encode(uint256(keccak256("latchkey.storage.Diamond")) - 1)) & ~bytes32(uint256(0xff))
    bytes32 internal constant SLOT = 0x1acff6456f999971f5e7b614ca71701f5224830234e67035ab5618ba1a87ba00;

    function load() internal pure returns (Layout storage $) {
        bytes32 slot = SLOT;
        // memory-safe: accesses no memory.
        assembly ("memory-safe") {
            $.slot := slot
        }
    }

    function requireOwner() internal view {
        if (msg.sender != load().owner) revert IDiamond.OnlyOwner(msg.sender);
    }

    function cut(IDiamond.FacetCut[] memory cuts, address init, bytes memory initCalldata) internal {
        for (uint256 i; i < cuts.length; ++i) {
            _apply(cuts[i]);
        }
        emit IDiamond.DiamondCut(cuts, init, initCalldata);
        if (init == address(0)) return;
        if (init.code.length == 0) revert IDiamond.InvalidFacet(init);
        (bool ok, bytes memory result) = init.delegatecall(initCalldata);
        if (ok) return;
        if (result.length == 0) revert IDiamond.InitializationFailed(init);
        // memory-safe: reads an allocated array of bytes.
        assembly ("memory-safe") {
            revert(add(result, 32), mload(result))
        }
    }

    function _apply(IDiamond.FacetCut memory facetCut) private {
        Layout storage $ = load();
        address facet = facetCut.facetAddress;
        bytes4[] memory selectors = facetCut.functionSelectors;
        if (selectors.length == 0) revert IDiamond.NoSelectors(facet);
        bool removes = facetCut.action == IDiamond.FacetCutAction.Remove;
        if (removes ? facet != address(0) : facet.code.length == 0) revert IDiamond.InvalidFacet(facet);
        for (uint256 i; i < selectors.length; ++i) {
            bytes4 selector = selectors[i];
            Route memory route = $.routes[selector];
            if (facetCut.action == IDiamond.FacetCutAction.Add) {
                if (route.facet != address(0)) revert IDiamond.SelectorAlreadyRouted(selector, route.facet);
                // The cast is safe: a diamond has a few hundred selectors.
                $.routes[selector] = Route({ facet: facet, position: uint96($.selectors.length) });
                $.selectors.push(selector);
            } else if (route.facet == address(0) || (!removes && route.facet == facet)) {
                revert IDiamond.SelectorNotReplaceable(selector, route.facet);
            } else if (!removes) {
                $.routes[selector].facet = facet;
            } else {
                bytes4 last = $.selectors[$.selectors.length - 1];
                $.selectors[route.position] = last;
                $.routes[last].position = route.position;
                $.selectors.pop();
                delete $.routes[selector];
            }
        }
    }
}
