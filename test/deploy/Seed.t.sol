// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IAccountConfig } from "../../contracts/interfaces/IAccountConfig.sol";
import { Deploy } from "../../script/Deploy.s.sol";
import { Seed } from "../../script/Seed.s.sol";
import { Deployer } from "../utils/Deployer.sol";
import { Vm } from "../utils/Vm.sol";

contract SeedTest is Seed {
    Vm private constant vm = Vm(address(scripts));

    uint256 private constant ACTION = uint256(keccak256("action"));
    uint256 private constant KEY = uint256(keccak256("usage key"));
    IAccountConfig private config;

    function setUp() external {
        config = Deployer(create("Deployer", ""))
            .deploy(Deploy.Settings(address(this), new address[](0), address(0)));
    }

    /// @notice An external call, so that its revert can be expected.
    function seed() external returns (uint256 calls) {
        Report memory report = plan(config, address(this), ACTION, KEY);
        send(report.calls);
        return report.calls.length;
    }

    function test_KeyMayRunTheActionWithTheWallet() external {
        vm.assertEq(this.seed(), 1);
        uint256 account = uint256(keccak256(abi.encodePacked(address(this))));
        (uint256 master, address admin, bool managed,,) = config.resolve(KEY);
        vm.assertEq(master, account);
        vm.assertEq(admin, address(this));
        vm.assertFalse(managed);
        address wallet = address(uint160(uint256(keccak256(abi.encode("wallet", address(this))))));
        (bool mayRun, bool mayUse) = config.canExecuteActionAndUseWallet(KEY, ACTION, wallet);
        vm.assertTrue(mayRun && mayUse);
        vm.assertEq(this.seed(), 0);
    }

    function test_RevertWhen_ChainIsNoTestChain() external {
        uint256[3] memory chains = [uint256(1), 8453, 10];
        for (uint256 i; i < chains.length; ++i) {
            vm.chainId(chains[i]);
            vm.expectRevert(abi.encodeWithSelector(NotATestChain.selector, chains[i]));
            this.seed();
        }
        vm.chainId(84_532);
        vm.assertEq(this.seed(), 1);
    }
}
