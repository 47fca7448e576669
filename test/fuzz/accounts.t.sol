// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IAccountWrites } from "../../contracts/interfaces/IAccountWrites.sol";
import { IActionWrites } from "../../contracts/interfaces/IActionWrites.sol";
import { IErrors } from "../../contracts/interfaces/IErrors.sol";
import { IGroupWrites } from "../../contracts/interfaces/IGroupWrites.sol";
import { IUsageKeyWrites } from "../../contracts/interfaces/IUsageKeyWrites.sol";
import { IViewsFacet } from "../../contracts/interfaces/IViewsFacet.sol";
import { IWalletWrites } from "../../contracts/interfaces/IWalletWrites.sol";
import { Fingerprint } from "../utils/Fingerprint.sol";

/// @notice newAccount, newChainSecuredAccount, convertToChainSecuredAccount, transferChainSecuredAccountOwnership, multicall,
/// resolve, accountExistsAndIsMutable, getAccountWalletAddress, allApiKeyHashesToMaster, accountCount, listSizes.
contract AccountsFuzzTest is Fingerprint {
    uint256 private constant LOW_127 = (1 << 127) - 1;

    /// @notice A hash that is free and shares its stored bits with no account.
    modifier free(uint256 hash) {
        vm.assume(hash != 0 && accountConfig.allApiKeyHashesToMaster(hash) == 0);
        vm.assume(hash & LOW_127 != MANAGED & LOW_127 && hash & LOW_127 != SECURED & LOW_127);
        _;
    }

    /// @notice A wallet without an account.
    modifier newcomer(address wallet_) {
        vm.assume(wallet_ != address(0) && wallet_ != admin && uint160(wallet_) > 0x1000);
        vm.assume(wallet_ != address(vm) && wallet_ != address(this) && wallet_ != address(accountConfig));
        _;
    }

    /// @notice Checks every look-up of a hash that names an account.
    function _assertAccount(uint256 hash, uint256 master, address adminWallet, bool managed) private {
        (uint256 master_, address adminWallet_, bool managed_, bool isUsageKey, uint256 expiration) =
            accountConfig.resolve(hash);
        vm.assertEq(master_, master);
        vm.assertEq(adminWallet_, adminWallet);
        vm.assertEq(managed_, managed);
        vm.assertFalse(isUsageKey);
        vm.assertEq(expiration, 0);
        vm.assertEq(accountConfig.allApiKeyHashesToMaster(hash), master);
        vm.assertEq(accountConfig.getAccountWalletAddress(hash), adminWallet);
        vm.prank(managed ? payer : adminWallet);
        vm.assertTrue(accountConfig.accountExistsAndIsMutable(hash));
        vm.prank(managed ? adminWallet : payer);
        vm.assertEq(
            accountConfig.accountExistsAndIsMutable(hash),
            managed ? _isPayer(adminWallet) : payer == adminWallet
        );
    }

    function _isPayer(address caller) private view returns (bool) {
        return caller == payer || caller == otherPayer;
    }

    function _assertEmpty(uint256 hash) private view {
        (uint256 keys, uint256 groups, uint256 pkps, uint256 actions) = accountConfig.listSizes(hash);
        vm.assertEq(keys + groups + pkps + actions, 0);
    }

    function testFuzz_newAccount(uint256 hash, address adminWallet)
        external
        free(hash)
        newcomer(adminWallet)
    {
        vm.assume(hash != identity(adminWallet));
        uint256 count = accountConfig.accountCount();
        bytes32 others = keccak256(abi.encode(fingerprint(MANAGED), fingerprint(SECURED)));
        expectEvent();
        emit IAccountWrites.AccountCreated(hash, adminWallet, true, NAME, DESCRIPTION);
        by(payer).newAccount(hash, true, NAME, DESCRIPTION, adminWallet);
        assertEvents(1);
        _assertAccount(hash, hash, adminWallet, true);
        _assertEmpty(hash);
        vm.assertEq(accountConfig.accountCount(), count + 1);
        vm.assertEq(keccak256(abi.encode(fingerprint(MANAGED), fingerprint(SECURED))), others);
        expectRevert(IErrors.AccountAlreadyExists.selector, hash);
        by(payer).newAccount(hash, true, NAME, DESCRIPTION, adminWallet);
        // The wallet of an account key does not get an account of its own.
        vm.assertEq(accountConfig.allApiKeyHashesToMaster(identity(adminWallet)), 0);
    }

    function testFuzz_newAccount_OnlyApiPayer(address caller, uint256 hash, bool managed) external {
        vm.assume(!_isPayer(caller));
        expectRevert(IErrors.OnlyApiPayer.selector, caller);
        by(caller).newAccount(hash, managed, NAME, DESCRIPTION, stranger);
    }

    /// Hashes that share 127 bits with an account are refused, not mistaken for it.
    function testFuzz_newAccount_SharesTheStoredBits(uint256 upper) external {
        uint256 hash = (upper << 127) | (MANAGED & LOW_127);
        bytes32 before = fingerprint(MANAGED);
        expectRevert(IErrors.AccountAlreadyExists.selector, hash);
        by(payer).newAccount(hash, true, NAME, DESCRIPTION, stranger);
        vm.assertEq(fingerprint(MANAGED), before);
        vm.assertEq(accountConfig.allApiKeyHashesToMaster(hash), hash == MANAGED ? MANAGED : 0);
    }

    /// Rule 9: any wallet can open its account, whatever its identity names. Rule 10: only once.
    function testFuzz_newChainSecuredAccount(address wallet_, uint8 squatter) external newcomer(wallet_) {
        uint256 hash = identity(wallet_);
        if (squatter % 3 == 1) by(payer).newAccount(hash, true, NAME, DESCRIPTION, stranger);
        if (squatter % 3 == 2) setKey(almightyKey(hash));
        uint256 count = accountConfig.accountCount();
        by(wallet_).newChainSecuredAccount(NAME, DESCRIPTION);
        assertEvents(squatter % 3 == 0 ? 1 : 2);
        _assertAccount(hash, hash, wallet_, false);
        _assertEmpty(hash);
        vm.assertEq(accountConfig.accountCount(), count + 1);
        vm.assertEq(accountConfig.listApiKeys(MANAGED, 0, 10).length, 1);
        expectRevert(IErrors.AccountAlreadyExists.selector, hash);
        by(wallet_).newChainSecuredAccount(NAME, DESCRIPTION);
    }

    /// Rule 1: a ChainSecured account belongs to the wallet, by its master hash and by its alias.
    function testFuzz_convertToChainSecuredAccount(address wallet_, bool byOwner) external newcomer(wallet_) {
        bytes32 contents =
            keccak256(abi.encode(accountConfig.listApiKeys(MANAGED, 0, 10), _contents(MANAGED)));
        expectEvent();
        emit IAccountWrites.AccountConvertedToChainSecured(MANAGED, accountKeyAddress, wallet_);
        by(byOwner ? owner : payer).convertToChainSecuredAccount(MANAGED, wallet_);
        _assertAccount(MANAGED, MANAGED, wallet_, false);
        _assertAccount(identity(wallet_), MANAGED, wallet_, false);
        vm.assertEq(
            keccak256(abi.encode(accountConfig.listApiKeys(MANAGED, 0, 10), _contents(MANAGED))), contents
        );
        assertCan(key, ACTION, wallet, true, true);
        expectRevert(IErrors.AlreadyChainSecured.selector, MANAGED);
        by(payer).convertToChainSecuredAccount(MANAGED, stranger);
        expectRevert(IErrors.AccountAlreadyExists.selector, identity(wallet_));
        by(wallet_).newChainSecuredAccount(NAME, DESCRIPTION);
    }

    function _contents(uint256 hash) private view returns (bytes memory) {
        (uint256[] memory actions, address[] memory pkps) = accountConfig.listGroupContents(hash, GROUP);
        return abi.encode(accountConfig.listGroups(hash, 0, 10), actions, pkps);
    }

    function testFuzz_convertToChainSecuredAccount_OnlyApiPayerOrOwner(
        address caller,
        uint256 hash,
        address wallet_
    ) external {
        vm.assume(!_isPayer(caller) && caller != owner);
        expectRevert(IErrors.OnlyApiPayerOrOwner.selector, caller);
        by(caller).convertToChainSecuredAccount(hash, wallet_);
    }

    /// Rule 10: along any chain of wallets, each wallet can be admin once.
    function testFuzz_transferChainSecuredAccountOwnership(address[6] calldata chain) external {
        address current = admin;
        for (uint256 i; i < chain.length; ++i) {
            address next = chain[i];
            // The contract takes the wallet of its own calls from their calldata.
            vm.assume(next != address(accountConfig));
            // By the master hash, or by the alias of the current admin.
            uint256 name = i % 2 == 0 ? SECURED : identity(current);
            bool had = accountConfig.allApiKeyHashesToMaster(identity(next)) != 0;
            bytes memory refusal;
            if (next == address(0)) {
                refusal = abi.encodeWithSelector(IErrors.AdminWalletIsZero.selector);
            } else if (next == current) {
                refusal = abi.encodeWithSelector(IErrors.AlreadyAdminWallet.selector, name, next);
            } else if (had) {
                refusal = abi.encodeWithSelector(IErrors.AccountAlreadyExists.selector, identity(next));
            }
            if (refusal.length != 0) {
                vm.expectRevert(refusal);
                by(current).transferChainSecuredAccountOwnership(name, next);
                continue;
            }
            expectEvent();
            emit IAccountWrites.ChainSecuredAccountOwnershipTransferred(SECURED, current, next);
            by(current).transferChainSecuredAccountOwnership(name, next);
            expectNoAccess(SECURED, current);
            by(current).transferChainSecuredAccountOwnership(SECURED, stranger);
            current = next;
            _assertAccount(SECURED, SECURED, current, false);
            vm.assertEq(accountConfig.allApiKeyHashesToMaster(identity(current)), 0);
            by(current).acceptAccount(SECURED);
            _assertAccount(identity(current), SECURED, current, false);
        }
        enterSecured();
        assertCan(key, ACTION, wallet, true, true);
    }

    function testFuzz_UnknownHashes(uint256 hash) external free(hash) {
        (uint256 master, address adminWallet, bool managed, bool isUsageKey, uint256 expiration) =
            accountConfig.resolve(hash);
        vm.assertEq(master + uint160(adminWallet) + expiration, 0);
        vm.assertFalse(managed || isUsageKey);
        vm.assertEq(accountConfig.allApiKeyHashesToMaster(hash), 0);
        assertCan(hash, ACTION, wallet, false, false);
        IViewsFacet.Explanation memory e = accountConfig.explainExecution(hash, ACTION, wallet);
        vm.assertTrue(e.actionRule == IViewsFacet.ExecutionRule.KeyUnknown);
        bytes4 noAccount = IErrors.AccountDoesNotExist.selector;
        expectRevert(noAccount, hash);
        accountConfig.getAccountWalletAddress(hash);
        expectRevert(noAccount, hash);
        accountConfig.listSizes(hash);
        expectRevert(noAccount, hash);
        accountConfig.isValidAccountSignature(hash, 0, "");
        address[3] memory callers = [payer, owner, admin];
        for (uint256 i; i < callers.length; ++i) {
            vm.prank(callers[i]);
            vm.assertFalse(accountConfig.accountExistsAndIsMutable(hash));
        }
    }

    /// Rule 1: only its writer can change an account, with any function, directly or in a multicall.
    function testFuzz_AnyCaller(address caller) external inBothModes {
        vm.assume(caller != address(accountConfig));
        vm.assume(account == MANAGED ? !_isPayer(caller) : caller != admin);
        vm.prank(caller);
        vm.assertFalse(accountConfig.accountExistsAndIsMutable(account));
        bytes[] memory calls = new bytes[](17);
        calls[0] = encodeSetKey(newKey(key));
        calls[1] = abi.encodeCall(IUsageKeyWrites.updateUsageApiKeyMetadata, (account, key, NAME, NAME));
        calls[2] = abi.encodeCall(IUsageKeyWrites.removeUsageApiKey, (account, key));
        calls[3] = abi.encodeCall(IGroupWrites.addGroup, (account, NAME, NAME, list(0), list(address(0))));
        calls[4] = abi.encodeCall(IGroupWrites.updateGroup, (account, GROUP, NAME, NAME, list(), wallets()));
        calls[5] = abi.encodeCall(IGroupWrites.updateGroupMetadata, (account, GROUP, NAME, NAME));
        calls[6] = abi.encodeCall(IGroupWrites.removeGroup, (account, GROUP));
        calls[7] = abi.encodeCall(IActionWrites.addAction, (account, NAME, NAME, NO_ACTION));
        calls[8] = abi.encodeCall(IActionWrites.removeAction, (account, ACTION));
        calls[9] = abi.encodeCall(IActionWrites.updateActionMetadata, (account, ACTION, 0, NAME, NAME));
        calls[10] = abi.encodeCall(IActionWrites.addActionToGroup, (account, GROUP, 0));
        calls[11] = abi.encodeCall(IActionWrites.removeActionFromGroup, (account, GROUP, ACTION));
        calls[12] = abi.encodeCall(IWalletWrites.addPkpToGroup, (account, GROUP, address(0)));
        calls[13] = abi.encodeCall(IWalletWrites.removePkpFromGroup, (account, GROUP, wallet));
        calls[14] = abi.encodeCall(IWalletWrites.removeWalletDerivation, (account, wallet));
        calls[15] = abi.encodeCall(
            IWalletWrites.registerWalletDerivation,
            (account, noWallet, (uint256(uint160(caller)) << 96) | 7, NAME, NAME)
        );
        calls[16] = abi.encodeCall(IAccountWrites.transferChainSecuredAccountOwnership, (account, stranger));
        bytes32 before = fingerprint(account);
        bytes memory refusal = abi.encodeWithSelector(IErrors.NoAccountAccess.selector, account, caller);
        bytes memory managed = abi.encodeWithSelector(
            IErrors.InvalidRequest.selector, "the account is managed: convert it instead"
        );
        for (uint256 i; i < calls.length; ++i) {
            bytes memory expected = i == 16 && account == MANAGED ? managed : refusal;
            vm.prank(caller);
            (bool ok, bytes memory result) = address(accountConfig).call(calls[i]);
            vm.assertFalse(ok);
            vm.assertEq(result, expected);
            bytes[] memory one = new bytes[](1);
            one[0] = calls[i];
            vm.expectRevert(expected);
            by(caller).multicall(one);
        }
        vm.assertEq(fingerprint(account), before);
    }

    /// A multicall equals its calls one after the other: the same results and the same state, or no effect.
    function testFuzz_multicall(uint8[5] calldata operations, uint8 failsAt) external inBothModes {
        bytes[] memory calls = new bytes[](operations.length);
        for (uint256 i; i < operations.length; ++i) {
            uint256 operation = operations[i] % 4;
            if (operation == 0) {
                calls[i] = abi.encodeCall(IGroupWrites.addGroup, (account, "", "", list(), wallets()));
            }
            if (operation == 1) {
                calls[i] = abi.encodeCall(IActionWrites.addActionToGroup, (account, GROUP, i + 1));
            }
            if (operation == 2) calls[i] = abi.encodeCall(IViewsFacet.listSizes, (account));
            if (operation == 3) {
                calls[i] = abi.encodeCall(IWalletWrites.addPkpToGroup, (account, GROUP, looseWallet));
            }
        }
        bytes32 before = fingerprint(account);
        uint256 snapshot = vm.snapshotState();
        bytes[] memory results = new bytes[](calls.length);
        for (uint256 i; i < calls.length; ++i) {
            vm.prank(writer);
            (, results[i]) = address(accountConfig).call(calls[i]);
        }
        bytes32 afterwards = fingerprint(account);
        vm.revertToState(snapshot);
        bytes[] memory together = by(writer).multicall(calls);
        vm.assertEq(keccak256(abi.encode(together)), keccak256(abi.encode(results)));
        vm.assertEq(fingerprint(account), afterwards);
        vm.revertToState(snapshot);
        calls[failsAt % calls.length] = abi.encodeCall(IActionWrites.removeAction, (account, NO_ACTION));
        expectRevert(IErrors.ActionDoesNotExist.selector, account, 0, NO_ACTION);
        by(writer).multicall(calls);
        vm.assertEq(fingerprint(account), before);
    }

    /// Rule 12: labels of any bytes up to their limits, in every function that takes them.
    function testFuzz_LabelLimits(uint8 function_, uint16 nameLength, uint16 descriptionLength)
        external
        inBothModes
    {
        nameLength %= 200;
        descriptionLength %= 1300;
        if (function_ % 3 == 0) (nameLength, descriptionLength) = (128, 1024);
        string memory name = text(nameLength);
        string memory description = text(descriptionLength);
        bytes memory expected;
        if (nameLength > 128) {
            expected = abi.encodeWithSelector(IErrors.InvalidRequest.selector, "name over 128 bytes");
        } else if (descriptionLength > 1024) {
            expected = abi.encodeWithSelector(IErrors.InvalidRequest.selector, "description over 1024 bytes");
        }
        UsageKey memory k = newKey(UNKNOWN);
        (k.name, k.description) = (name, description);
        bytes[10] memory calls = [
            encodeSetKey(k),
            abi.encodeCall(IUsageKeyWrites.updateUsageApiKeyMetadata, (account, key, name, description)),
            abi.encodeCall(IGroupWrites.addGroup, (account, name, description, list(), wallets())),
            abi.encodeCall(IGroupWrites.updateGroup, (account, GROUP, name, description, list(), wallets())),
            abi.encodeCall(IGroupWrites.updateGroupMetadata, (account, GROUP, name, description)),
            abi.encodeCall(IActionWrites.addAction, (account, name, description, NO_ACTION)),
            abi.encodeCall(IActionWrites.updateActionMetadata, (account, ACTION, 0, name, description)),
            abi.encodeCall(
                IWalletWrites.registerWalletDerivation, (account, noWallet, pathOf(7), name, description)
            ),
            abi.encodeCall(IAccountWrites.newAccount, (NO_ACTION, true, name, description, stranger)),
            abi.encodeCall(IAccountWrites.newChainSecuredAccount, (name, description))
        ];
        uint256 index = function_ % calls.length;
        vm.prank(index == 8 ? payer : index == 9 ? stranger : writer);
        (bool ok, bytes memory result) = address(accountConfig).call(calls[index]);
        vm.assertEq(ok, expected.length == 0);
        if (!ok) vm.assertEq(result, expected);
    }

    /// Rule 12: lists up to their limits.
    function testFuzz_ListLimits(uint8 which, uint8 length) external inBothModes {
        which %= 8;
        length %= 60;
        UsageKey memory k = newKey(UNKNOWN);
        uint256[] memory groups = new uint256[](length);
        if (which == 0) k.manageIPFSIdsInGroups = groups;
        if (which == 1) k.addPkpToGroups = groups;
        if (which == 2) k.removePkpFromGroups = groups;
        if (which == 3) k.executeInGroups = groups;
        bytes memory call = encodeSetKey(k);
        uint256[] memory actions = which % 2 == 0 ? new uint256[](length) : list();
        address[] memory pkps = which % 2 == 0 ? wallets() : new address[](length);
        if (which / 2 == 2) call = abi.encodeCall(IGroupWrites.addGroup, (account, "", "", actions, pkps));
        if (which / 2 == 3) {
            call = abi.encodeCall(IGroupWrites.updateGroup, (account, GROUP, "", "", actions, pkps));
        }
        uint256 limit = which < 4 ? 50 : 10;
        vm.prank(writer);
        (bool ok, bytes memory result) = address(accountConfig).call(call);
        vm.assertEq(ok, length <= limit);
        if (!ok) {
            bytes4 error_ =
                which < 4 ? IErrors.TooManyUsageApiKeyEntries.selector : IErrors.TooManyGroupEntries.selector;
            vm.assertEq(result, abi.encodeWithSelector(error_, length, limit));
        }
    }
}
