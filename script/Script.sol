// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { Vm } from "../test/utils/Vm.sol";

/// @notice The cheatcodes of forge that only scripts use.
interface ScriptVm is Vm {
    function startBroadcast() external;
    function stopBroadcast() external;
    function envOr(string calldata name, address defaultValue) external view returns (address);
    function envOr(string calldata name, string calldata defaultValue) external view returns (string memory);
    function envOr(string calldata name, string calldata delimiter, address[] calldata defaultValue)
        external
        view
        returns (address[] memory);
    function envAddress(string calldata name, string calldata delimiter)
        external
        view
        returns (address[] memory);
    function createDir(string calldata path, bool recursive) external;
    function writeFile(string calldata path, string calldata data) external;
    function serializeAddress(string calldata objectKey, string calldata valueKey, address value)
        external
        returns (string memory json);
    function serializeUint(string calldata objectKey, string calldata valueKey, uint256 value)
        external
        returns (string memory json);
    function serializeString(string calldata objectKey, string calldata valueKey, string calldata value)
        external
        returns (string memory json);
    function writeJson(string calldata json, string calldata path) external;
}

/// @notice What the scripts share: the cheatcodes, the facet list, the deployment files.
abstract contract Script {
    ScriptVm internal constant scripts = ScriptVm(address(uint160(uint256(keccak256("hevm cheat code")))));

    struct FacetCode {
        string name;
        address deployed;
        bytes4[] selectors;
    }

    error CreationFailed(string name);

    /// @notice The facets of the diamond; their selectors are those of their compiled ABIs.
    function facetNames() internal pure returns (string[] memory names) {
        names = new string[](6);
        names[0] = "WritesFacet";
        names[1] = "ViewsFacet";
        names[2] = "SignaturesFacet";
        names[3] = "ConfigFacet";
        names[4] = "DiamondCutFacet";
        names[5] = "DiamondLoupeFacet";
    }

    /// @notice Creates a contract from its compiled artifact.
    function create(string memory name, bytes memory arguments) internal returns (address deployed) {
        bytes memory code = bytes.concat(scripts.getCode(artifact(name)), arguments);
        // memory-safe: reads the code that was put together here.
        assembly ("memory-safe") {
            deployed := create(0, add(code, 32), mload(code))
        }
        if (deployed == address(0)) revert CreationFailed(name);
    }

    function artifact(string memory name) internal pure returns (string memory) {
        return string.concat("out/", name, ".sol/", name, ".json");
    }

    /// @notice The selectors of a compiled contract, in the order of their signatures.
    function selectorsOf(string memory name) internal view returns (bytes4[] memory selectors) {
        string[] memory signatures =
            scripts.parseJsonKeys(scripts.readFile(artifact(name)), ".methodIdentifiers");
        selectors = new bytes4[](signatures.length);
        for (uint256 i; i < signatures.length; ++i) {
            selectors[i] = bytes4(keccak256(bytes(signatures[i])));
        }
    }

    /// @notice Where the deployment of this chain is written: `<DEPLOYMENTS_DIR>/<chainId>.json`.
    function deploymentFile() internal view returns (string memory) {
        string memory dir = scripts.envOr("DEPLOYMENTS_DIR", "deployments");
        return string.concat(dir, "/", scripts.toString(block.chainid), ".json");
    }
}
