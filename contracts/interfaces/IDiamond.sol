// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title IDiamond
/// @notice The types, errors and events of the diamond itself: routes from selectors to facets (EIP-2535), and two-step
/// ownership.
interface IDiamond {
    enum FacetCutAction {
        Add,
        Replace,
        Remove
    }

    struct FacetCut {
        address facetAddress;
        FacetCutAction action;
        bytes4[] functionSelectors;
    }

    struct Facet {
        address facetAddress;
        bytes4[] functionSelectors;
    }

    /// @notice The caller is not the owner.
    error OnlyOwner(address caller);
    /// @notice The owner cannot be the zero address.
    error OwnerIsZero();
    /// @notice The caller is not the pending owner.
    error OnlyPendingOwner(address caller);
    /// @notice No facet serves this selector (0x00000000 for empty calldata). A call with ETH reverts without data.
    error FunctionNotFound(bytes4 selector);
    /// @notice The selector is already served by `facet`.
    error SelectorAlreadyRouted(bytes4 selector, address facet);
    /// @notice The selector is not served or, in a replacement, already served by this facet.
    error SelectorNotReplaceable(bytes4 selector, address facet);
    /// @notice The facet has no code, or a removal names a facet.
    error InvalidFacet(address facet);
    /// @notice The cut has no selectors.
    error NoSelectors(address facet);
    /// @notice `init` reverted without data.
    error InitializationFailed(address init);

    event DiamondCut(FacetCut[] diamondCut, address init, bytes initCalldata);
    event OwnershipTransferStarted(address indexed previousOwner, address indexed newOwner);
    event OwnershipTransferred(address indexed previousOwner, address indexed newOwner);
}
