// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IViewsFacet } from "../interfaces/IViewsFacet.sol";
import {
    AccountConfigStorage as S,
    AccountWord,
    GroupWord,
    ItemWord,
    KeyWord,
    MasterWord,
    Ref
} from "../libraries/AccountConfigStorage.sol";
import { LibAccounts } from "../libraries/LibAccounts.sol";
import { LibAuthority } from "../libraries/LibAuthority.sol";
import { LibExecution } from "../libraries/LibExecution.sol";
import { LibGrants } from "../libraries/LibGrants.sol";
import { LibGroups } from "../libraries/LibGroups.sol";
import { LibItems } from "../libraries/LibItems.sol";
import { LibLimits } from "../libraries/LibLimits.sol";
import { LibPermissions } from "../libraries/LibPermissions.sol";
import { LibStates } from "../libraries/LibStates.sol";
import { LibBit } from "solady/utils/LibBit.sol";

/// @notice Resolves hashes, answers permission questions and lists accounts, see IViewsFacet.
contract ViewsFacet is IViewsFacet {
    uint256 private constant CONTENTS = 1000;

    // ------------------------------------------------------------------------------------------------ look-up

    /// @inheritdoc IViewsFacet
    function accountState(uint256 hash) external view returns (AccountState memory) {
        return LibStates.stateOf(hash);
    }

    /// @inheritdoc IViewsFacet
    function resolve(uint256 hash)
        external
        view
        returns (
            uint256 masterApiKeyHash,
            address adminWalletAddress,
            bool managed,
            bool isUsageKey,
            uint256 expiration
        )
    {
        AccountWord header;
        KeyWord usageKey;
        (masterApiKeyHash,, header, usageKey) = LibAccounts.tryResolve(hash);
        adminWalletAddress = LibAccounts.adminOf(header);
        managed = LibAccounts.isManaged(header);
        isUsageKey = S.exists(usageKey);
        expiration = LibGrants.expirationOf(usageKey);
    }

    /// @inheritdoc IViewsFacet
    function accountExistsAndIsMutable(uint256 apiKeyHash) external view returns (bool) {
        (,, AccountWord header,) = LibAccounts.tryResolve(apiKeyHash);
        return S.exists(header) && LibAuthority.mayWrite(header, msg.sender);
    }

    /// @inheritdoc IViewsFacet
    function getAccountWalletAddress(uint256 apiKeyHash) external view returns (address) {
        (,, AccountWord header,) = LibAccounts.resolve(apiKeyHash);
        return LibAccounts.adminOf(header);
    }

    /// @inheritdoc IViewsFacet
    function allApiKeyHashesToMaster(uint256 hash) external view returns (uint256 masterHash) {
        (masterHash,,,) = LibAccounts.tryResolve(hash);
    }

    /// @inheritdoc IViewsFacet
    function getWalletDerivation(uint256 apiKeyHash, address pkpId) external view returns (uint256) {
        (, Ref ref, AccountWord header,) = LibAccounts.tryResolve(apiKeyHash);
        if (!S.exists(header) || pkpId == address(0)) return 0;
        (bool known,, ItemWord item) = LibItems.load(ref, LibItems.WALLET, uint160(pkpId));
        if (!known) return 0;
        return LibItems.pathOf(ref, item, LibAccounts.minterOf(header));
    }

    /// @inheritdoc IViewsFacet
    function getPathOwnerMaster(uint256 derivationPath) external view returns (uint256) {
        uint256 pathOwner = S.load().pathOwners[derivationPath];
        if (pathOwner == 0) return 0;
        // The cast drops the "owned" bit and the wallet.
        Ref ref = Ref.wrap(uint128(pathOwner));
        MasterWord master = S.loadMaster(ref);
        return S.exists(master) ? S.masterHashOf(ref, master) : 0;
    }

    /// @inheritdoc IViewsFacet
    function isPathRegistered(uint256 derivationPath) external view returns (bool) {
        return S.load().pathOwners[derivationPath] != 0;
    }

    /// @inheritdoc IViewsFacet
    function accountCount() external view returns (uint256) {
        return S.load().accountCount;
    }

    /// @inheritdoc IViewsFacet
    function pkpCount() external view returns (uint256) {
        return S.load().pkpCount;
    }

    // -------------------------------------------------------------------------------------------- permissions

    /// @inheritdoc IViewsFacet
    function canExecuteAction(uint256 apiKeyHash, uint256 cidHash) external view returns (bool) {
        return LibExecution.canExecute(apiKeyHash, cidHash);
    }

    /// @inheritdoc IViewsFacet
    function canUseWalletInAction(uint256 apiKeyHash, uint256 cidHash, address pkpId)
        external
        view
        returns (bool)
    {
        return LibExecution.canUseWallet(apiKeyHash, cidHash, pkpId);
    }

    /// @inheritdoc IViewsFacet
    function canExecuteActionAndUseWallet(uint256 apiKeyHash, uint256 cidHash, address pkpId)
        external
        view
        returns (bool canExecute, bool canUseWallet)
    {
        return LibExecution.canBoth(apiKeyHash, cidHash, pkpId);
    }

    /// @inheritdoc IViewsFacet
    function explainExecution(uint256 apiKeyHash, uint256 cidHash, address pkpId)
        external
        view
        returns (Explanation memory)
    {
        return LibExecution.explain(apiKeyHash, cidHash, pkpId);
    }

    // -------------------------------------------------------------------------------------------------- lists

    /// @inheritdoc IViewsFacet
    function listSizes(uint256 apiKeyHash)
        external
        view
        returns (uint256 apiKeys, uint256 groups, uint256 pkps, uint256 actions)
    {
        (, Ref ref, AccountWord header,) = LibAccounts.resolve(apiKeyHash);
        apiKeys = LibAccounts.usageKeyCount(header);
        groups = S.groupCount(S.loadMaster(ref));
        pkps = LibItems.countOf(header, LibItems.WALLET);
        actions = LibItems.countOf(header, LibItems.ACTION);
    }

    /// @inheritdoc IViewsFacet
    function listApiKeys(uint256 apiKeyHash, uint256 pageNumber, uint256 pageSize)
        external
        view
        returns (UsageApiKey[] memory keys)
    {
        LibLimits.checkKeyPageSize(pageSize);
        (, Ref ref, AccountWord header,) = LibAccounts.resolve(apiKeyHash);
        (uint256 from, uint256 to) = LibLimits.page(pageNumber, pageSize, LibAccounts.usageKeyCount(header));
        // Indices below the first are of removed keys.
        uint256 first = LibAccounts.firstUsageKey(header);
        if (first > from) from = first < to ? first : to;
        S.Layout storage $ = S.load();
        MasterWord master = S.loadMaster(ref);
        LibPermissions.Buffer memory buffer = LibPermissions.newBuffer();
        keys = new UsageApiKey[](to - from);
        uint256 count;
        for (uint256 i = from; i < to; ++i) {
            uint256 hash = $.usageKeys[S.keyOf(ref, i)];
            if (hash == 0) continue;
            KeyWord usageKey = S.asUsageKey(S.loadEntry(hash));
            UsageApiKey memory key = keys[count++];
            key.usageApiKeyHash = hash;
            key.expiration = LibGrants.expirationOf(usageKey);
            key.permissions = LibPermissions.read(buffer, ref, master, usageKey);
        }
        // memory-safe: shortens an array allocated here.
        assembly ("memory-safe") {
            mstore(keys, count)
        }
    }

    /// @inheritdoc IViewsFacet
    function listGroups(uint256 apiKeyHash, uint256 pageNumber, uint256 pageSize)
        external
        view
        returns (uint256[] memory groupIds)
    {
        LibLimits.checkPageSize(pageSize);
        (, Ref ref,,) = LibAccounts.resolve(apiKeyHash);
        S.Layout storage $ = S.load();
        MasterWord master = S.loadMaster(ref);
        (uint256 from, uint256 to) = LibLimits.page(pageNumber, pageSize, S.groupCount(master));
        groupIds = new uint256[](to - from);
        uint256 count;
        for (uint256 id = from + 1; id <= to; ++id) {
            if ((S.liveWord($, ref, master, id >> 8) >> (id & 255)) & 1 != 0) groupIds[count++] = id;
        }
        // memory-safe: shortens an array allocated here.
        assembly ("memory-safe") {
            mstore(groupIds, count)
        }
    }

    /// @inheritdoc IViewsFacet
    function listPkps(uint256 apiKeyHash, uint256 pageNumber, uint256 pageSize)
        external
        view
        returns (Pkp[] memory)
    {
        LibLimits.checkPageSize(pageSize);
        (, Ref ref, AccountWord header,) = LibAccounts.resolve(apiKeyHash);
        return _pkps(ref, header, _items(ref, header, LibItems.WALLET, pageNumber, pageSize));
    }

    /// @inheritdoc IViewsFacet
    function listActions(uint256 apiKeyHash, uint256 pageNumber, uint256 pageSize)
        external
        view
        returns (uint256[] memory actionHashes)
    {
        LibLimits.checkPageSize(pageSize);
        (, Ref ref, AccountWord header,) = LibAccounts.resolve(apiKeyHash);
        return _items(ref, header, LibItems.ACTION, pageNumber, pageSize);
    }

    /// @inheritdoc IViewsFacet
    function listGroupContents(uint256 apiKeyHash, uint256 groupId)
        external
        view
        returns (uint256[] memory cidHashes, address[] memory pkpIds)
    {
        (, Ref ref, AccountWord header,) = LibAccounts.resolve(apiKeyHash);
        (, GroupWord group) = LibGroups.load(apiKeyHash, ref, groupId);
        cidHashes = _members(ref, header, groupId, group, LibItems.ACTION, 0, CONTENTS);
        uint256[] memory ids = _members(ref, header, groupId, group, LibItems.WALLET, 0, CONTENTS);
        // memory-safe: arrays of addresses and of words have one layout, and these words are addresses.
        assembly ("memory-safe") {
            pkpIds := ids
        }
    }

    /// @inheritdoc IViewsFacet
    function listWalletsInGroup(uint256 apiKeyHash, uint256 groupId, uint256 pageNumber, uint256 pageSize)
        external
        view
        returns (Pkp[] memory)
    {
        (uint256 from,) = LibLimits.page(pageNumber, pageSize, S.MAX_ITEMS);
        (, Ref ref, AccountWord header,) = LibAccounts.resolve(apiKeyHash);
        (, GroupWord group) = LibGroups.load(apiKeyHash, ref, groupId);
        return _pkps(ref, header, _members(ref, header, groupId, group, LibItems.WALLET, from, pageSize));
    }

    /// @inheritdoc IViewsFacet
    function listActionsInGroup(uint256 apiKeyHash, uint256 groupId, uint256 pageNumber, uint256 pageSize)
        external
        view
        returns (uint256[] memory actionHashes)
    {
        (uint256 from,) = LibLimits.page(pageNumber, pageSize, S.MAX_ITEMS);
        (, Ref ref, AccountWord header,) = LibAccounts.resolve(apiKeyHash);
        (, GroupWord group) = LibGroups.load(apiKeyHash, ref, groupId);
        return _members(ref, header, groupId, group, LibItems.ACTION, from, pageSize);
    }

    /// @return ids The live items of a page. Index `i` of the list is item `i + 1`.
    function _items(Ref ref, AccountWord header, uint256 kind, uint256 pageNumber, uint256 pageSize)
        private
        view
        returns (uint256[] memory ids)
    {
        (uint256 from, uint256 to) = LibLimits.page(pageNumber, pageSize, LibItems.countOf(header, kind));
        S.Layout storage $ = S.load();
        ids = new uint256[](to - from);
        uint256 count;
        for (uint256 i = from; i < to; ++i) {
            (bool found, uint256 key) = LibItems.keyAt($, ref, kind, i + 1);
            if (found) ids[count++] = LibItems.idOf(kind, key, LibItems.loadItem(key));
        }
        // memory-safe: shortens an array allocated here.
        assembly ("memory-safe") {
            mstore(ids, count)
        }
    }

    /// @return ids Up to `size` live members of a group after the first `skip`, 0 ("every") first.
    function _members(
        Ref ref,
        AccountWord header,
        uint256 groupId,
        GroupWord group,
        uint256 kind,
        uint256 skip,
        uint256 size
    ) private view returns (uint256[] memory ids) {
        S.Layout storage $ = S.load();
        ids = new uint256[](size);
        uint256 count;
        uint256 seen;
        uint256 items = LibItems.countOf(header, kind);
        for (uint256 word; word <= items >> 8 && count < size; ++word) {
            uint256 bits = LibGroups.members($, ref, groupId, group, kind, word);
            for (; bits != 0 && count < size; bits &= bits - 1) {
                uint256 index = 256 * word + LibBit.ffs(bits);
                (bool found, uint256 key) = LibItems.keyAt($, ref, kind, index);
                if (!found || seen++ < skip) continue;
                ids[count++] = index == 0 ? 0 : LibItems.idOf(kind, key, LibItems.loadItem(key));
            }
        }
        // memory-safe: shortens an array allocated here.
        assembly ("memory-safe") {
            mstore(ids, count)
        }
    }

    function _pkps(Ref ref, AccountWord header, uint256[] memory ids)
        private
        view
        returns (Pkp[] memory pkps)
    {
        address minter = LibAccounts.minterOf(header);
        pkps = new Pkp[](ids.length);
        for (uint256 i; i < ids.length; ++i) {
            ItemWord item = LibItems.loadItem(LibItems.itemKey(ref, LibItems.WALLET, ids[i]));
            pkps[i] = Pkp({
                // The cast is safe: the id of a wallet has 160 bits.
                pkpId: address(uint160(ids[i])),
                derivationPath: ids[i] == 0 ? 0 : LibItems.pathOf(ref, item, minter)
            });
        }
    }
}
