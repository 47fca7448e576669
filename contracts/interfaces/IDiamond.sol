// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title IDiamond
/// @notice EIP-2535: how selectors are routed to facets, and two-step ownership (ERC-173 with acceptance).
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
    /// @notice The caller is not the pending owner.
    error OnlyPendingOwner(address caller);
    /// @notice No facet serves this selector (0x00000000 for empty calldata). A call with ETH reverts without data.
    error FunctionNotFound(bytes4 selector);
    /// @notice The selector is already served by `facet`.
    error SelectorAlreadyRouted(bytes4 selector, address facet);
    /// @notice The selector is not served, or (on a replacement) is served by this very facet.
    error SelectorNotReplaceable(bytes4 selector, address facet);
    /// @notice A facet without code, or a removal that names a facet.
    error InvalidFacet(address facet);
    /// @notice A cut without selectors.
    error NoSelectors(address facet);
    /// @notice `init` reverted without a reason.
    error InitializationFailed(address init);

    event DiamondCut(FacetCut[] diamondCut, address init, bytes initCalldata);
    event OwnershipTransferStarted(address indexed previousOwner, address indexed newOwner);
    event OwnershipTransferred(address indexed previousOwner, address indexed newOwner);

    /// @notice Adds, replaces and removes routed selectors, then delegatecalls `init` when it is not zero.
    /// Owner only. All or nothing.
    function diamondCut(FacetCut[] calldata cuts, address init, bytes calldata initCalldata) external;

    /// @notice Every facet with the selectors that it serves.
    function facets() external view returns (Facet[] memory);

    /// @notice The selectors that `facet` serves; empty for a stranger.
    function facetFunctionSelectors(address facet) external view returns (bytes4[] memory);

    /// @notice The addresses of all facets.
    function facetAddresses() external view returns (address[] memory);

    /// @notice The facet that serves `selector`, or zero.
    function facetAddress(bytes4 selector) external view returns (address);

    /// @notice ERC-165: this function, IERC165, the cut, the loupe and ERC-173.
    function supportsInterface(bytes4 interfaceId) external pure returns (bool);

    /// @notice The owner: cuts, payers, and every setting.
    function owner() external view returns (address);

    /// @notice Who may accept the ownership, or zero.
    function pendingOwner() external view returns (address);

    /// @notice Offers the ownership to `newOwner`, who has to accept it; zero withdraws an offer. Owner only.
    function transferOwnership(address newOwner) external;

    /// @notice Completes a transfer. Pending owner only.
    function acceptOwnership() external;
}
