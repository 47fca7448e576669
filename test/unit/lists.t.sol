// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IErrors } from "../../contracts/interfaces/IErrors.sol";
import { IViewsFacet } from "../../contracts/interfaces/IViewsFacet.sol";
import { AccountConfigTest } from "../utils/AccountConfigTest.sol";

/// @notice listSizes, listApiKeys, listGroups, listPkps, listActions, listGroupContents, listWalletsInGroup,
/// listActionsInGroup.
contract ListsTest is AccountConfigTest {
    // ------------------------------------------------------------------------------------------ what they hold

    function _assertSizes(uint256 hash, uint256 apiKeys, uint256 groups, uint256 pkps, uint256 actions)
        private
        view
    {
        (uint256 apiKeys_, uint256 groups_, uint256 pkps_, uint256 actions_) = accountConfig.listSizes(hash);
        vm.assertEq(apiKeys_, apiKeys);
        vm.assertEq(groups_, groups);
        vm.assertEq(pkps_, pkps);
        vm.assertEq(actions_, actions);
    }

    function test_listSizes_CountsRemovedEntries() external inBothModes {
        _assertSizes(account, 1, 2, 2, 2);
        by(writer).removeGroup(account, EMPTY_GROUP);
        by(writer).removeAction(account, ACTION);
        by(writer).removeWalletDerivation(account, wallet);
        _assertSizes(key, 1, 2, 2, 2);
        by(writer).removeUsageApiKey(account, key);
        _assertSizes(account, 1, 2, 2, 2);
        by(writer).addAction(account, NAME, DESCRIPTION, ACTION);
        by(writer).registerWalletDerivation(account, noWallet, pathOf(3), NAME, DESCRIPTION);
        by(writer).addGroup(account, NAME, DESCRIPTION, list(), wallets());
        setKey(newKey(key));
        _assertSizes(account, 2, 3, 3, 3);
    }

    function test_AnyHashOfTheAccount() external {
        convert();
        uint256[3] memory hashes = [MANAGED, identity(newAdmin), key];
        for (uint256 i; i < hashes.length; ++i) {
            _assertSizes(hashes[i], 1, 2, 2, 2);
            vm.assertEq(accountConfig.listApiKeys(hashes[i], 0, 10)[0].usageApiKeyHash, key);
            vm.assertEq(accountConfig.listGroups(hashes[i], 0, 10), list(GROUP, EMPTY_GROUP));
            vm.assertEq(accountConfig.listActions(hashes[i], 0, 10), list(ACTION, LOOSE_ACTION));
            vm.assertEq(accountConfig.listActionsInGroup(hashes[i], GROUP, 0, 10), list(ACTION));
            _assertPkps(accountConfig.listPkps(hashes[i], 0, 10), list(wallet, looseWallet), list(1, 2));
            _assertPkps(accountConfig.listWalletsInGroup(hashes[i], GROUP, 0, 10), list(wallet), list(1));
            (uint256[] memory actions, address[] memory pkps) =
                accountConfig.listGroupContents(hashes[i], GROUP);
            vm.assertEq(actions, list(ACTION));
            vm.assertEq(pkps, list(wallet));
        }
    }

    function _assertPkps(
        IViewsFacet.Pkp[] memory pkps,
        address[] memory expected,
        uint256[] memory expectedPaths
    ) private pure {
        vm.assertEq(pkps.length, expected.length);
        for (uint256 i; i < pkps.length; ++i) {
            vm.assertEq(pkps[i].pkpId, expected[i]);
            vm.assertEq(pkps[i].derivationPath, expectedPaths[i]);
        }
    }

    function test_listApiKeys() external inBothModes {
        UsageKey memory k = newKey(UNKNOWN);
        k.expiration = NOW - 1;
        k.removePkpFromGroups = list(GROUP, EMPTY_GROUP);
        setKey(k);
        assertKey(k);
        IViewsFacet.UsageApiKey[] memory keys = accountConfig.listApiKeys(account, 0, 10);
        vm.assertEq(keys.length, 2);
        vm.assertEq(keys[0].usageApiKeyHash, key);
        vm.assertEq(keys[1].usageApiKeyHash, UNKNOWN);
    }

    function test_EveryComesFirstInAGroup() external inBothModes {
        by(writer).addActionToGroup(account, GROUP, 0);
        by(writer).addPkpToGroup(account, GROUP, address(0));
        assertGroup(GROUP, list(0, ACTION), list(address(0), wallet));
        vm.assertEq(accountConfig.listActionsInGroup(account, GROUP, 0, 10), list(0, ACTION));
        vm.assertEq(accountConfig.listActionsInGroup(account, GROUP, 1, 1), list(ACTION));
        _assertPkps(
            accountConfig.listWalletsInGroup(account, GROUP, 0, 10),
            list(address(0), wallet),
            list(0, pathOf(1))
        );
    }

    // --------------------------------------------------------------------------------------------------- pages

    /// Pages neither shift nor repeat when entries are removed.
    function test_PagesKeepTheirPlaces() external {
        addGroupsUpTo(10);
        for (uint256 i; i < 8; ++i) {
            by(payer).addAction(MANAGED, NAME, DESCRIPTION, 1000 + i);
        }
        vm.assertEq(accountConfig.listGroups(MANAGED, 1, 4), range(5, 4));
        vm.assertEq(accountConfig.listGroups(MANAGED, 2, 4), list(9, 10));
        vm.assertEq(accountConfig.listActions(MANAGED, 1, 4), range(1002, 4));
        vm.assertEq(accountConfig.listActions(MANAGED, 2, 4), list(1006, 1007));
        by(payer).removeGroup(MANAGED, 2);
        by(payer).removeGroup(MANAGED, 6);
        by(payer).removeAction(MANAGED, ACTION);
        by(payer).removeAction(MANAGED, 1003);
        vm.assertEq(accountConfig.listGroups(MANAGED, 0, 4), list(1, 3, 4));
        vm.assertEq(accountConfig.listGroups(MANAGED, 1, 4), list(5, 7, 8));
        vm.assertEq(accountConfig.listActions(MANAGED, 0, 4), list(LOOSE_ACTION, 1000, 1001));
        vm.assertEq(accountConfig.listActions(MANAGED, 1, 4), list(1002, 1004, 1005));
    }

    function test_KeyAndWalletPagesKeepTheirPlaces() external inBothModes {
        for (uint256 i = 3; i <= 7; ++i) {
            setKey(newKey(i));
            by(writer).registerWalletDerivation(account, address(uint160(i)), pathOf(i), "", "");
        }
        by(writer).removeUsageApiKey(account, 4);
        by(writer).removeWalletDerivation(account, address(4));
        IViewsFacet.UsageApiKey[] memory keys = accountConfig.listApiKeys(account, 1, 3);
        vm.assertEq(keys.length, 3);
        vm.assertEq(keys[0].usageApiKeyHash, 5);
        vm.assertEq(keys[2].usageApiKeyHash, 7);
        keys = accountConfig.listApiKeys(account, 0, 3);
        vm.assertEq(keys.length, 2);
        _assertPkps(
            accountConfig.listPkps(account, 1, 3), list(address(5), address(6)), list(pathOf(5), pathOf(6))
        );
        _assertPkps(accountConfig.listPkps(account, 2, 3), list(address(7)), list(pathOf(7)));
    }

    /// Members of a group are counted without gaps.
    function test_GroupPages() external {
        for (uint256 i; i < 300; ++i) {
            by(payer).addActionToGroup(MANAGED, EMPTY_GROUP, 1000 + i);
        }
        for (uint256 i; i < 300; i += 3) {
            by(payer).removeAction(MANAGED, 1000 + i);
        }
        by(payer).removeActionFromGroup(MANAGED, EMPTY_GROUP, 1001);
        uint256 seen;
        for (uint256 page; page < 4; ++page) {
            uint256[] memory actions = accountConfig.listActionsInGroup(MANAGED, EMPTY_GROUP, page, 60);
            vm.assertEq(actions.length, page < 3 ? 60 : 19);
            for (uint256 i; i < actions.length; ++i) {
                uint256 n = seen++ + 1;
                vm.assertEq(actions[i], 1000 + n / 2 * 3 + n % 2 + 1);
            }
        }
        vm.assertEq(accountConfig.listActionsInGroup(MANAGED, EMPTY_GROUP, 4, 60), list());
    }

    function test_PastTheEndIsEmpty() external inBothModes {
        uint256[2] memory pages = [uint256(1), type(uint256).max];
        for (uint256 i; i < pages.length; ++i) {
            vm.assertEq(accountConfig.listApiKeys(account, pages[i], 20).length, 0);
            vm.assertEq(accountConfig.listGroups(account, pages[i], 1000), list());
            vm.assertEq(accountConfig.listPkps(account, pages[i], 1000).length, 0);
            vm.assertEq(accountConfig.listActions(account, pages[i], 1000), list());
            vm.assertEq(accountConfig.listWalletsInGroup(account, GROUP, pages[i], 1000).length, 0);
            vm.assertEq(accountConfig.listActionsInGroup(account, GROUP, pages[i], 1000), list());
        }
    }

    function test_ContentsHoldTheFirstThousand() external {
        for (uint256 i; i < 1010; ++i) {
            by(payer).addActionToGroup(MANAGED, EMPTY_GROUP, 1000 + i);
        }
        assertGroup(EMPTY_GROUP, range(1000, 1000), wallets());
        vm.assertEq(accountConfig.listActionsInGroup(MANAGED, EMPTY_GROUP, 1, 1000), range(2000, 10));
    }

    // ------------------------------------------------------------------------------------------------- reverts

    function test_RevertWhen_PageSizeIsOutOfRange() external {
        uint256[3] memory sizes = [0, uint256(1001), type(uint256).max];
        for (uint256 i; i < sizes.length; ++i) {
            _expectKeyPageSize(sizes[i]);
            accountConfig.listApiKeys(MANAGED, 0, sizes[i]);
            _expectPageSize(sizes[i]);
            accountConfig.listGroups(MANAGED, 0, sizes[i]);
            _expectPageSize(sizes[i]);
            accountConfig.listPkps(MANAGED, 0, sizes[i]);
            _expectPageSize(sizes[i]);
            accountConfig.listActions(MANAGED, 0, sizes[i]);
            _expectPageSize(sizes[i]);
            accountConfig.listWalletsInGroup(MANAGED, GROUP, 0, sizes[i]);
            _expectPageSize(sizes[i]);
            accountConfig.listActionsInGroup(MANAGED, GROUP, 0, sizes[i]);
        }
    }

    /// The page size is checked before the account, like all arguments.
    function test_RevertWhen_PageSizeOfNoAccountIsOutOfRange() external {
        for (uint256 size; size <= 1001; size += 1001) {
            _expectKeyPageSize(size);
            accountConfig.listApiKeys(UNKNOWN, 0, size);
            _expectPageSize(size);
            accountConfig.listGroups(UNKNOWN, 0, size);
            _expectPageSize(size);
            accountConfig.listPkps(UNKNOWN, 0, size);
            _expectPageSize(size);
            accountConfig.listActions(UNKNOWN, 0, size);
            _expectPageSize(size);
            accountConfig.listWalletsInGroup(UNKNOWN, GROUP, 0, size);
            _expectPageSize(size);
            accountConfig.listActionsInGroup(UNKNOWN, GROUP, 0, size);
        }
    }

    function _expectPageSize(uint256 size) private {
        expectRevert(IErrors.PageSizeOutOfRange.selector, size, 1000);
    }

    function _expectKeyPageSize(uint256 size) private {
        expectRevert(IErrors.PageSizeOutOfRange.selector, size, 20);
    }

    function test_RevertWhen_PageOfKeysIsLong() external {
        accountConfig.listApiKeys(MANAGED, 0, 20);
        _expectKeyPageSize(21);
        accountConfig.listApiKeys(MANAGED, 0, 21);
    }

    /// Pages of keys hold the same keys as one page.
    function test_PagesOfKeys() external inBothModes {
        for (uint256 i = 1; i <= 85; ++i) {
            setKey(newKey(1000 + i));
        }
        vm.assertEq(accountConfig.listApiKeys(account, 0, 20)[0].usageApiKeyHash, key);
        for (uint256 i = 1; i <= 85; ++i) {
            IViewsFacet.UsageApiKey[] memory keys = accountConfig.listApiKeys(account, i / 20, 20);
            vm.assertEq(keys[i % 20].usageApiKeyHash, 1000 + i);
        }
        vm.assertEq(accountConfig.listApiKeys(account, 4, 20).length, 6);
        vm.assertEq(accountConfig.listApiKeys(account, 5, 20).length, 0);
    }

    function test_RevertGiven_NoAccount() external {
        _expectNoAccount();
        accountConfig.listSizes(UNKNOWN);
        _expectNoAccount();
        accountConfig.listApiKeys(UNKNOWN, 0, 10);
        _expectNoAccount();
        accountConfig.listGroups(UNKNOWN, 0, 10);
        _expectNoAccount();
        accountConfig.listPkps(UNKNOWN, 0, 10);
        _expectNoAccount();
        accountConfig.listActions(UNKNOWN, 0, 10);
        _expectNoAccount();
        accountConfig.listGroupContents(UNKNOWN, GROUP);
        _expectNoAccount();
        accountConfig.listWalletsInGroup(UNKNOWN, GROUP, 0, 10);
        _expectNoAccount();
        accountConfig.listActionsInGroup(UNKNOWN, GROUP, 0, 10);
    }

    function _expectNoAccount() private {
        expectRevert(IErrors.AccountDoesNotExist.selector, UNKNOWN);
    }

    function test_RevertGiven_NoGroup() external inBothModes {
        by(writer).removeGroup(account, EMPTY_GROUP);
        uint256[3] memory ids = [0, EMPTY_GROUP, NO_GROUP];
        for (uint256 i; i < ids.length; ++i) {
            expectRevert(IErrors.GroupDoesNotExist.selector, account, ids[i]);
            accountConfig.listGroupContents(account, ids[i]);
            expectRevert(IErrors.GroupDoesNotExist.selector, account, ids[i]);
            accountConfig.listWalletsInGroup(account, ids[i], 0, 10);
            expectRevert(IErrors.GroupDoesNotExist.selector, account, ids[i]);
            accountConfig.listActionsInGroup(account, ids[i], 0, 10);
        }
    }
}
