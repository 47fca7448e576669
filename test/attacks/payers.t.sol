// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IAccountWrites } from "../../contracts/interfaces/IAccountWrites.sol";
import { IActionWrites } from "../../contracts/interfaces/IActionWrites.sol";
import { IConfigFacet } from "../../contracts/interfaces/IConfigFacet.sol";
import { IDiamond } from "../../contracts/interfaces/IDiamond.sol";
import { IDiamondCutFacet } from "../../contracts/interfaces/IDiamondCutFacet.sol";
import { IErrors } from "../../contracts/interfaces/IErrors.sol";
import { IGroupWrites } from "../../contracts/interfaces/IGroupWrites.sol";
import { IUsageKeyWrites } from "../../contracts/interfaces/IUsageKeyWrites.sol";
import { IWalletWrites } from "../../contracts/interfaces/IWalletWrites.sol";
import { IWritesFacet } from "../../contracts/interfaces/IWritesFacet.sol";
import { Forwarder } from "../mocks/Attackers.sol";
import { AttackTest } from "../utils/AttackTest.sol";

/// @notice Attacks by an api payer whose key was stolen, and by former api payers (rules 1 and 11).
contract PayerAttackTest is AttackTest {
    function _noAccess(uint256 hash, address caller) private pure returns (bytes memory) {
        return abi.encodeWithSelector(IErrors.NoAccountAccess.selector, hash, caller);
    }

    function _one(bytes memory call) private pure returns (bytes memory) {
        bytes[] memory calls = new bytes[](1);
        calls[0] = call;
        return abi.encodeCall(IWritesFacet.multicall, (calls));
    }

    /// @notice Every write of an account, by its master hash.
    function _writes(uint256 hash) private view returns (bytes[] memory calls) {
        calls = new bytes[](16);
        UsageKey memory k = almightyKey(key);
        k.accountApiKeyHash = hash;
        calls[0] = encodeSetKey(k);
        calls[1] = abi.encodeCall(IUsageKeyWrites.updateUsageApiKeyMetadata, (hash, key, NAME, NAME));
        calls[2] = abi.encodeCall(IUsageKeyWrites.removeUsageApiKey, (hash, key));
        calls[3] = abi.encodeCall(IGroupWrites.addGroup, (hash, NAME, NAME, list(0), list(address(0))));
        calls[4] = abi.encodeCall(IGroupWrites.updateGroup, (hash, GROUP, NAME, NAME, list(), wallets()));
        calls[5] = abi.encodeCall(IGroupWrites.updateGroupMetadata, (hash, GROUP, NAME, NAME));
        calls[6] = abi.encodeCall(IGroupWrites.removeGroup, (hash, GROUP));
        calls[7] = abi.encodeCall(IActionWrites.addAction, (hash, NAME, NAME, NO_ACTION));
        calls[8] = abi.encodeCall(IActionWrites.removeAction, (hash, ACTION));
        calls[9] = abi.encodeCall(IActionWrites.updateActionMetadata, (hash, ACTION, 0, NAME, NAME));
        calls[10] = abi.encodeCall(IActionWrites.addActionToGroup, (hash, GROUP, 0));
        calls[11] = abi.encodeCall(IActionWrites.removeActionFromGroup, (hash, GROUP, ACTION));
        calls[12] = abi.encodeCall(IWalletWrites.addPkpToGroup, (hash, GROUP, address(0)));
        calls[13] = abi.encodeCall(IWalletWrites.removePkpFromGroup, (hash, GROUP, wallet));
        calls[14] = abi.encodeCall(IWalletWrites.removeWalletDerivation, (hash, wallet));
        calls[15] = abi.encodeCall(IWalletWrites.registerWalletDerivation, (hash, noWallet, 99, NAME, NAME));
    }

    /// After a conversion no api payer can write the account, by its hash, its alias or its keys.
    function test_PayerActsAfterTheConversion() external {
        setKey(almightyKey(key));
        convert();
        bytes32 before = fingerprint(MANAGED);
        uint256[3] memory names = [MANAGED, identity(newAdmin), key];
        for (uint256 i; i < names.length; ++i) {
            bytes[] memory calls = _writes(names[i]);
            for (uint256 j; j < calls.length; ++j) {
                bool masterOnly =
                    names[i] == key && (j < 3 || j == 4 || j == 5 || (j > 6 && j < 10) || j == 14);
                bytes memory refusal = masterOnly
                    ? abi.encodeWithSelector(IErrors.NotMasterAccount.selector, key)
                    : _noAccess(names[i], payer);
                refused(payer, calls[j], refusal);
                refused(payer, _one(calls[j]), refusal);
            }
        }
        bytes memory again = abi.encodeWithSelector(IErrors.AlreadyChainSecured.selector, MANAGED);
        refused(payer, abi.encodeCall(IAccountWrites.convertToChainSecuredAccount, (MANAGED, thief)), again);
        refused(owner, abi.encodeCall(IAccountWrites.convertToChainSecuredAccount, (MANAGED, thief)), again);
        refused(
            payer,
            abi.encodeCall(IAccountWrites.transferChainSecuredAccountOwnership, (MANAGED, thief)),
            _noAccess(MANAGED, payer)
        );
        refused(
            payer,
            abi.encodeCall(IAccountWrites.newAccount, (MANAGED, true, NAME, DESCRIPTION, thief)),
            abi.encodeWithSelector(IErrors.AccountAlreadyExists.selector, MANAGED)
        );
        vm.assertEq(fingerprint(MANAGED), before);
        vm.assertEq(accountConfig.getAccountWalletAddress(MANAGED), newAdmin);
        setKey(_scoped());
        assertUnharmed();
    }

    function _scoped() private view returns (UsageKey memory k) {
        k = newKey(key);
        k.executeInGroups = list(GROUP);
    }

    /// Neither an api payer, nor the admin api payer, nor an operator can change the set of api payers.
    function test_PayerChangesThePayers() external blockedInBothModes {
        by(owner).setAdminApiPayerAccount(thief);
        by(owner).setConfigOperator(stranger);
        by(owner).setPricingOperator(newAdmin);
        bytes32 before = fingerprint();
        address[6] memory callers = [payer, otherPayer, thief, stranger, newAdmin, admin];
        bytes[3] memory sets = [
            abi.encodeCall(IConfigFacet.setApiPayers, (list(thief))),
            abi.encodeCall(IConfigFacet.setApiPayers, (wallets())),
            abi.encodeCall(IConfigFacet.setApiPayers, (list(payer, thief)))
        ];
        for (uint256 i; i < callers.length; ++i) {
            bytes memory refusal = abi.encodeWithSelector(IDiamond.OnlyOwner.selector, callers[i]);
            for (uint256 j; j < sets.length; ++j) {
                refused(callers[i], sets[j], refusal);
                refused(callers[i], _one(sets[j]), refusal);
                refused(callers[i], _one(_one(sets[j])), refusal);
            }
            refused(callers[i], abi.encodeCall(IDiamondCutFacet.transferOwnership, (callers[i])), refusal);
            refused(
                callers[i],
                abi.encodeCall(IDiamondCutFacet.diamondCut, (new IDiamond.FacetCut[](0), callers[i], "")),
                refusal
            );
            refused(
                callers[i],
                abi.encodeCall(IDiamondCutFacet.acceptOwnership, ()),
                abi.encodeWithSelector(IDiamond.OnlyPendingOwner.selector, callers[i])
            );
        }
        vm.assertEq(fingerprint(), before);
        vm.assertEq(accountConfig.api_payers(), list(payer, otherPayer));
    }

    /// The admin api payer is a setting for services and has no permission.
    function test_AdminPayerActsAsAPayer() external blockedInBothModes {
        by(owner).setAdminApiPayerAccount(thief);
        bytes[] memory calls = _writes(account);
        for (uint256 i; i < calls.length; ++i) {
            refused(thief, calls[i], _noAccess(account, thief));
        }
        refused(
            thief,
            abi.encodeCall(IAccountWrites.newAccount, (UNKNOWN, true, NAME, DESCRIPTION, thief)),
            abi.encodeWithSelector(IErrors.OnlyApiPayer.selector, thief)
        );
        refused(
            thief,
            abi.encodeCall(IAccountWrites.convertToChainSecuredAccount, (MANAGED, stranger)),
            abi.encodeWithSelector(IErrors.OnlyApiPayerOrOwner.selector, thief)
        );
    }

    /// A removed api payer is a stranger immediately, at any position in the set.
    function test_RemovedPayerActs() external {
        address third = actor("third payer");
        address[] memory all = new address[](3);
        (all[0], all[1], all[2]) = (payer, otherPayer, third);
        for (uint256 i; i < all.length; ++i) {
            uint256 snapshot = vm.snapshotState();
            by(owner).setApiPayers(all);
            (address left, address right) = (all[(i + 1) % 3], all[(i + 2) % 3]);
            by(owner).setApiPayers(list(left, right));
            bytes32 before = fingerprint(MANAGED);
            bytes[] memory calls = _writes(MANAGED);
            for (uint256 j; j < calls.length; ++j) {
                refused(all[i], calls[j], _noAccess(MANAGED, all[i]));
                refused(all[i], _one(calls[j]), _noAccess(MANAGED, all[i]));
            }
            refused(
                all[i],
                abi.encodeCall(IAccountWrites.newAccount, (UNKNOWN, true, NAME, DESCRIPTION, thief)),
                abi.encodeWithSelector(IErrors.OnlyApiPayer.selector, all[i])
            );
            refused(
                all[i],
                abi.encodeCall(IAccountWrites.convertToChainSecuredAccount, (MANAGED, stranger)),
                abi.encodeWithSelector(IErrors.OnlyApiPayerOrOwner.selector, all[i])
            );
            vm.prank(all[i]);
            vm.assertFalse(accountConfig.accountExistsAndIsMutable(MANAGED));
            vm.assertEq(fingerprint(MANAGED), before);
            writer = left;
            assertUnharmed();
            writer = right;
            by(right).addGroup(MANAGED, NAME, DESCRIPTION, list(), wallets());
            vm.revertToState(snapshot);
        }
    }

    /// An api payer neither writes nor opens a ChainSecured account.
    function test_PayerActsOnAChainSecuredAccount() external {
        enterSecured();
        bytes32 before = fingerprint(SECURED);
        address[3] memory callers = [payer, otherPayer, owner];
        bytes[] memory calls = _writes(SECURED);
        for (uint256 i; i < callers.length; ++i) {
            for (uint256 j; j < calls.length; ++j) {
                refused(callers[i], calls[j], _noAccess(SECURED, callers[i]));
            }
            refused(
                callers[i],
                abi.encodeCall(IAccountWrites.transferChainSecuredAccountOwnership, (SECURED, thief)),
                _noAccess(SECURED, callers[i])
            );
        }
        refused(
            payer,
            abi.encodeCall(IAccountWrites.newAccount, (UNKNOWN, false, NAME, DESCRIPTION, payer)),
            abi.encodeWithSelector(IErrors.NewAccountNotManaged.selector, UNKNOWN)
        );
        vm.assertEq(fingerprint(SECURED), before);
        assertUnharmed();
    }

    /// The sender of the call is authorised, not the signer of the transaction: a contract in between has no permission.
    function test_ContractActsForAPayerOrAdmin() external blockedInBothModes {
        Forwarder forwarder = new Forwarder();
        bytes[] memory calls = _writes(account);
        for (uint256 i; i < calls.length; ++i) {
            vm.prank(writer, writer);
            (bool ok, bytes memory result) = forwarder.forward(address(accountConfig), calls[i]);
            vm.assertFalse(ok);
            vm.assertEq(result, _noAccess(account, address(forwarder)));
        }
    }
}
