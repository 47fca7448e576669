// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IAccountConfig } from "../../contracts/interfaces/IAccountConfig.sol";
import { IDiamond } from "../../contracts/interfaces/IDiamond.sol";
import { Deploy } from "../../script/Deploy.s.sol";
import { Vm } from "../utils/Vm.sol";

contract DeployTest is Deploy {
    Vm private constant vm = Vm(address(scripts));
    string private constant FILE = ".data/deploy-test.json";

    function _payers() private pure returns (address[] memory payers) {
        payers = new address[](2);
        (payers[0], payers[1]) = (address(11), address(12));
    }

    function _settings(address owner) private pure returns (Settings memory) {
        return Settings({ owner: owner, apiPayers: _payers(), adminApiPayer: address(12) });
    }

    function test_SettingsAreMade() external {
        IAccountConfig config = IAccountConfig(deploy(address(this), _settings(address(this))).diamond);
        vm.assertEq(config.owner(), address(this));
        vm.assertEq(config.pendingOwner(), address(0));
        vm.assertEq(config.api_payers(), _payers());
        vm.assertEq(config.adminApiPayerAccount(), address(12));
    }

    /// Another owner has to accept: a mistyped address does not take the diamond along.
    function test_OwnershipIsOffered() external {
        IAccountConfig config = IAccountConfig(deploy(address(this), _settings(address(99))).diamond);
        vm.assertEq(config.owner(), address(this));
        vm.assertEq(config.pendingOwner(), address(99));
        vm.prank(address(99));
        config.acceptOwnership();
        vm.assertEq(config.owner(), address(99));
    }

    function test_NoSettings() external {
        Settings memory none = Settings(address(this), new address[](0), address(0));
        IAccountConfig config = IAccountConfig(deploy(address(this), none).diamond);
        vm.assertEq(config.api_payers(), new address[](0));
        vm.assertEq(config.adminApiPayerAccount(), address(0));
    }

    function test_ConstructorEvents() external {
        vm.recordLogs();
        Deployment memory deployment = deploy(address(this), _settings(address(99)));
        Vm.Log[] memory logs = vm.getRecordedLogs();
        vm.assertEq(logs.length, 5);
        bytes32[5] memory topics = [
            IDiamond.OwnershipTransferred.selector,
            IDiamond.DiamondCut.selector,
            IAccountConfig.ApiPayersSet.selector,
            IAccountConfig.AdminApiPayerAccountSet.selector,
            IDiamond.OwnershipTransferStarted.selector
        ];
        for (uint256 i; i < topics.length; ++i) {
            vm.assertEq(logs[i].topics[0], topics[i]);
            vm.assertEq(logs[i].emitter, deployment.diamond);
        }
    }

    function test_DeploymentIsWritten() external {
        Deployment memory deployment = deploy(address(this), _settings(address(this)));
        scripts.createDir(".data", true);
        write(deployment, FILE);
        string memory json = vm.readFile(FILE);
        vm.removeFile(FILE);
        vm.assertEq(vm.parseJsonKeys(json, "$").length, 4);
        vm.assertEq(vm.parseJsonUint(json, ".chainId"), block.chainid);
        vm.assertEq(vm.parseJsonUint(json, ".startBlock"), block.number);
        vm.assertEq(vm.parseJsonAddress(json, ".address"), deployment.diamond);
        string[] memory names = vm.parseJsonKeys(json, ".facets");
        vm.assertEq(names.length, facetNames().length);
        for (uint256 i; i < names.length; ++i) {
            address facet = vm.parseJsonAddress(json, string.concat(".facets.", names[i]));
            bytes4 selector = selectorsOf(names[i])[0];
            vm.assertEq(IDiamond(deployment.diamond).facetAddress(selector), facet);
        }
    }

    /// Every facet fits into a block and under the limit of contract code.
    function test_CodeSize() external {
        Deployment memory deployment = deploy(address(this), _settings(address(this)));
        for (uint256 i; i < deployment.facets.length; ++i) {
            vm.assertLt(deployment.facets[i].deployed.code.length, 24_577);
        }
    }
}
