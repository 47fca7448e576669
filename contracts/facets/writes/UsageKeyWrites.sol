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
        uint256 balance,
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
        uint256 entries = manageIPFSIdsInGroups.length + addPkpToGroups.length + removePkpFromGroups.length
            + executeInGroups.length;
        if (entries != 0) {
            draft.pages = new uint256[](entries);
            draft.words = new uint256[](entries);
            LibGrants.draft(
                draft, accountApiKeyHash, account.ref, LibGrants.MANAGE_ACTIONS, manageIPFSIdsInGroups
            );
            LibGrants.draft(draft, accountApiKeyHash, account.ref, LibGrants.ADD_PKP, addPkpToGroups);
            LibGrants.draft(draft, accountApiKeyHash, account.ref, LibGrants.REMOVE_PKP, removePkpFromGroups);
            LibGrants.draft(draft, accountApiKeyHash, account.ref, LibGrants.EXECUTE, executeInGroups);
        }
        uint256 flags = (createGroups ? LibGrants.CREATE_GROUPS : 0)
            | (deleteGroups ? LibGrants.DELETE_GROUPS : 0) | (createPKPs ? LibGrants.CREATE_PKPS : 0);
        _saveUsageKey(account, usageApiKeyHash, draft, flags, expiration);

        emit IAccountConfig.UsageApiKeySet({
            masterApiKeyHash: account.masterHash,
            usageApiKeyHash: usageApiKeyHash,
            expiration: expiration,
            balance: balance,
            name: name,
            description: description,
            permissions: IAccountConfig.UsageApiKeyPermissions({
                createGroups: createGroups,
                deleteGroups: deleteGroups,
                createPKPs: createPKPs,
                manageIPFSIdsInGroups: manageIPFSIdsInGroups,
                addPkpToGroups: addPkpToGroups,
                removePkpFromGroups: removePkpFromGroups,
                executeInGroups: executeInGroups
            })
        });
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
