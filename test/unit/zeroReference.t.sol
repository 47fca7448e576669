// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IErrors } from "../../contracts/interfaces/IErrors.sol";
import { AccountConfigTest } from "../utils/AccountConfigTest.sol";

/// @notice An account whose hash ends with 127 zeros. Those bits key the storage, so its ref is 0, the ref of a hash that
/// names nothing. Such a hash must not reach the contents of the account.
contract ZeroReferenceTest is AccountConfigTest {
    uint256 private constant ZERO_REFERENCE = 1 << 200;
    uint256 private immutable path = 77;

    function setUp() public override {
        super.setUp();
        by(payer).newAccount(ZERO_REFERENCE, true, NAME, DESCRIPTION, accountKeyAddress);
        enterManaged();
        account = ZERO_REFERENCE;
        key = uint256(keccak256("usage key of the account with reference zero"));
        by(payer).addGroup(account, NAME, DESCRIPTION, list(ACTION), wallets());
        by(payer).registerWalletDerivation(account, noWallet, path, NAME, DESCRIPTION);
        setKey(almightyKey(key));
    }

    function test_IsAnAccountLikeOthers() external view {
        vm.assertEq(accountConfig.allApiKeyHashesToMaster(key), ZERO_REFERENCE);
        vm.assertEq(accountConfig.getWalletDerivation(key, noWallet), path);
        vm.assertEq(accountConfig.getPathOwnerMaster(path), ZERO_REFERENCE);
        assertCan(key, ACTION, noWallet, true, false);
    }

    function test_UnknownHashNamesNothing() external {
        (uint256 master, address adminWallet, bool managed, bool isUsageKey, uint256 expiration) =
            accountConfig.resolve(UNKNOWN);
        vm.assertEq(master, 0);
        vm.assertEq(adminWallet, address(0));
        vm.assertFalse(managed || isUsageKey);
        vm.assertEq(expiration, 0);
        vm.assertEq(accountConfig.allApiKeyHashesToMaster(UNKNOWN), 0);
        vm.assertEq(accountConfig.getWalletDerivation(UNKNOWN, noWallet), 0);
        assertCan(UNKNOWN, ACTION, noWallet, false, false);
        expectRevert(IErrors.AccountDoesNotExist.selector, UNKNOWN);
        accountConfig.listSizes(UNKNOWN);
    }

    function test_UnknownPathHasNoOwner() external view {
        vm.assertEq(accountConfig.getPathOwnerMaster(path + 1), 0);
    }

    function test_RevertGiven_PathOfTheAccount() external {
        enterManaged();
        expectRevert(IErrors.DerivationPathAlreadyRegistered.selector, path);
        by(payer).registerWalletDerivation(MANAGED, noWallet, path, NAME, DESCRIPTION);
    }

    /// A missing account has no admin wallet: a view is called as the zero address by default.
    function test_NobodyMayWriteWhatDoesNotExist() external {
        vm.assertFalse(by(address(0)).accountExistsAndIsMutable(UNKNOWN));
        vm.assertFalse(by(payer).accountExistsAndIsMutable(UNKNOWN));
    }

    function test_WalletWithoutAnEntryTakesNothing() external {
        by(stranger).newChainSecuredAccount(NAME, DESCRIPTION);
        assertEvents(1);
        assertKey(almightyKey(key));
    }
}
