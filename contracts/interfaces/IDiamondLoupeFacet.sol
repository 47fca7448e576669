// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IDiamond } from "./IDiamond.sol";

/// @title IDiamondLoupeFacet
/// @notice Shows which facet serves which selector (EIP-2535).
interface IDiamondLoupeFacet {
    /// @notice Every facet with the selectors that it serves.
    function facets() external view returns (IDiamond.Facet[] memory);

    /// @notice The selectors that `facet` serves, empty for any other address.
    function facetFunctionSelectors(address facet) external view returns (bytes4[] memory);

    /// @notice The addresses of all facets.
    function facetAddresses() external view returns (address[] memory);

    /// @notice The facet that serves `selector`, or zero.
    function facetAddress(bytes4 selector) external view returns (address);

    /// @notice ERC-165: true for this function, IERC165, the cut, the loupe and ERC-173.
    function supportsInterface(bytes4 interfaceId) external pure returns (bool);
}
