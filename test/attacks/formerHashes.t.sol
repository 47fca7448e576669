// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IAccountWrites } from "../../contracts/interfaces/IAccountWrites.sol";
import { IErrors } from "../../contracts/interfaces/IErrors.sol";
import { IUsageKeyWrites } from "../../contracts/interfaces/IUsageKeyWrites.sol";
import { IWritesFacet } from "../../contracts/interfaces/IWritesFacet.sol";
import { SignedWritesTest } from "../utils/SignedWritesTest.sol";

/// @notice A hash that was ever a key of an account authenticates for no other account (rule 20). A removal publishes
/// the hash in the log.
contract FormerHashesTest is SignedWritesTest {
    /// The key that the victim's program goes on to use.
    uint256 private constant LEFT = uint256(keccak256("forgotten usage key"));
    uint256 private constant NEW = uint256(keccak256("new key"));
    /// The slot of AccountConfigStorage.entries.
    uint256 private constant CONFIG = 0xf88df543e5e95813ecb0251c097ee84f31da7b168b1af3612d75f0ed6598df00;

    /// @notice Runs a removal on either kind of account. Afterwards no account of the thief can take LEFT.
    modifier keepsItsHash() {
        for (uint256 i; i < 2; ++i) {
            uint256 snapshot = vm.snapshotState();
            i == 0 ? enterManaged() : enterSecured();
            setKey(almightyKey(LEFT));
            _;
            _assertTaken(LEFT);
            vm.revertToState(snapshot);
        }
    }

    function _assertTaken(uint256 hash) private {
        bytes memory error_ = abi.encodeWithSelector(IErrors.AccountAlreadyExists.selector, hash);
        for (uint256 i; i < 2; ++i) {
            i == 0 ? attackAsHolder() : attackAsWallet();
            refused(attacker, encodeSetKey(_lairKey(hash)), error_);
            refused(
                attacker, abi.encodeCall(IUsageKeyWrites.rotateUsageApiKey, (lair, lairKey, hash)), error_
            );
        }
        bytes[] memory calls = one(encodeSetKey(_lairKey(hash)));
        refusedSigned(lair, thief, calls, 1, sign("thief", lair, calls, 1), error_);
        attackAsHolder();
        refused(
            payer, abi.encodeCall(IAccountWrites.rotateAccountKey, (lair, hash, thief, DEADLINE, "")), error_
        );
        refused(payer, abi.encodeCall(IAccountWrites.newAccount, (hash, true, "", "", thief)), error_);
        vm.assertEq(accountConfig.allApiKeyHashesToMaster(hash), 0);
        assertCan(hash, ACTION, wallet, false, false);
    }

    function _lairKey(uint256 hash) private view returns (UsageKey memory k) {
        k = almightyKey(hash);
        k.accountApiKeyHash = lair;
    }

    // ------------------------------------------------------------------------------------------- usage keys

    function test_RemovedKey() external keepsItsHash {
        by(writer).removeUsageApiKey(account, LEFT);
    }

    function test_KeyRemovedWithAllOthers() external keepsItsHash {
        by(writer).removeAllUsageApiKeys(account);
    }

    function test_RotatedKey() external keepsItsHash {
        by(writer).rotateUsageApiKey(account, LEFT, NEW);
    }

    /// Each way to remove a key that was set again.
    function test_KeyRemovedTwice() external keepsItsHash {
        for (uint256 i; i < 4; ++i) {
            if (i & 1 == 0) by(writer).removeUsageApiKey(account, LEFT);
            else by(writer).removeAllUsageApiKeys(account);
            setKey(newKey(LEFT));
            if (i & 2 == 0) by(writer).removeUsageApiKey(account, LEFT);
            else by(writer).removeAllUsageApiKeys(account);
            setKey(newKey(LEFT));
        }
        by(writer).removeUsageApiKey(account, LEFT);
        by(writer).removeAllUsageApiKeys(account);
    }

    /// The api payer writes both accounts in one transaction.
    function test_RevertWhen_RemovedAndTakenInOneCall() external {
        attackAsHolder();
        bytes[] memory calls = two(
            abi.encodeCall(IUsageKeyWrites.removeUsageApiKey, (account, key)), encodeSetKey(_lairKey(key))
        );
        refused(
            payer,
            abi.encodeCall(IWritesFacet.multicall, (calls)),
            abi.encodeWithSelector(IErrors.AccountAlreadyExists.selector, key)
        );
        assertCan(key, ACTION, wallet, true, true);
    }

    // --------------------------------------------------------------------------------- accounts that change

    function test_RemovedKeyOfARetiredAccount() external keepsItsHash {
        by(writer).removeUsageApiKey(account, LEFT);
        retire(account);
    }

    function test_KeyRemovedWithAllOthersOfARetiredAccount() external keepsItsHash {
        by(writer).removeAllUsageApiKeys(account);
        retire(account);
    }

    function test_KeyOfARetiredAccount() external keepsItsHash {
        retire(account);
    }

    function test_KeyOfAnAccountWithAnotherKey() external {
        setKey(almightyKey(LEFT));
        by(payer).removeUsageApiKey(account, LEFT);
        rotate(account, NEW);
        _assertTaken(LEFT);
        account = NEW;
        setKey(newKey(LEFT));
        assertKey(newKey(LEFT));
        by(payer).removeUsageApiKey(account, LEFT);
        retire(account);
        _assertTaken(LEFT);
    }

    /// The account keeps its hash through a conversion and a transfer, and its later admin may set it again.
    function test_KeyOfATransferredAccount() external {
        setKey(almightyKey(LEFT));
        by(payer).removeUsageApiKey(account, LEFT);
        convert();
        _assertTaken(LEFT);
        address last = actor("last admin");
        by(newAdmin).transferChainSecuredAccountOwnership(account, last);
        _assertTaken(LEFT);
        // The former admin has the hash in no account of its own.
        by(stranger).newChainSecuredAccount(NAME, DESCRIPTION);
        UsageKey memory k = newKey(LEFT);
        k.accountApiKeyHash = identity(stranger);
        refused(
            stranger, encodeSetKey(k), abi.encodeWithSelector(IErrors.AccountAlreadyExists.selector, LEFT)
        );
        writer = last;
        setKey(newKey(LEFT));
        assertKey(newKey(LEFT));
    }

    /// An evicted account cannot be written any more, so no account uses the hashes of its keys again. The account of the wallet
    /// that evicted it does not either, although it has the same master hash.
    function test_KeysOfAnEvictedAccount() external {
        uint256 squatted = identity(stranger);
        uint256[3] memory left = [LEFT, NEW, NO_ACTION];
        by(payer).newAccount(squatted, true, NAME, DESCRIPTION, accountKeyAddress);
        account = squatted;
        setKey(almightyKey(left[0]));
        by(payer).removeAllUsageApiKeys(squatted);
        setKey(almightyKey(left[1]));
        by(payer).removeUsageApiKey(squatted, left[1]);
        setKey(almightyKey(left[2]));
        by(stranger).newChainSecuredAccount(NAME, DESCRIPTION);
        for (uint256 i; i < 3; ++i) {
            _assertTaken(left[i]);
            refused(
                stranger,
                encodeSetKey(newKey(left[i])),
                abi.encodeWithSelector(IErrors.AccountAlreadyExists.selector, left[i])
            );
        }
    }

    /// An account key that was replaced, in every account, its own included.
    function test_ReplacedAccountKey() external {
        rotate(MANAGED, NEW);
        rotate(NEW, LEFT);
        _assertTaken(MANAGED);
        _assertTaken(NEW);
        account = LEFT;
        refused(
            payer,
            encodeSetKey(newKey(NEW)),
            abi.encodeWithSelector(IErrors.AccountAlreadyExists.selector, NEW)
        );
    }

    /// A removed usage key never gets the authority of the account key.
    function test_RevertWhen_RemovedKeyBecomesTheAccountKey() external {
        for (uint256 i; i < 2; ++i) {
            setKey(almightyKey(LEFT));
            if (i == 0) by(payer).removeUsageApiKey(account, LEFT);
            else by(payer).removeAllUsageApiKeys(account);
            refused(
                payer,
                abi.encodeCall(IAccountWrites.rotateAccountKey, (account, LEFT, thief, DEADLINE, "")),
                abi.encodeWithSelector(IErrors.AccountAlreadyExists.selector, LEFT)
            );
        }
    }

    /// An api payer may open accounts under any numbers, also such that the upper half of another account's word, which has a
    /// bit of the admin address where an entry tells that its key was removed, equals the reference of the account.
    function test_RevertWhen_AccountLooksLikeARemovedKey() external {
        address other = address(2);
        by(payer).newAccount(LEFT, true, NAME, DESCRIPTION, other);
        uint256 word = uint256(vm.load(address(accountConfig), keccak256(abi.encode(LEFT, CONFIG))));
        vm.assertEq(word & 1 << 5, 1 << 5);
        account = 1 << 200 | word >> 129;
        by(payer).newAccount(account, true, NAME, DESCRIPTION, accountKeyAddress);
        vm.assertEq(word >> 128, (account & type(uint128).max) << 1);
        expectRevert(IErrors.AccountAlreadyExists.selector, LEFT);
        setKey(newKey(LEFT));
    }

    // ------------------------------------------------------------------------------------- wallet identities

    /// Rule 9: the wallet wins over the account that had its identity as a key, and keeps it.
    function test_WalletTakesItsIdentity() external {
        uint256 hash = identity(stranger);
        for (uint256 i; i < 6; ++i) {
            uint256 snapshot = vm.snapshotState();
            enterSecured();
            setKey(almightyKey(hash));
            if (i & 1 == 0) by(admin).removeUsageApiKey(account, hash);
            else by(admin).removeAllUsageApiKeys(account);
            if (i / 2 == 0) by(stranger).newChainSecuredAccount(NAME, DESCRIPTION);
            if (i / 2 == 1) by(payer).convertToChainSecuredAccount(MANAGED, stranger);
            if (i / 2 == 2) {
                by(admin).transferChainSecuredAccountOwnership(SECURED, stranger);
                by(stranger).acceptAccount(SECURED);
            }
            assertEvents(1);
            uint256[3] memory named = [hash, MANAGED, SECURED];
            vm.assertEq(accountConfig.allApiKeyHashesToMaster(hash), named[i / 2]);
            by(stranger).addGroup(hash, NAME, DESCRIPTION, list(), wallets());
            (, address adminWallet,, bool isUsageKey,) = accountConfig.resolve(hash);
            vm.assertEq(adminWallet, stranger);
            vm.assertFalse(isUsageKey);
            if (i / 2 == 2) writer = stranger;
            refused(
                writer,
                encodeSetKey(newKey(hash)),
                abi.encodeWithSelector(IErrors.AccountAlreadyExists.selector, hash)
            );
            vm.revertToState(snapshot);
        }
    }
}
