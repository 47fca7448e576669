// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { Script } from "../../script/Script.sol";
import { Vm } from "../utils/Vm.sol";

/// @notice Facets that a script refuses before it broadcasts. `burn(uint256)` and `collate_propagate_storage(bytes16)`
/// have the same selector.
contract RoutableTest is Script {
    Vm private constant vm = Vm(address(scripts));

    Functions private declared;
    Functions[] private facets;

    function setUp() external {
        _declare("f()");
        _declare("burn(uint256)");
        _facet("A", "f()");
        _facet("B", "burn(uint256)");
    }

    function _declare(string memory signature) private {
        declared.signatures.push(signature);
    }

    function _facet(string memory name, string memory signature) private {
        Functions storage facet = facets.push();
        facet.contractName = name;
        facet.signatures.push(signature);
    }

    /// @notice An external call, so that its revert can be expected.
    function check() external view {
        requireRoutable(declared, facets);
    }

    function _expect(bytes memory revertData) private {
        vm.expectRevert(revertData);
        this.check();
    }

    function test_CompiledFacets() external view {
        requireRoutableFacets();
    }

    function test_EachFunctionOnce() external view {
        this.check();
    }

    function test_RevertWhen_FacetFunctionHasTheSelectorOfAnother() external {
        string memory colliding = "collate_propagate_storage(bytes16)";
        vm.assertEq(bytes32(selectorOf(colliding)), bytes32(selectorOf("burn(uint256)")));
        _facet("C", colliding);
        _expect(abi.encodeWithSelector(FunctionNotInInterface.selector, colliding, "C"));
    }

    function test_RevertWhen_FunctionIsInTwoFacets() external {
        _facet("C", "f()");
        _expect(abi.encodeWithSelector(FunctionInTwoFacets.selector, "f()", "A", "C"));
    }

    function test_RevertWhen_InterfaceLacksTheFunction() external {
        facets[0].signatures.push("g()");
        _expect(abi.encodeWithSelector(FunctionNotInInterface.selector, "g()", "A"));
    }

    function test_RevertWhen_NoFacetHasTheFunction() external {
        _declare("g()");
        _expect(abi.encodeWithSelector(FunctionInNoFacet.selector, "g()"));
    }
}
