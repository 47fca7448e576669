// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IAccountConfig } from "../../contracts/interfaces/IAccountConfig.sol";
import { AccountConfigTest } from "../utils/AccountConfigTest.sol";
import { Handlers } from "./Handlers.sol";

/// @notice See README.md.
abstract contract InvariantsTest is AccountConfigTest {
    Handlers internal handlers;

    function setUp() public virtual override {
        vm.warp(NOW);
        address[] memory services = new address[](6);
        for (uint256 i; i < 6; ++i) {
            services[i] = actor(string.concat("service ", vm.toString(i)));
        }
        address[] memory payers = list(services[1], services[2]);
        accountConfig = deploy(services[0], payers, services[1]);
        vm.prank(services[0]);
        accountConfig.acceptOwnership();
        handlers = new Handlers(accountConfig, services);
        vm.deal(address(handlers), 100 ether);
        handlers.open();
        _grow();
        for (uint256 number = 1; number <= 6; ++number) {
            handlers.grow(number, 6);
        }
        handlers.startCounting();
    }

    function campaign() internal pure virtual returns (string memory);

    /// @notice Runs before the first accounts get a few groups, actions and wallets.
    function _grow() internal virtual;

    struct FuzzSelector {
        address addr;
        bytes4[] selectors;
    }

    function targetContracts() external view returns (address[] memory) {
        return list(address(handlers));
    }

    /// @notice The roles of the handlers.
    function targetSelectors() external view returns (FuzzSelector[] memory targets) {
        bytes4[] memory selectors = new bytes4[](14);
        selectors[0] = Handlers.payer.selector;
        selectors[1] = Handlers.admin.selector;
        selectors[2] = Handlers.contractAdmin.selector;
        selectors[3] = Handlers.formerAdmin.selector;
        selectors[4] = Handlers.keyHolder.selector;
        selectors[5] = Handlers.stranger.selector;
        selectors[6] = Handlers.service.selector;
        selectors[7] = Handlers.batch.selector;
        selectors[8] = Handlers.attacker.selector;
        selectors[9] = Handlers.reader.selector;
        selectors[10] = Handlers.time.selector;
        selectors[11] = Handlers.ether_.selector;
        selectors[12] = Handlers.signer.selector;
        selectors[13] = Handlers.handOver.selector;
        targets = new FuzzSelector[](1);
        targets[0] = FuzzSelector(address(handlers), selectors);
    }

    /// @notice Writes the counts of the run for tools/test-deep.ts, which runs many.
    function afterInvariant() external {
        string memory dir = scripts.envOr("INVARIANT_SUMMARIES", "");
        if (bytes(dir).length != 0) vm.writeLine(string.concat(dir, "/", campaign()), handlers.summary());
    }

    /// @notice Fails a run in which calls never succeed, because it proves nothing.
    function test_EveryCallSucceedsOften() external {
        FuzzSelector[] memory targets = this.targetSelectors();
        for (uint256 i; i < 8000; ++i) {
            bytes4 selector = targets[0].selectors[uint256(keccak256(abi.encode(i))) % 14];
            (bool ok, bytes memory result) = address(handlers).call(abi.encodeWithSelector(selector, i));
            // memory-safe: reads the bytes that the call returned.
            assembly ("memory-safe") {
                if iszero(ok) { revert(add(result, 32), mload(result)) }
            }
        }
        handlers.checkRules();
        handlers.requireSuccesses(3);
    }

    function invariant_Rules() external {
        handlers.checkRules();
    }
}

/// @notice A campaign that starts with small accounts.
/// forge-config: default.invariant.fail_on_revert = true
/// forge-config: default.invariant.check_interval = 0
contract SmallInvariantsTest is InvariantsTest {
    function campaign() internal pure override returns (string memory) {
        return "small";
    }

    function _grow() internal override { }
}

/// @notice A campaign with two accounts that are about to outgrow single words.
/// forge-config: default.invariant.fail_on_revert = true
/// forge-config: default.invariant.check_interval = 0
contract LargeInvariantsTest is InvariantsTest {
    function campaign() internal pure override returns (string memory) {
        return "large";
    }

    function _grow() internal override {
        handlers.grow({ number: 1, count: 86 });
        handlers.grow({ number: 2, count: 246 });
    }
}

