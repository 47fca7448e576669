// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IAccountConfig } from "../../interfaces/IAccountConfig.sol";
import { AccountConfigStorage as S } from "../../libraries/AccountConfigStorage.sol";
import { LibAccounts } from "../../libraries/LibAccounts.sol";
import { LibGrants } from "../../libraries/LibGrants.sol";
import { LibLimits } from "../../libraries/LibLimits.sol";

/// @notice Usage keys, see IAccountConfig.
abstract contract UsageKeyWrites {
    function setUsageApiKey(
        uint256 accountApiKeyHash,
        uint256 usageApiKeyHash,
        uint256 expiration,
        uint256, /* balance: emitted */
        string calldata name,
        string calldata description,
        bool createGroups,
        bool deleteGroups,
        bool createPKPs,
        uint256[] calldata manageIPFSIdsInGroups,
        uint256[] calldata addPkpToGroups,
        uint256[] calldata removePkpFromGroups,
        uint256[] calldata executeInGroups
    ) external {
        LibLimits.labels(name, description);
        LibLimits.keyEntries(manageIPFSIdsInGroups.length);
        LibLimits.keyEntries(addPkpToGroups.length);
        LibLimits.keyEntries(removePkpFromGroups.length);
        LibLimits.keyEntries(executeInGroups.length);
        if (usageApiKeyHash == 0) revert IAccountConfig.InvalidRequest("usage key hash is zero");
        if (expiration > type(uint40).max) {
            revert IAccountConfig.InvalidRequest("expiration is not in unix seconds");
        }
        LibAccounts.Account memory account = LibAccounts.authorizeMaster(accountApiKeyHash);

        LibGrants.Draft memory draft;
        LibGrants.draft(
            draft, accountApiKeyHash, account.ref, LibGrants.MANAGE_ACTIONS, manageIPFSIdsInGroups
        );
        LibGrants.draft(draft, accountApiKeyHash, account.ref, LibGrants.ADD_PKP, addPkpToGroups);
        LibGrants.draft(draft, accountApiKeyHash, account.ref, LibGrants.REMOVE_PKP, removePkpFromGroups);
        LibGrants.draft(draft, accountApiKeyHash, account.ref, LibGrants.EXECUTE, executeInGroups);
        uint256 flags = (createGroups ? LibGrants.CREATE_GROUPS : 0)
            | (deleteGroups ? LibGrants.DELETE_GROUPS : 0) | (createPKPs ? LibGrants.CREATE_PKPS : 0);
        _saveUsageKey(account, usageApiKeyHash, draft, flags, expiration);

        _emitUsageApiKeySet(account.masterHash);
    }

    function updateUsageApiKeyMetadata(
        uint256 accountApiKeyHash,
        uint256 usageApiKeyHash,
        string calldata name,
        string calldata description
    ) external {
        LibLimits.labels(name, description);
        LibAccounts.Account memory account = LibAccounts.authorizeMaster(accountApiKeyHash);
        _requireUsageKey(account, usageApiKeyHash);
        emit IAccountConfig.UsageApiKeyMetadataUpdated(account.masterHash, usageApiKeyHash, name, description);
    }

    function removeUsageApiKey(uint256 accountApiKeyHash, uint256 usageApiKeyHash) external {
        LibAccounts.Account memory account = LibAccounts.authorizeMaster(accountApiKeyHash);
        uint256 entry = _requireUsageKey(account, usageApiKeyHash);
        S.Layout storage $ = S.load();
        delete $.entries[usageApiKeyHash];
        delete $.usageKeys[S.keyOf(account.ref, LibGrants.indexOf(entry))];
        emit IAccountConfig.UsageApiKeyRemoved(account.masterHash, usageApiKeyHash);
    }

    /// @notice Emits UsageApiKeySet with the arguments of setUsageApiKey, copied as they stand in the calldata: encoding
    /// them by way of memory costs a few thousand gas. Only for setUsageApiKey, whose decoder has checked them all.
    function _emitUsageApiKeySet(uint256 masterHash) private {
        bytes32 topic = IAccountConfig.UsageApiKeySet.selector;
        // memory-safe: writes behind the free memory pointer only.
        assembly ("memory-safe") {
            /// Copies the string whose offset stands at `argument` and pads it with zeros.
            function copyString(to, argument) -> end {
                let from := add(4, calldataload(argument))
                let length := calldataload(from)
                end := add(add(to, 32), and(add(length, 31), not(31)))
                mstore(sub(end, 32), 0)
                calldatacopy(to, from, add(length, 32))
            }

            let data := mload(0x40)
            calldatacopy(data, 0x44, 0x40) // expiration, balance
            mstore(add(data, 0x40), 0xa0)
            let end := copyString(add(data, 0xa0), 0x84) // name
            mstore(add(data, 0x60), sub(end, data))
            end := copyString(end, 0xa4) // description
            mstore(add(data, 0x80), sub(end, data))
            let permissions := end
            calldatacopy(permissions, 0xc4, 0x60) // createGroups, deleteGroups, createPKPs
            end := add(permissions, 0xe0)
            for { let i := 0 } lt(i, 0x80) { i := add(i, 0x20) } {
                mstore(add(add(permissions, 0x60), i), sub(end, permissions))
                let from := add(4, calldataload(add(0x124, i))) // the four lists
                let size := shl(5, add(calldataload(from), 1))
                calldatacopy(end, from, size)
                end := add(end, size)
            }
            log3(data, sub(end, data), topic, masterHash, calldataload(0x24))
        }
    }

    function _saveUsageKey(
        LibAccounts.Account memory account,
        uint256 usageHash,
        LibGrants.Draft memory draft,
        uint256 flags,
        uint256 expiration
    ) private {
        S.Layout storage $ = S.load();
        uint256 old = $.entries[usageHash];
        uint256 index;
        if (old == 0) {
            index = (account.header >> S.ACCOUNT_KEYS_SHIFT) & S.MAX_KEYS;
            if (index == S.MAX_KEYS) revert IAccountConfig.InvalidRequest("too many usage keys");
            account.header += 1 << S.ACCOUNT_KEYS_SHIFT;
            LibAccounts.saveHeader(account);
            $.usageKeys[S.keyOf(account.ref, index)] = usageHash;
        } else if (_belongsTo(account, old)) {
            index = LibGrants.indexOf(old);
        } else {
            // A key of another account, or an account's own hash: taking it would take what it may do.
            revert IAccountConfig.AccountAlreadyExists(usageHash);
        }
        $.entries[usageHash] = LibGrants.save(draft, account.ref, old, index, flags, expiration);
    }

    function _requireUsageKey(LibAccounts.Account memory account, uint256 usageHash)
        private
        view
        returns (uint256 entry)
    {
        entry = S.load().entries[usageHash];
        if (!_belongsTo(account, entry)) {
            revert IAccountConfig.UsageApiKeyDoesNotExist(account.hash, usageHash);
        }
    }

    function _belongsTo(LibAccounts.Account memory account, uint256 entry) private pure returns (bool) {
        return entry & S.KIND_MASK == S.KIND_USAGE_KEY && entry >> S.REF_SHIFT == account.ref;
    }
}
