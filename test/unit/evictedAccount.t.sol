// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IAccountWrites } from "../../contracts/interfaces/IAccountWrites.sol";
import { IErrors } from "../../contracts/interfaces/IErrors.sol";
import { AccountConfigTest } from "../utils/AccountConfigTest.sol";

/// @notice An account that a wallet evicted by claiming its identity leaves nothing behind.
contract EvictedAccountTest is AccountConfigTest {
    uint256 private immutable squatted = identity(stranger);
    /// Another hash with the same lower 127 bits, which key the storage. An api payer may open an account under any number.
    uint256 private immutable twin = identity(stranger) ^ (1 << 200);
    uint256 private constant LEFT_KEY = uint256(keccak256("key of the evicted account"));

    /// An account under the identity of `stranger`, converted to `newAdmin`, with a wallet and a key, then evicted.
    function setUp() public override {
        super.setUp();
        by(payer).newAccount(squatted, true, NAME, DESCRIPTION, accountKeyAddress);
        by(payer).convertToChainSecuredAccount(squatted, newAdmin);
        (account, writer, mintedFor) = (squatted, newAdmin, newAdmin);
        by(newAdmin).registerWalletDerivation(squatted, noWallet, pathOf(7), NAME, DESCRIPTION);
        setKey(almightyKey(LEFT_KEY));
        by(stranger).newChainSecuredAccount(NAME, DESCRIPTION);
    }

    /// Rule 8: the path, the wallet and the keys do not work in another account that the api payer opens.
    function test_RevertGiven_HashSharesTheLowerBitsOfAnEvictedAccount() external {
        expectRevert(IErrors.AccountAlreadyExists.selector, twin);
        by(payer).newAccount(twin, true, NAME, DESCRIPTION, accountKeyAddress);
        vm.assertEq(accountConfig.getWalletDerivation(twin, noWallet), 0);
        vm.assertEq(accountConfig.getPathOwnerMaster(pathOf(7)), 0);
        vm.assertTrue(accountConfig.isPathRegistered(pathOf(7)));
        vm.assertEq(accountConfig.allApiKeyHashesToMaster(LEFT_KEY), 0);
    }

    function test_ItsUsageKeyNamesNothing() external view {
        (uint256 master, address adminWallet, bool managed, bool isUsageKey, uint256 expiration) =
            accountConfig.resolve(LEFT_KEY);
        vm.assertEq(master, 0);
        vm.assertEq(adminWallet, address(0));
        vm.assertFalse(managed || isUsageKey);
        vm.assertEq(expiration, 0);
    }

    /// Rule 20: the account cannot be written any more, so its hashes stay taken, for the wallet too.
    function test_RevertWhen_HashOfItsUsageKeyIsUsed() external {
        expectRevert(IErrors.AccountAlreadyExists.selector, LEFT_KEY);
        by(payer).newAccount(LEFT_KEY, true, NAME, DESCRIPTION, accountKeyAddress);
        writer = stranger;
        expectRevert(IErrors.AccountAlreadyExists.selector, LEFT_KEY);
        setKey(newKey(LEFT_KEY));
        enterManaged();
        expectRevert(IErrors.AccountAlreadyExists.selector, LEFT_KEY);
        setKey(newKey(LEFT_KEY));
    }

    function test_RevertGiven_FormerAdminOfAnEvictedAccount() external {
        uint256 hash = identity(newAdmin);
        expectRevert(IErrors.AccountAlreadyExists.selector, hash);
        by(newAdmin).newChainSecuredAccount(NAME, DESCRIPTION);
        enterManaged();
        expectRevert(IErrors.AccountAlreadyExists.selector, hash);
        setKey(almightyKey(hash));
        expectRevert(IErrors.AccountAlreadyExists.selector, hash);
        by(payer).newAccount(hash, true, NAME, DESCRIPTION, accountKeyAddress);
    }

    /// The key of the evicted account names nothing, so its removal emits nothing.
    function test_WalletTakesTheHashOfItsUsageKey() external {
        address late = actor("late wallet");
        uint256 squattedToo = identity(looseWallet);
        by(payer).newAccount(squattedToo, true, NAME, DESCRIPTION, accountKeyAddress);
        (account, writer) = (squattedToo, payer);
        setKey(almightyKey(identity(late)));
        by(looseWallet).newChainSecuredAccount(NAME, DESCRIPTION);
        expectEvent();
        emit IAccountWrites.AccountCreated(identity(late), late, false, NAME, DESCRIPTION);
        by(late).newChainSecuredAccount(NAME, DESCRIPTION);
        assertEvents(1);
    }
}
