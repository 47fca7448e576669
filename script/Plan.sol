// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IDiamond } from "../contracts/interfaces/IDiamond.sol";
import { Script } from "./Script.sol";

/// @notice The base of the scripts for networks. A script computes the calls that lead from the state of the chain to
/// the wanted state, sends those that its sender may send, and returns all of them. Without `--broadcast` it is a dry
/// run. A run after a crash continues from the state of the chain, and a run after completion has no calls.
///
/// Contracts are created through the deterministic deployment proxy. An address follows from the creation code alone,
/// so a stranger who creates a contract first creates this very contract.
abstract contract Plan is Script {
    /// A contract that is on the chain, or will be.
    struct Code {
        string name;
        address deployed;
        bytes32 codeHash;
        /// Bytes of the deployed code.
        uint256 size;
        bool exists;
    }

    /// A transaction.
    struct Call {
        string what;
        address to;
        bytes data;
    }

    struct Report {
        address diamond;
        Code[] codes;
        IDiamond.FacetCut[] cuts;
        /// Calls that the sender of the script must send, and sends in a broadcast.
        Call[] calls;
        /// Calls that only the owner can send, when the owner is not the sender.
        Call[] ownerCalls;
    }

    /// https://github.com/Arachnid/deterministic-deployment-proxy: the same code on every chain.
    address internal constant FACTORY = 0x4e59b44847b379578588920cA78FbF26c0B4956C;
    /// EIP-170.
    uint256 internal constant MAX_CODE_SIZE = 24_576;

    error CodeTooLarge(string name, uint256 size);
    error CallFailed(string what);

    // ---------------------------------------------------------------------------------------------- contracts

    function initCode(string memory name, bytes memory arguments) internal view returns (bytes memory) {
        return bytes.concat(scripts.getCode(artifact(name)), arguments);
    }

    /// @notice Returns the address at which the factory creates a contract. Facets have salt 0.
    function addressOf(uint256 salt, bytes memory code) internal pure returns (address) {
        return address(uint160(uint256(keccak256(abi.encodePacked(hex"ff", FACTORY, salt, keccak256(code))))));
    }

    function creation(string memory name, uint256 salt, bytes memory code)
        internal
        pure
        returns (Call memory)
    {
        return Call({
            what: string.concat("create ", name, " at ", scripts.toString(addressOf(salt, code))),
            to: FACTORY,
            data: abi.encodePacked(salt, code)
        });
    }

    /// @notice The facets at the addresses of their compiled code.
    function facetCodes() internal view returns (FacetCode[] memory facets) {
        string[] memory names = facetNames();
        facets = new FacetCode[](names.length);
        for (uint256 i; i < names.length; ++i) {
            facets[i] = FacetCode({
                name: names[i],
                deployed: addressOf(0, initCode(names[i], "")),
                selectors: selectorsOf(names[i])
            });
        }
    }

    /// @notice The calls that create the missing facets.
    function facetCreations(FacetCode[] memory facets) internal view returns (Call[] memory calls) {
        calls = new Call[](facets.length);
        uint256 count;
        for (uint256 i; i < facets.length; ++i) {
            if (facets[i].deployed.code.length != 0) continue;
            calls[count++] = creation(facets[i].name, 0, initCode(facets[i].name, ""));
        }
        _shorten(calls, count);
    }

    /// @notice The expected facets. Creates them here to determine their code.
    function describe(FacetCode[] memory facets) internal returns (Code[] memory codes) {
        codes = new Code[](facets.length);
        for (uint256 i; i < facets.length; ++i) {
            codes[i] = describe(facets[i].name, facets[i].deployed, create(facets[i].name, ""));
        }
    }

    /// @param sample The same contract, created here.
    function describe(string memory name, address deployed, address sample)
        internal
        view
        returns (Code memory)
    {
        if (sample.code.length > MAX_CODE_SIZE) revert CodeTooLarge(name, sample.code.length);
        return Code({
            name: name,
            deployed: deployed,
            codeHash: sample.codehash,
            size: sample.code.length,
            exists: deployed.code.length != 0
        });
    }

    // -------------------------------------------------------------------------------------------------- calls

    /// @notice Sends the calls as transactions of `sender`, whose key is in DEPLOYER_KEY in a broadcast.
    function broadcast(address sender, Call[] memory calls) internal {
        uint256 key = scripts.envOr("DEPLOYER_KEY", uint256(0));
        if (key != 0) scripts.rememberKey(key);
        scripts.startBroadcast(sender);
        send(calls);
        scripts.stopBroadcast();
    }

    function send(Call[] memory calls) internal {
        for (uint256 i; i < calls.length; ++i) {
            (bool ok, bytes memory result) = calls[i].to.call(calls[i].data);
            if (ok) continue;
            if (result.length == 0) revert CallFailed(calls[i].what);
            // memory-safe: reads the bytes that the call returned.
            assembly ("memory-safe") {
                revert(add(result, 32), mload(result))
            }
        }
    }

    function join(Call[] memory first, Call[] memory second) internal pure returns (Call[] memory all) {
        all = new Call[](first.length + second.length);
        for (uint256 i; i < all.length; ++i) {
            all[i] = i < first.length ? first[i] : second[i - first.length];
        }
    }

    function _shorten(Call[] memory calls, uint256 length) internal pure {
        // memory-safe: shortens an array that was allocated by Solidity.
        assembly ("memory-safe") {
            mstore(calls, length)
        }
    }

    // --------------------------------------------------------------------------------------------------- sets

    /// @notice True for two lists with the same elements. The lists must not have duplicates.
    function sameSet(address[] memory a, address[] memory b) internal pure returns (bool) {
        return a.length == b.length && isSubset(a, b);
    }

    function isSubset(address[] memory part, address[] memory whole) internal pure returns (bool) {
        for (uint256 i; i < part.length; ++i) {
            if (!contains(whole, part[i])) return false;
        }
        return true;
    }

    function contains(address[] memory list, address item) internal pure returns (bool) {
        for (uint256 i; i < list.length; ++i) {
            if (list[i] == item) return true;
        }
        return false;
    }
}
