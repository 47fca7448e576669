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

    /// @notice ERC-165: true for IERC165, the cut, the loupe, ERC-173, the interface of each facet, and IAccountConfig, whose
    /// id is the XOR of the selectors of all functions. Solidity's `type(IAccountConfig).interfaceId` leaves out inherited
    /// functions: it is 0, which is false, as any other id.
    function supportsInterface(bytes4 interfaceId) external pure returns (bool);
}
