// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { Vm } from "../test/utils/Vm.sol";

/// @notice The cheatcodes of forge that only scripts use.
interface ScriptVm is Vm {
    /// The operation of forge; 6 is a script with --broadcast.
    function isContext(uint8 context) external view returns (bool);
    function startBroadcast() external;
    function startBroadcast(address sender) external;
    function stopBroadcast() external;
    function rememberKey(uint256 privateKey) external returns (address);
    function setEnv(string calldata name, string calldata value) external;
    function envOr(string calldata name, uint256 defaultValue) external view returns (uint256);
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
    function toString(address value) external pure returns (string memory);
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

/// @notice The base of all scripts: the cheatcodes, the facet list, the deployment files.
abstract contract Script {
    ScriptVm internal constant scripts = ScriptVm(address(uint160(uint256(keccak256("hevm cheat code")))));

    struct FacetCode {
        string name;
        address deployed;
        bytes4[] selectors;
    }

    /// The functions of a compiled contract by their signatures.
    struct Functions {
        string contractName;
        string[] signatures;
    }

    error CreationFailed(string name);
    error FunctionInTwoFacets(string signature, string facet, string otherFacet);
    error FunctionNotInInterface(string signature, string facet);
    error FunctionInNoFacet(string signature);

    /// @notice The facets of the diamond. Their selectors come from their compiled ABIs.
    function facetNames() internal pure returns (string[] memory names) {
        names = new string[](9);
        names[0] = "WritesFacet";
        names[1] = "GroupsFacet";
        names[2] = "ViewsFacet";
        names[3] = "SignaturesFacet";
        names[4] = "ConfigFacet";
        names[5] = "DiamondCutFacet";
        names[6] = "DiamondLoupeFacet";
        names[7] = "SignedWritesFacet";
        names[8] = "AccountsFacet";
    }

    /// @notice Creates a contract from its compiled artifact.
    function create(string memory name, bytes memory arguments) internal returns (address deployed) {
        bytes memory code = bytes.concat(scripts.getCode(artifact(name)), arguments);
        // memory-safe: reads the code that was assembled here.
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
        string[] memory signatures = functionsOf(name).signatures;
        selectors = new bytes4[](signatures.length);
        for (uint256 i; i < signatures.length; ++i) {
            selectors[i] = selectorOf(signatures[i]);
        }
    }

    function functionsOf(string memory name) internal view returns (Functions memory) {
        return Functions({
            contractName: name,
            signatures: scripts.parseJsonKeys(scripts.readFile(artifact(name)), ".methodIdentifiers")
        });
    }

    function selectorOf(string memory signature) internal pure returns (bytes4) {
        return bytes4(keccak256(bytes(signature)));
    }

    /// @notice Reverts unless a cut routes exactly the functions of the interface. Every script calls this before it
    /// broadcasts.
    function requireRoutableFacets() internal view {
        string[] memory names = facetNames();
        Functions[] memory facets = new Functions[](names.length);
        for (uint256 i; i < names.length; ++i) {
            facets[i] = functionsOf(names[i]);
        }
        requireRoutable(functionsOf("IAccountConfig"), facets);
    }

    /// @notice Reverts unless each function of the interface is in exactly one facet and the facets have no other
    /// functions.
    /// The compiler proves that the functions of the interface have different selectors, and that a facet has them as
    /// declared.
    function requireRoutable(Functions memory declared, Functions[] memory facets) internal pure {
        // The facet of each function, by position in the interface.
        string[] memory holders = new string[](declared.signatures.length);
        for (uint256 i; i < facets.length; ++i) {
            for (uint256 j; j < facets[i].signatures.length; ++j) {
                _hold(declared.signatures, holders, facets[i].signatures[j], facets[i].contractName);
            }
        }
        for (uint256 i; i < holders.length; ++i) {
            if (bytes(holders[i]).length == 0) revert FunctionInNoFacet(declared.signatures[i]);
        }
    }

    /// @notice Records that `facet` has a function.
    function _hold(
        string[] memory declared,
        string[] memory holders,
        string memory signature,
        string memory facet
    ) private pure {
        for (uint256 i; i < declared.length; ++i) {
            if (keccak256(bytes(declared[i])) != keccak256(bytes(signature))) continue;
            if (bytes(holders[i]).length != 0) revert FunctionInTwoFacets(signature, holders[i], facet);
            holders[i] = facet;
            return;
        }
        revert FunctionNotInInterface(signature, facet);
    }

    /// @notice Returns the file of this chain's deployment: `<DEPLOYMENTS_DIR>/<chainId>.json`.
    function deploymentFile() internal view returns (string memory) {
        string memory dir = scripts.envOr("DEPLOYMENTS_DIR", "deployments");
        return string.concat(dir, "/", scripts.toString(block.chainid), ".json");
    }
}
