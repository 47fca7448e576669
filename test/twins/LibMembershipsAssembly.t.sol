// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IMembershipsHarness } from "../harness/IMembershipsHarness.sol";
import { Random } from "../utils/Random.sol";
import { Vm } from "../utils/Vm.sol";

/// @notice LibMembershipsAssembly against the functions of LibMemberships, called item by item on equal random storage.
contract LibMembershipsAssemblyTest is Random {
    Vm private constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));

    uint256 private constant ITEMS = 30;

    IMembershipsHarness private harness;
    uint256[] private ids;

    function setUp() external {
        bytes memory code = vm.getCode("out/MembershipsHarness.sol/MembershipsHarness.json");
        address deployed;
        // memory-safe: reads an allocated array of bytes.
        assembly ("memory-safe") {
            deployed := create(0, add(code, 32), mload(code))
        }
        harness = IMembershipsHarness(deployed);
    }

    /// @notice Registers items whose windows are near to and far from the group, and moves the window of the group.
    function _prepare(uint256 seed_) private {
        seed = seed_;
        uint256 kind = random(2);
        // Indices that start at the lower end of a window, at its upper end, or beyond it.
        harness.start(kind, 1 + random(200), 60 * random(3));
        bool hasGaps = random(2) == 0;
        for (uint256 i; i < ITEMS; ++i) {
            uint256 id = uint256(keccak256(abi.encode("item", i)));
            // Ids that differ from each other and from unknown ones in few bits.
            if (random(2) == 0) id = (random(8) << 127) | (i + 1);
            ids.push(kind == 0 ? id : uint160(id));
            if (hasGaps && random(6) == 0) harness.skip(random(60));
            harness.register(ids[i]);
            if (random(4) == 0) harness.addToItem(ids[i], 1 + random(200));
        }
        for (uint256 i = random(4); i > 0; --i) {
            harness.link(ids[random(ITEMS)]);
        }
    }

    /// @notice Up to ten ids: mostly items, and "every", unknown ids and ids with the stored bits of an item.
    function _someIds() private returns (uint256[] memory some) {
        some = new uint256[](random(11));
        for (uint256 i; i < some.length; ++i) {
            uint256 id = ids[random(ITEMS)];
            uint256 choice = random(16);
            some[i] = id;
            if (choice == 0) some[i] = 0;
            if (choice == 1) some[i] = seed >> 96;
            if (choice == 2) some[i] = id ^ (1 << 127);
            if (choice == 3) some[i] = (random(8) << 127) | (id << 129 >> 129);
        }
    }

    function testFuzz_linkNear(uint256 seed_) external {
        _prepare(seed_);
        uint256[] memory some = _someIds();
        uint256 from = random(some.length + 1);
        uint256 snapshot = vm.snapshotState();
        uint256 to = harness.linkNear(some, from);
        uint256[] memory state = harness.state(ids);
        vm.revertToState(snapshot);
        vm.assertEq(to, harness.linkOneByOne(some, from), "position");
        vm.assertEq(state, harness.state(ids), "state");
    }

    function testFuzz_clearNear(uint256 seed_) external {
        _prepare(seed_);
        for (uint256 i; i < ITEMS; ++i) {
            if (random(4) != 0) harness.link(ids[i]);
        }
        uint256 index = harness.indexOf(ids[random(ITEMS)]);
        if (random(2) == 0) harness.forget(ids[random(ITEMS)]);
        if (random(8) == 0) index = 0;
        uint256 bits = (1 << random(ITEMS)) - 1 | seed >> 226;
        uint256 snapshot = vm.snapshotState();
        (uint256 newIndex, uint256 newBits) = harness.clearNear(index, bits);
        uint256[] memory state = harness.state(ids);
        vm.revertToState(snapshot);
        (uint256 expectedIndex, uint256 expectedBits) = harness.clearOneByOne(index, bits);
        vm.assertEq(newIndex, expectedIndex, "index");
        vm.assertEq(newBits, expectedBits, "bits");
        vm.assertEq(state, harness.state(ids), "state");
    }
}
