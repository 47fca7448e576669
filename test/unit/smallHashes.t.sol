// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IErrors } from "../../contracts/interfaces/IErrors.sol";
import { IViewsFacet } from "../../contracts/interfaces/IViewsFacet.sol";
import { AccountConfigTest } from "../utils/AccountConfigTest.sol";

/// @notice Accounts whose hashes could be mistaken for group ids, kinds or each other's halves in storage keys: a write of
/// one account changes nothing in another.
contract SmallHashesTest is AccountConfigTest {
    /// The reference of each is twice its hash: 0, 2, 4 and 8.
    uint256[4] private _hashes = [uint256(1 << 200), 1, 2, 4];

    uint256 private constant GROUPS = 10;

    function setUp() public override {
        super.setUp();
        enterManaged();
    }

    function _keyOf(uint256 hash) private pure returns (uint256) {
        return hash + 1000;
    }

    /// @notice In each account the contents of group `g` are action `2000 + g` and wallet `3000 + g`, at index 1 up.
    function _addAccount(uint256 hash) private {
        account = hash;
        by(payer).newAccount(hash, true, NAME, DESCRIPTION, accountKeyAddress);
        for (uint256 g = 1; g <= GROUPS; ++g) {
            address pkpId = address(uint160(3000 + g));
            uint256 path = uint96(uint256(keccak256(abi.encode(hash, g))));
            by(payer).registerWalletDerivation(hash, pkpId, path, "", "");
            by(payer).addGroup(hash, "", "", list(2000 + g), list(pkpId));
        }
        UsageKey memory k = newKey(_keyOf(hash));
        k.executeInGroups = range(1, GROUPS);
        setKey(k);
    }

    function _assertContents(uint256 hash) private {
        account = hash;
        (,, uint256 pkps, uint256 actions) = accountConfig.listSizes(hash);
        vm.assertEq(pkps, GROUPS);
        vm.assertEq(actions, GROUPS);
        for (uint256 g = 1; g <= GROUPS; ++g) {
            assertGroup(g, list(2000 + g), list(address(uint160(3000 + g))));
            IViewsFacet.Explanation memory e =
                accountConfig.explainExecution(_keyOf(hash), 2000 + g, address(uint160(3000 + g)));
            vm.assertEq(e.actionGroupId, g);
            vm.assertEq(e.walletGroupId, g);
        }
    }

    function test_FillsItsOwnGroups() external {
        for (uint256 i; i < 4; ++i) {
            _addAccount(_hashes[i]);
        }
        for (uint256 i; i < 4; ++i) {
            _assertContents(_hashes[i]);
        }
    }

    function test_ReplacesItsOwnGroups() external {
        for (uint256 i; i < 4; ++i) {
            _addAccount(_hashes[i]);
        }
        for (uint256 i; i < 4; ++i) {
            uint256 snapshot = vm.snapshotState();
            account = _hashes[i];
            for (uint256 g = 1; g <= GROUPS; ++g) {
                by(payer).updateGroup(account, g, NAME, DESCRIPTION, list(), wallets());
                assertGroup(g, list(), wallets());
            }
            for (uint256 j; j < 4; ++j) {
                if (j != i) _assertContents(_hashes[j]);
            }
            vm.revertToState(snapshot);
        }
    }

    /// The items of the account whose keys have no other bits are not items of others.
    function test_DoesNotFindItemsOfOthers() external {
        _addAccount(_hashes[0]);
        _addAccount(_hashes[1]);
        enterManaged();
        by(payer).updateGroup(MANAGED, EMPTY_GROUP, NAME, DESCRIPTION, range(2001, 10), wallets());
        (,,, uint256 actions) = accountConfig.listSizes(MANAGED);
        vm.assertEq(actions, 12);
        assertGroup(EMPTY_GROUP, range(2001, 10), wallets());
        by(payer).updateGroup(MANAGED, EMPTY_GROUP, NAME, DESCRIPTION, list(), wallets());
        _assertContents(_hashes[0]);
        _assertContents(_hashes[1]);
        expectRevert(IErrors.PkpDoesNotExist.selector, MANAGED, EMPTY_GROUP, address(3001));
        by(payer).updateGroup(MANAGED, EMPTY_GROUP, NAME, DESCRIPTION, list(), list(address(3001)));
    }
}
