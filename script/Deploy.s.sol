// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IAccountConfig } from "../contracts/interfaces/IAccountConfig.sol";
import { IDiamond } from "../contracts/interfaces/IDiamond.sol";
import { Script } from "./Script.sol";

/// @notice Deploys AccountConfig with all of its facets and writes `<DEPLOYMENTS_DIR>/<chainId>.json`.
///
///   forge build && forge script script/Deploy.s.sol:Deploy --rpc-url URL --broadcast --private-key KEY
///
/// OWNER           who gets the ownership; when it is not the deployer it has to call acceptOwnership (default: deployer)
/// API_PAYERS      addresses, comma separated (default: none)
/// ADMIN_API_PAYER an address (default: the first api payer)
/// DEPLOYMENTS_DIR where the file goes (default: deployments)
contract Deploy is Script {
    struct Settings {
        address owner;
        address[] apiPayers;
        address adminApiPayer;
    }

    struct Deployment {
        address diamond;
        /// No log of the diamond is in an earlier block.
        uint256 startBlock;
        FacetCode[] facets;
    }

    function run() external returns (Deployment memory deployment) {
        requireRoutableFacets();
        scripts.startBroadcast();
        // In a broadcast the sender is the deployer.
        deployment = deploy(msg.sender, settingsFromEnvironment(msg.sender));
        scripts.stopBroadcast();
        write(deployment, deploymentFile());
    }

    function settingsFromEnvironment(address deployer) internal view returns (Settings memory settings) {
        settings.owner = scripts.envOr("OWNER", deployer);
        settings.apiPayers = scripts.envOr("API_PAYERS", ",", new address[](0));
        settings.adminApiPayer = scripts.envOr(
            "ADMIN_API_PAYER", settings.apiPayers.length == 0 ? address(0) : settings.apiPayers[0]
        );
    }

    /// @param deployer Who the calls of this script come from; owns the diamond until the settings are made.
    function deploy(address deployer, Settings memory settings)
        internal
        returns (Deployment memory deployment)
    {
        deployment.startBlock = block.number;
        deployment.facets = createFacets();
        IDiamond.FacetCut[] memory cuts = new IDiamond.FacetCut[](deployment.facets.length);
        for (uint256 i; i < cuts.length; ++i) {
            cuts[i] = IDiamond.FacetCut({
                facetAddress: deployment.facets[i].deployed,
                action: IDiamond.FacetCutAction.Add,
                functionSelectors: deployment.facets[i].selectors
            });
        }
        deployment.diamond = create("AccountConfig", abi.encode(deployer, cuts));
        IAccountConfig config = IAccountConfig(deployment.diamond);
        if (settings.apiPayers.length != 0) config.setApiPayers(settings.apiPayers);
        if (settings.adminApiPayer != address(0)) config.setAdminApiPayerAccount(settings.adminApiPayer);
        if (settings.owner != deployer) config.transferOwnership(settings.owner);
    }

    function createFacets() internal returns (FacetCode[] memory facets) {
        string[] memory names = facetNames();
        facets = new FacetCode[](names.length);
        for (uint256 i; i < names.length; ++i) {
            facets[i] = FacetCode({
                name: names[i], deployed: create(names[i], ""), selectors: selectorsOf(names[i])
            });
        }
    }

    function write(Deployment memory deployment, string memory file) internal {
        string memory facets;
        for (uint256 i; i < deployment.facets.length; ++i) {
            facets =
                scripts.serializeAddress("facets", deployment.facets[i].name, deployment.facets[i].deployed);
        }
        scripts.serializeUint("deployment", "chainId", block.chainid);
        scripts.serializeAddress("deployment", "address", deployment.diamond);
        scripts.serializeUint("deployment", "startBlock", deployment.startBlock);
        string memory json = scripts.serializeString("deployment", "facets", facets);
        scripts.createDir(scripts.envOr("DEPLOYMENTS_DIR", "deployments"), true);
        scripts.writeJson(json, file);
    }
}
