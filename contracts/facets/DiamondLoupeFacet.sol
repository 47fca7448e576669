// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IAccountWrites } from "../interfaces/IAccountWrites.sol";
import { IActionWrites } from "../interfaces/IActionWrites.sol";
import { IConfigFacet } from "../interfaces/IConfigFacet.sol";
import { IDiamond } from "../interfaces/IDiamond.sol";
import { IDiamondCutFacet } from "../interfaces/IDiamondCutFacet.sol";
import { IDiamondLoupeFacet } from "../interfaces/IDiamondLoupeFacet.sol";
import { IGroupWrites } from "../interfaces/IGroupWrites.sol";
import { IMemberWrites } from "../interfaces/IMemberWrites.sol";
import { ISignaturesFacet } from "../interfaces/ISignaturesFacet.sol";
import { ISignedWrites } from "../interfaces/ISignedWrites.sol";
import { IUsageKeyWrites } from "../interfaces/IUsageKeyWrites.sol";
import { IViewsFacet } from "../interfaces/IViewsFacet.sol";
import { IWalletWrites } from "../interfaces/IWalletWrites.sol";
import { IWritesFacet } from "../interfaces/IWritesFacet.sol";
import { LibDiamond } from "../libraries/LibDiamond.sol";
import { IERC165 } from "@openzeppelin/contracts/utils/introspection/IERC165.sol";

/// @notice Shows the routes, see IDiamondLoupeFacet.
contract DiamondLoupeFacet is IDiamondLoupeFacet {
    /// ERC-173: owner() and transferOwnership(address).
    bytes4 private constant ERC173 = 0x7f5828d0;
    /// EIP-2535: diamondCut, and the four loupe functions.
    bytes4 private constant DIAMOND_CUT = 0x1f931c1c;
    bytes4 private constant DIAMOND_LOUPE = 0x48e2b093;

    /// @inheritdoc IDiamondLoupeFacet
    function facets() external view returns (IDiamond.Facet[] memory result) {
        address[] memory addresses = facetAddresses();
        result = new IDiamond.Facet[](addresses.length);
        for (uint256 i; i < addresses.length; ++i) {
            result[i] = IDiamond.Facet({
                facetAddress: addresses[i], functionSelectors: facetFunctionSelectors(addresses[i])
            });
        }
    }

    /// @inheritdoc IDiamondLoupeFacet
    function facetFunctionSelectors(address facet) public view returns (bytes4[] memory selectors) {
        LibDiamond.Layout storage $ = LibDiamond.load();
        bytes4[] memory all = $.selectors;
        selectors = new bytes4[](all.length);
        uint256 count;
        for (uint256 i; i < all.length; ++i) {
            if ($.routes[all[i]].facet == facet) selectors[count++] = all[i];
        }
        // memory-safe: shortens an array allocated here.
        assembly ("memory-safe") {
            mstore(selectors, count)
        }
    }

    /// @inheritdoc IDiamondLoupeFacet
    function facetAddresses() public view returns (address[] memory addresses) {
        LibDiamond.Layout storage $ = LibDiamond.load();
        bytes4[] memory all = $.selectors;
        addresses = new address[](all.length);
        uint256 count;
        for (uint256 i; i < all.length; ++i) {
            address facet = $.routes[all[i]].facet;
            uint256 j;
            while (j < count && addresses[j] != facet) ++j;
            if (j == count) addresses[count++] = facet;
        }
        // memory-safe: shortens an array allocated here.
        assembly ("memory-safe") {
            mstore(addresses, count)
        }
    }

    /// @inheritdoc IDiamondLoupeFacet
    function facetAddress(bytes4 selector) external view returns (address) {
        return LibDiamond.load().routes[selector].facet;
    }

    /// @inheritdoc IDiamondLoupeFacet
    function supportsInterface(bytes4 interfaceId) external pure returns (bool) {
        if (
            interfaceId == type(IERC165).interfaceId || interfaceId == DIAMOND_CUT
                || interfaceId == DIAMOND_LOUPE || interfaceId == ERC173
        ) return true;
        bytes4[13] memory parts = [
            type(IDiamondCutFacet).interfaceId,
            type(IDiamondLoupeFacet).interfaceId,
            type(IAccountWrites).interfaceId,
            type(IUsageKeyWrites).interfaceId,
            type(IGroupWrites).interfaceId,
            type(IActionWrites).interfaceId,
            type(IWalletWrites).interfaceId,
            type(IMemberWrites).interfaceId,
            type(ISignedWrites).interfaceId,
            type(IWritesFacet).interfaceId,
            type(IViewsFacet).interfaceId,
            type(ISignaturesFacet).interfaceId,
            type(IConfigFacet).interfaceId
        ];
        bytes4 whole;
        for (uint256 i; i < parts.length; ++i) {
            if (interfaceId == parts[i]) return true;
            whole ^= parts[i];
        }
        return interfaceId == whole;
    }
}
