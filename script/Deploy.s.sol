// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IAccountConfig } from "../contracts/interfaces/IAccountConfig.sol";
import { IConfigFacet } from "../contracts/interfaces/IConfigFacet.sol";
import { IDiamond } from "../contracts/interfaces/IDiamond.sol";
import { Plan } from "./Plan.sol";

/// @notice Deploys AccountConfig with all of its facets.
///
/// The diamond is created with the deployer as its owner, which is part of its creation code: any sender of that code
/// creates a diamond that the deployer owns and that has no payers. Its address follows from the deployer and the
/// compiled code. The deployer then applies the settings and offers the ownership to the owner, who must accept it.
contract Deploy is Plan {
    struct Settings {
        address owner;
        address[] apiPayers;
        address adminApiPayer;
    }

    struct Inputs {
        address deployer;
        Settings settings;
        address configOperator;
        address pricingOperator;
        IConfigFacet.NodeConfiguration[] nodeConfiguration;
    }

    struct Deployment {
        address diamond;
        /// The logs of the diamond start at this block or later.
        uint256 startBlock;
        FacetCode[] facets;
    }

    uint8 private constant BROADCAST = 6;

    /// @notice For networks, see docs/deployment.md: a chain has one diamond per set of facets and deployer.
    function execute(Inputs memory inputs) external returns (Report memory report) {
        report = plan(inputs);
        broadcast(inputs.deployer, report.calls);
    }

    /// @notice For local chains: each run creates a new diamond, and `<DEPLOYMENTS_DIR>/<chainId>.json` is written
    /// before its transactions are mined.
    ///
    /// npm run build && npm run forge -- script script/Deploy.s.sol:Deploy --rpc-url URL --broadcast --private-key KEY
    ///
    /// OWNER           the new owner; if it is not the deployer it must call acceptOwnership (default: deployer)
    /// API_PAYERS      addresses, comma separated (default: none)
    /// ADMIN_API_PAYER an address (default: the first api payer)
    /// DEPLOYMENTS_DIR directory of the file (default: deployments)
    function run() external returns (Deployment memory deployment) {
        requireRoutableFacets();
        scripts.startBroadcast();
        // In a broadcast the sender is the deployer.
        deployment = deploy(msg.sender, settingsFromEnvironment(msg.sender));
        scripts.stopBroadcast();
        if (scripts.isContext(BROADCAST)) write(deployment, deploymentFile());
    }

    function settingsFromEnvironment(address deployer) internal view returns (Settings memory settings) {
        settings.owner = scripts.envOr("OWNER", deployer);
        settings.apiPayers = scripts.envOr("API_PAYERS", ",", new address[](0));
        settings.adminApiPayer = scripts.envOr(
            "ADMIN_API_PAYER", settings.apiPayers.length == 0 ? address(0) : settings.apiPayers[0]
        );
    }

    /// @notice Creates a new diamond and applies its settings.
    /// @param deployer Sender of the calls of this script; owns the diamond until the settings are applied.
    function deploy(address deployer, Settings memory settings)
        internal
        returns (Deployment memory deployment)
    {
        Inputs memory inputs;
        (inputs.deployer, inputs.settings) = (deployer, settings);
        deployment.startBlock = block.number;
        deployment.facets = facetCodes();
        bytes memory code = diamondCode(deployer, additions(deployment.facets));
        uint256 salt;
        while (addressOf(salt, code).code.length != 0) ++salt;
        deployment.diamond = addressOf(salt, code);
        send(callsFor(inputs, deployment.facets, salt));
    }

    /// @notice The contracts at the end, and the calls that are still to be sent.
    function plan(Inputs memory inputs) internal returns (Report memory report) {
        requireRoutableFacets();
        FacetCode[] memory facets = facetCodes();
        report = expected(inputs.deployer, facets);
        report.calls = callsFor(inputs, facets, 0);
    }

    /// @notice The contracts of a finished deployment of the compiled code; sends no calls.
    function expected(address deployer) external returns (Report memory) {
        return expected(deployer, facetCodes());
    }

    function expected(address deployer, FacetCode[] memory facets) internal returns (Report memory report) {
        report.cuts = additions(facets);
        report.diamond = addressOf(0, diamondCode(deployer, report.cuts));
        Code[] memory codes = describe(facets);
        report.codes = new Code[](codes.length + 1);
        for (uint256 i; i < codes.length; ++i) {
            report.codes[i] = codes[i];
        }
        address sample = create("AccountConfig", abi.encode(deployer, new IDiamond.FacetCut[](0)));
        report.codes[codes.length] = describe("AccountConfig", report.diamond, sample);
    }

    function callsFor(Inputs memory inputs, FacetCode[] memory facets, uint256 salt)
        internal
        view
        returns (Call[] memory calls)
    {
        bytes memory code = diamondCode(inputs.deployer, additions(facets));
        IAccountConfig diamond = IAccountConfig(addressOf(salt, code));
        calls = facetCreations(facets);
        if (address(diamond).code.length == 0) {
            Call[] memory diamondCreation = new Call[](1);
            diamondCreation[0] = creation("AccountConfig", salt, code);
            calls = join(calls, diamondCreation);
        } else if (diamond.owner() != inputs.deployer) {
            return calls;
        }
        return join(calls, settingCalls(diamond, inputs));
    }

    /// @notice The calls for settings that differ from the wanted ones. The ownership is offered last.
    function settingCalls(IAccountConfig diamond, Inputs memory inputs)
        internal
        view
        returns (Call[] memory calls)
    {
        Settings memory settings = inputs.settings;
        State memory state = _stateOf(diamond);
        calls = new Call[](5 + inputs.nodeConfiguration.length);
        uint256 count;
        if (!sameSet(state.apiPayers, settings.apiPayers)) {
            calls[count++] = Call(
                "setApiPayers", address(diamond), abi.encodeCall(diamond.setApiPayers, settings.apiPayers)
            );
        }
        if (state.adminApiPayer != settings.adminApiPayer) {
            calls[count++] = Call(
                "setAdminApiPayerAccount",
                address(diamond),
                abi.encodeCall(diamond.setAdminApiPayerAccount, settings.adminApiPayer)
            );
        }
        if (state.configOperator != inputs.configOperator) {
            calls[count++] = Call(
                "setConfigOperator",
                address(diamond),
                abi.encodeCall(diamond.setConfigOperator, inputs.configOperator)
            );
        }
        if (state.pricingOperator != inputs.pricingOperator) {
            calls[count++] = Call(
                "setPricingOperator",
                address(diamond),
                abi.encodeCall(diamond.setPricingOperator, inputs.pricingOperator)
            );
        }
        for (uint256 i; i < inputs.nodeConfiguration.length; ++i) {
            IConfigFacet.NodeConfiguration memory wanted = inputs.nodeConfiguration[i];
            if (state.exists && _isEqual(diamond.nodeConfigurationValue(wanted.key), wanted.value)) continue;
            calls[count++] = Call(
                string.concat("setNodeConfiguration ", wanted.key),
                address(diamond),
                abi.encodeCall(diamond.setNodeConfiguration, (wanted.key, wanted.value))
            );
        }
        if (settings.owner != inputs.deployer && state.pendingOwner != settings.owner) {
            calls[count++] = Call(
                "transferOwnership",
                address(diamond),
                abi.encodeCall(diamond.transferOwnership, settings.owner)
            );
        }
        _shorten(calls, count);
    }

    struct State {
        bool exists;
        address[] apiPayers;
        address adminApiPayer;
        address configOperator;
        address pricingOperator;
        address pendingOwner;
    }

    /// @notice Empty before the diamond exists.
    function _stateOf(IAccountConfig diamond) private view returns (State memory state) {
        if (address(diamond).code.length == 0) return state;
        state = State({
            exists: true,
            apiPayers: diamond.api_payers(),
            adminApiPayer: diamond.adminApiPayerAccount(),
            configOperator: diamond.configOperator(),
            pricingOperator: diamond.pricingOperator(),
            pendingOwner: diamond.pendingOwner()
        });
    }

    function _isEqual(string memory a, string memory b) private pure returns (bool) {
        return keccak256(bytes(a)) == keccak256(bytes(b));
    }

    function additions(FacetCode[] memory facets) internal pure returns (IDiamond.FacetCut[] memory cuts) {
        cuts = new IDiamond.FacetCut[](facets.length);
        for (uint256 i; i < cuts.length; ++i) {
            cuts[i] = IDiamond.FacetCut({
                facetAddress: facets[i].deployed,
                action: IDiamond.FacetCutAction.Add,
                functionSelectors: facets[i].selectors
            });
        }
    }

    function diamondCode(address deployer, IDiamond.FacetCut[] memory cuts)
        internal
        view
        returns (bytes memory)
    {
        return initCode("AccountConfig", abi.encode(deployer, cuts));
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
