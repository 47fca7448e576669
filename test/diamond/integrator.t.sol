// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IAccountConfig } from "../../contracts/interfaces/IAccountConfig.sol";
import { IConfigFacet } from "../../contracts/interfaces/IConfigFacet.sol";
import { IGroupWrites } from "../../contracts/interfaces/IGroupWrites.sol";
import { ISignedWrites } from "../../contracts/interfaces/ISignedWrites.sol";
import { AccountConfigTest } from "../utils/AccountConfigTest.sol";

/// @notice The ways to name a function of the interface in a contract of an integrator. Solidity does not find inherited
/// functions by the name of an interface (`IAccountConfig.addGroup.selector` does not compile), and finds them by the interface
/// that declares them, and by a value.
contract IntegratorTest is AccountConfigTest {
    function selectors(IAccountConfig config) internal pure returns (bytes4 byInterface, bytes4 byValue) {
        byInterface = IGroupWrites.addGroup.selector;
        byValue = config.addGroup.selector;
    }

    function calldataOf(IAccountConfig config, uint256 apiKeyHash) internal pure returns (bytes memory) {
        return abi.encodeCall(config.removeGroup, (apiKeyHash, 1));
    }

    function test_SelectorsByInterfaceAndByValue() external view {
        (bytes4 byInterface, bytes4 byValue) = selectors(accountConfig);
        vm.assertEq(byInterface, byValue);
        vm.assertNotEq(accountConfig.facetAddress(byValue), address(0));
        vm.assertEq(IConfigFacet.setGuardian.selector, accountConfig.setGuardian.selector);
        vm.assertEq(ISignedWrites.executeSigned.selector, IAccountConfig(address(0)).executeSigned.selector);
    }

    function test_CalldataByValue() external view {
        bytes memory expected =
            abi.encodeWithSelector(IGroupWrites.removeGroup.selector, uint256(7), uint256(1));
        vm.assertEq(calldataOf(accountConfig, 7), expected);
    }
}
