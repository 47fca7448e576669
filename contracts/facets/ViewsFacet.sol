// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IViewsFacet } from "../interfaces/IViewsFacet.sol";
import { LibAccounts } from "../libraries/LibAccounts.sol";
import { LibAuthority } from "../libraries/LibAuthority.sol";
import { LibExecution } from "../libraries/LibExecution.sol";
import { LibGroups } from "../libraries/LibGroups.sol";
import { LibItems } from "../libraries/LibItems.sol";
import { LibLimits } from "../libraries/LibLimits.sol";
import { LibLists } from "../libraries/LibLists.sol";
import { LibPermissions } from "../libraries/LibPermissions.sol";
import { LibStates } from "../libraries/LibStates.sol";
import { AccountConfigStorage as S } from "../storage/AccountConfigStorage.sol";
import { AccountWord } from "../storage/AccountWord.sol";
import { Bits } from "../storage/Bits.sol";
import { GroupWord } from "../storage/GroupWord.sol";
import { ItemWord, ItemWords, Paths } from "../storage/ItemWord.sol";
import { KeyWord } from "../storage/KeyWord.sol";
import { Kinds } from "../storage/Kinds.sol";
import { MasterWord } from "../storage/MasterWord.sol";
import { Ref } from "../storage/Ref.sol";

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
        adminWalletAddress = header.admin();
        managed = header.isManaged();
        isUsageKey = usageKey.exists();
        expiration = usageKey.expiration();
    }

    /// @inheritdoc IViewsFacet
    function accountExistsAndIsMutable(uint256 apiKeyHash) external view returns (bool) {
        (,, AccountWord header,) = LibAccounts.tryResolve(apiKeyHash);
        return header.exists() && LibAuthority.mayWrite(header, msg.sender);
    }

    /// @inheritdoc IViewsFacet
    function getAccountWalletAddress(uint256 apiKeyHash) external view returns (address) {
        (,, AccountWord header,) = LibAccounts.resolve(apiKeyHash);
        return header.admin();
    }

    /// @inheritdoc IViewsFacet
    function allApiKeyHashesToMaster(uint256 hash) external view returns (uint256 masterHash) {
        (masterHash,,,) = LibAccounts.tryResolve(hash);
    }

    /// @inheritdoc IViewsFacet
    function getWalletDerivation(uint256 apiKeyHash, address pkpId) external view returns (uint256) {
        (, Ref ref, AccountWord header,) = LibAccounts.tryResolve(apiKeyHash);
        if (!header.exists() || pkpId == address(0)) return 0;
        (bool known,, ItemWord item) = LibItems.load(ref, Kinds.WALLET, uint160(pkpId));
        if (!known) return 0;
        return LibItems.pathOf(ref, item, header.minter());
    }

    /// @inheritdoc IViewsFacet
    function getPathOwnerMaster(uint256 derivationPath) external view returns (uint256) {
        uint256 pathOwner = S.load().pathOwners[derivationPath];
        if (pathOwner == 0) return 0;
        Ref ref = Paths.ownerOf(pathOwner);
        MasterWord master = S.loadMaster(ref);
        return master.exists() ? master.hashOf(ref) : 0;
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
        apiKeys = header.keyCount();
        groups = S.loadMaster(ref).groupCount();
        pkps = header.itemCount(Kinds.WALLET);
        actions = header.itemCount(Kinds.ACTION);
    }

    /// @inheritdoc IViewsFacet
    function listApiKeys(uint256 apiKeyHash, uint256 pageNumber, uint256 pageSize)
        external
        view
        returns (UsageApiKey[] memory keys)
    {
        LibLimits.checkKeyPageSize(pageSize);
        (, Ref ref, AccountWord header,) = LibAccounts.resolve(apiKeyHash);
        (uint256 from, uint256 to) = LibLimits.page(pageNumber, pageSize, header.keyCount());
        // Indices below the first are of removed keys.
        uint256 first = header.firstKey();
        if (first > from) from = first < to ? first : to;
        S.Layout storage $ = S.load();
        MasterWord master = S.loadMaster(ref);
        LibPermissions.Buffer memory buffer = LibPermissions.newBuffer();
        keys = new UsageApiKey[](to - from);
        uint256 count;
        for (uint256 i = from; i < to; ++i) {
            uint256 hash = $.usageKeys[ref.above(i)];
            if (hash == 0) continue;
            KeyWord usageKey = S.loadEntry(hash).asUsageKey();
            UsageApiKey memory key = keys[count++];
            key.usageApiKeyHash = hash;
            key.expiration = usageKey.expiration();
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
        (uint256 from, uint256 to) = LibLimits.page(pageNumber, pageSize, master.groupCount());
        groupIds = new uint256[](to - from);
        uint256 count;
        for (uint256 id = from + 1; id <= to; ++id) {
            if (Bits.has(S.liveWord($, ref, master, Bits.wordOf(id)), id)) groupIds[count++] = id;
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
        return LibLists.pkps(ref, header, LibLists.items(ref, header, Kinds.WALLET, pageNumber, pageSize));
    }

    /// @inheritdoc IViewsFacet
    function listActions(uint256 apiKeyHash, uint256 pageNumber, uint256 pageSize)
        external
        view
        returns (uint256[] memory actionHashes)
    {
        LibLimits.checkPageSize(pageSize);
        (, Ref ref, AccountWord header,) = LibAccounts.resolve(apiKeyHash);
        return LibLists.items(ref, header, Kinds.ACTION, pageNumber, pageSize);
    }

    /// @inheritdoc IViewsFacet
    function listGroupContents(uint256 apiKeyHash, uint256 groupId)
        external
        view
        returns (uint256[] memory cidHashes, address[] memory pkpIds)
    {
        (, Ref ref, AccountWord header,) = LibAccounts.resolve(apiKeyHash);
        (, GroupWord group) = LibGroups.load(apiKeyHash, ref, groupId);
        cidHashes = LibLists.members(ref, header, groupId, group, Kinds.ACTION, 0, CONTENTS);
        uint256[] memory ids = LibLists.members(ref, header, groupId, group, Kinds.WALLET, 0, CONTENTS);
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
        (uint256 from,) = LibLimits.page(pageNumber, pageSize, ItemWords.MAX_INDEX);
        (, Ref ref, AccountWord header,) = LibAccounts.resolve(apiKeyHash);
        (, GroupWord group) = LibGroups.load(apiKeyHash, ref, groupId);
        return LibLists.pkps(
            ref, header, LibLists.members(ref, header, groupId, group, Kinds.WALLET, from, pageSize)
        );
    }

    /// @inheritdoc IViewsFacet
    function listActionsInGroup(uint256 apiKeyHash, uint256 groupId, uint256 pageNumber, uint256 pageSize)
        external
        view
        returns (uint256[] memory actionHashes)
    {
        (uint256 from,) = LibLimits.page(pageNumber, pageSize, ItemWords.MAX_INDEX);
        (, Ref ref, AccountWord header,) = LibAccounts.resolve(apiKeyHash);
        (, GroupWord group) = LibGroups.load(apiKeyHash, ref, groupId);
        return LibLists.members(ref, header, groupId, group, Kinds.ACTION, from, pageSize);
    }
}
