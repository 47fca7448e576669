// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { AccountConfigTest } from "../utils/AccountConfigTest.sol";

/// @notice The layout of storage as it stands on chain: a field that moves, in the struct or in a packed word, fails here.
///
/// Words are put together from their fields by shifts that are written down a second time, on purpose.
contract LayoutTest is AccountConfigTest {
    uint256 private constant LOW_127 = (1 << 127) - 1;

    /// @return The slot of an ERC-7201 namespace.
    function _namespace(string memory id) private pure returns (uint256) {
        bytes32 slot = keccak256(abi.encode(uint256(keccak256(bytes(id))) - 1));
        return uint256(slot & ~bytes32(uint256(0xff)));
    }

    function _load(uint256 slot) private view returns (uint256) {
        return uint256(vm.load(address(accountConfig), bytes32(slot)));
    }

    /// @return The word of the field at `offset` of the struct.
    function _field(uint256 offset) private view returns (uint256) {
        return _load(_namespace("latchkey.storage.AccountConfig") + offset);
    }

    /// @return The word at `key_` of the mapping at `offset` of the struct.
    function _entry(uint256 offset, uint256 key_) private view returns (uint256) {
        uint256 slot = _namespace("latchkey.storage.AccountConfig") + offset;
        return _load(uint256(keccak256(abi.encode(key_, slot))));
    }

    function _ref(uint256 masterHash, uint256 namespace) private pure returns (uint256) {
        return (masterHash & LOW_127) << 1 | namespace;
    }

    function _keyOf(uint256 low) private view returns (uint256) {
        return _ref(account, account == SECURED ? 1 : 0) << 128 | low;
    }

    function test_NothingOutsideTheNamespaces() external view {
        for (uint256 slot; slot < 64; ++slot) {
            vm.assertEq(_load(slot), 0);
        }
    }

    function test_Diamond() external {
        uint256 base = _namespace("latchkey.storage.Diamond");
        bytes4 selector = accountConfig.owner.selector;
        uint256 route = _load(uint256(keccak256(abi.encode(selector, base))));
        vm.assertEq(address(uint160(route)), accountConfig.facetAddress(selector));
        uint256 position = route >> 160;
        uint256 selectors = _load(base + 1);
        vm.assertEq(selectors, selectorsOf("IAccountConfig").length);
        uint256 packed = _load(uint256(keccak256(abi.encode(base + 1))) + position / 8);
        vm.assertEq(bytes32(bytes4(uint32(packed >> (32 * (position % 8))))), bytes32(selector));
        by(owner).transferOwnership(stranger);
        vm.assertEq(address(uint160(_load(base + 2))), owner);
        vm.assertEq(address(uint160(_load(base + 3))), stranger);
    }

    // --------------------------------------------------------------------------------------------------- struct

    function test_Settings() external {
        by(owner).setPricingOperator(address(0x11));
        by(owner).setConfigOperator(address(0x22));
        by(owner).setAdminApiPayerAccount(address(0x33));
        by(owner).setPricing(7, 77);
        by(owner).setNodeConfiguration("key", "value");
        vm.assertEq(_field(12), accountConfig.accountCount() | accountConfig.pkpCount() << 128);
        vm.assertEq(_field(13), 2);
        vm.assertEq(_field(15), 0x33);
        vm.assertEq(_field(16), 0x11);
        vm.assertEq(_field(17), 0x22);
        vm.assertEq(_entry(18, 7), 77);
        vm.assertEq(_field(19), 1);
        bytes32 value = keccak256(abi.encodePacked("key", _namespace("latchkey.storage.AccountConfig") + 21));
        vm.assertEq(vm.load(address(accountConfig), value), bytes32("value") | bytes32(uint256(10)));
    }

    // ---------------------------------------------------------------------------------------------------- words

    function test_Account() external view {
        // kind, managed, namespace, admin, keys, actions, wallets, claimed
        uint256 counts = 1 << 164 | 2 << 192 | 2 << 216;
        vm.assertEq(_entry(0, MANAGED), 1 | 1 << 2 | uint256(uint160(accountKeyAddress)) << 4 | counts);
        vm.assertEq(_entry(0, SECURED), 1 | 1 << 3 | uint256(uint160(admin)) << 4 | counts | 1 << 240);
    }

    function test_Alias() external {
        convert();
        vm.assertEq(_entry(0, identity(newAdmin)), 2 | _ref(MANAGED, 0) << 128);
        vm.assertEq(_entry(0, MANAGED) >> 2 & 1, 0, "managed");
    }

    function test_Master() external inBothModes {
        // no removed group, the number of groups, exists, rest of the hash
        vm.assertEq(
            _entry(1, _ref(account, account == SECURED ? 1 : 0)), 2 << 102 | 1 << 126 | account >> 127 << 127
        );
    }

    function test_RemovedGroups() external {
        addGroupsUpTo(300);
        by(payer).removeGroup(MANAGED, 100);
        by(payer).removeGroup(MANAGED, 102);
        // window from 96, its start, number of groups, exists
        uint256 word = 1 << 4 | 1 << 6 | 3 << 75 | 300 << 102 | 1 << 126 | MANAGED >> 127 << 127;
        vm.assertEq(_entry(1, _ref(MANAGED, 0)), word);
        by(payer).removeGroup(MANAGED, 2);
        by(payer).removeGroup(MANAGED, 299);
        // words 0 and 1 outside
        vm.assertEq(_entry(1, _ref(MANAGED, 0)), word | 3 << 94);
        vm.assertEq(_entry(2, _keyOf(0)), 1 << 2);
        vm.assertEq(_entry(2, _keyOf(1)), 1 << 43);
    }

    function test_UsageKey() external inBothModes {
        addGroupsUpTo(130);
        UsageKey memory k = newKey(UNKNOWN);
        (k.createGroups, k.createPKPs, k.expiration) = (true, true, 0x1234567890);
        k.manageIPFSIdsInGroups = list(129);
        k.addPkpToGroups = list(0);
        k.removePkpFromGroups = list(130);
        k.executeInGroups = list(128, 129);
        setKey(k);
        // kind, flags, wildcards, mode, page, version, index, expiration, ref
        uint256 word = 3 | 1 << 2 | 1 << 4 | 1 << 6 | 1 << 9 | 2 << 11 | 1 << 59 | 0x1234567890 << 87;
        vm.assertEq(_entry(0, UNKNOWN), word | _keyOf(0));
        vm.assertEq(_entry(3, _keyOf(1)), UNKNOWN);
        vm.assertEq(_entry(4, _keyOf(1 << 64 | 2)), 2 | 4 << 128 | 3 << 192);

        k.executeInGroups = list(1, 129);
        setKey(k);
        word = 3 | 1 << 2 | 1 << 4 | 1 << 6 | 2 << 9 | 1 << 35 | 1 << 59 | 0x1234567890 << 87;
        vm.assertEq(_entry(0, UNKNOWN), word | _keyOf(0));
        vm.assertEq(_entry(4, _keyOf(1 << 64 | 1 << 32)), 2 << 192);
        vm.assertEq(_entry(4, _keyOf(1 << 64 | 1 << 32 | 2)), 2 | 4 << 128 | 2 << 192);
        vm.assertEq(_entry(4, _keyOf(1 << 64 | 1 << 32 | 1 << 31)), 5, "directory");
    }

    function test_Group() external inBothModes {
        // item 1 of each kind, alive
        vm.assertEq(_entry(5, _keyOf(GROUP)), 2 | 2 << 120 | 1 << 255);
        vm.assertEq(_entry(5, _keyOf(EMPTY_GROUP)), 1 << 255);
        by(writer).addActionToGroup(account, GROUP, 0);
        by(writer).addPkpToGroup(account, GROUP, looseWallet);
        vm.assertEq(_entry(5, _keyOf(GROUP)), 3 | 6 << 120 | 1 << 255);
    }

    function test_Items() external inBothModes {
        // groups, index, rest
        uint256 action = _keyOf(ACTION & LOW_127);
        vm.assertEq(_entry(7, action), 2 | 1 << 103 | ACTION >> 127 << 127);
        uint256 wallet_ = uint256(uint160(wallet));
        uint256 pkp = _keyOf(1 << 127 | (wallet_ & LOW_127));
        vm.assertEq(_entry(7, pkp), 2 | 1 << 103 | wallet_ >> 127 << 127 | 1 << 160);
        vm.assertEq(_entry(10, _keyOf(1)), uint256(uint160(mintedFor)));
        // two halves a word: index 1 above, index 2 in the next one below
        vm.assertEq(_entry(8, _keyOf(0)), (1 << 127 | (ACTION & LOW_127)) << 128);
        vm.assertEq(_entry(8, _keyOf(1)), 1 << 127 | (LOOSE_ACTION & LOW_127));
        vm.assertEq(_entry(8, _keyOf(1 << 127)), (1 << 127 | (wallet_ & LOW_127)) << 128);
    }

    function test_ItemsAndGroupsBeyondTheirWords() external {
        addGroupsUpTo(260);
        for (uint256 i = 3; i <= 260; ++i) {
            by(payer).addAction(MANAGED, "", "", i);
        }
        by(payer).addActionToGroup(MANAGED, 260, 260);
        // windows from 256, their starts
        vm.assertEq(_entry(5, _keyOf(260)), 1 << 4 | 8 << 75 | 1 << 255);
        vm.assertEq(_entry(7, _keyOf(260)), 1 << 4 | 8 << 75 | 260 << 103);
        by(payer).addActionToGroup(MANAGED, 260, 200);
        by(payer).addActionToGroup(MANAGED, 2, 260);
        // word 0 outside of each
        vm.assertEq(_entry(5, _keyOf(260)), 1 << 4 | 8 << 75 | 1 << 94 | 1 << 255);
        vm.assertEq(_entry(6, _keyOf(260 << 32)), 1 << 200);
        vm.assertEq(_entry(7, _keyOf(260)), 1 << 4 | 8 << 75 | 1 << 94 | 260 << 103);
        vm.assertEq(_entry(9, _keyOf(260 << 32)), 1 << 2);
    }

    function test_PathOwner() external inBothModes {
        uint256 ref = _ref(account, account == SECURED ? 1 : 0);
        vm.assertEq(uint256(uint128(_entry(11, pathOf(1)))), ref);
        vm.assertEq(_entry(11, pathOf(1)) >> 128 & 1, 1, "owned");
    }
}
