// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IErrors } from "../../contracts/interfaces/IErrors.sol";
import { AccountConfigTest } from "../utils/AccountConfigTest.sol";

/// @notice Keys of a former admin, rotated keys, and keys removed by removeAllUsageApiKeys (rules 15 and 17).
contract FormerKeysTest is AccountConfigTest {
    uint256 private constant NEW = uint256(keccak256("new key"));

    /// A giver keeps a key, and its hash comes back under every form of authority.
    function test_KeyOfAFormerAdmin() external {
        enterSecured();
        setKey(almightyKey(UNKNOWN));
        by(admin).transferChainSecuredAccountOwnership(SECURED, newAdmin);
        assertCan(UNKNOWN, ACTION, wallet, true, true);
        by(newAdmin).removeAllUsageApiKeys(SECURED);
        assertCan(UNKNOWN, ACTION, wallet, false, false);
        vm.assertEq(accountConfig.allApiKeyHashesToMaster(UNKNOWN), 0);
        expectNoAccess(SECURED, admin);
        by(admin).rotateUsageApiKey(SECURED, UNKNOWN, NEW);
        // The former admin cannot add the hash to an account of its own (rule 20).
        by(stranger).newChainSecuredAccount(NAME, DESCRIPTION);
        (account, writer) = (identity(stranger), stranger);
        expectRevert(IErrors.AccountAlreadyExists.selector, UNKNOWN);
        setKey(almightyKey(UNKNOWN));
    }

    /// Grants in every layout are out of reach of a hash that was removed with all others and set again.
    function test_GrantsDoNotComeBack() external inBothModes {
        addGroupsUpTo(1700);
        uint256[][4] memory layouts =
            [list(GROUP), list(GROUP, EMPTY_GROUP), list(GROUP, 100), list(GROUP, 1600)];
        for (uint256 i; i < 4; ++i) {
            UsageKey memory k = newKey(UNKNOWN);
            k.executeInGroups = layouts[i];
            setKey(k);
            assertCan(UNKNOWN, ACTION, wallet, true, true);
            by(writer).removeAllUsageApiKeys(account);
            for (uint256 j; j < 4; ++j) {
                k.executeInGroups = list();
                k.manageIPFSIdsInGroups = layouts[j];
                setKey(k);
                assertKey(k);
                assertCan(UNKNOWN, ACTION, wallet, false, false);
            }
        }
    }

    /// Updates from layout to layout leave no grant of an earlier one.
    function test_LayoutsDoNotMix() external inBothModes {
        addGroupsUpTo(1700);
        uint256[][6] memory layouts = [
            list(),
            list(GROUP),
            list(GROUP, EMPTY_GROUP),
            list(GROUP, 100),
            list(GROUP, 1600),
            list(1, 100, 1650)
        ];
        for (uint256 i; i < 36; ++i) {
            UsageKey memory k = newKey(UNKNOWN);
            k.executeInGroups = layouts[i / 6];
            setKey(k);
            k.executeInGroups = list();
            k.addPkpToGroups = layouts[i % 6];
            setKey(k);
            assertKey(k);
            assertCan(UNKNOWN, ACTION, wallet, false, false);
        }
    }

    /// The holder of a rotated hash has nothing, whatever happens to the key later.
    function test_RotatedKey() external inBothModes {
        by(writer).rotateUsageApiKey(account, key, NEW);
        by(writer).setUsageApiKeyExpiration(account, NEW, NOW + 100);
        assertCan(key, ACTION, wallet, false, false);
        by(writer).removeUsageApiKey(account, NEW);
        assertCan(key, ACTION, wallet, false, false);
        expectRevert(IErrors.AccountDoesNotExist.selector, key);
        by(writer).addToGroup(key, GROUP, list(ACTION), wallets());
    }

    /// The holder of a usage key cannot remove all usage keys.
    function test_UsageKeyRemovesNoKey() external inBothModes {
        setKey(almightyKey(UNKNOWN));
        expectRevert(IErrors.NotMasterAccount.selector, UNKNOWN);
        by(writer).removeAllUsageApiKeys(UNKNOWN);
        assertCan(key, ACTION, wallet, true, true);
    }
}
