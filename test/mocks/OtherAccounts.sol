// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @notice One account with views of the shapes and pages that another system has, whose accounts `latchkey migrate account`
/// imports. Anyone may write: it is for tests of that command.
contract OtherAccounts {
    struct Metadata {
        uint256 id;
        string name;
        string description;
    }

    struct Pkp {
        uint256 id;
        address pkpId;
        string name;
        string description;
    }

    struct Group {
        Metadata metadata;
        uint256[] cidHash;
        address[] pkpId;
    }

    struct UsageApiKey {
        Metadata metadata;
        uint256 apiKeyHash;
        uint256 expiration;
        uint256 balance;
        uint256[] executeInGroups;
        bool createGroups;
        bool deleteGroups;
        bool createPKPs;
        uint256[] manageIPFSIdsInGroups;
        uint256[] addPkpToGroups;
        uint256[] removePkpFromGroups;
    }

    error AccountDoesNotExist(uint256 apiKeyHash);

    uint256 private immutable _ACCOUNT;
    address private immutable _ADMIN;
    Pkp[] private _pkps;
    Metadata[] private _actions;
    uint256[] private _groupIds;
    mapping(uint256 groupId => Group) private _groups;
    UsageApiKey[] private _keys;

    constructor(uint256 account, address admin) {
        _ACCOUNT = account;
        _ADMIN = admin;
    }

    modifier known(uint256 account) {
        if (account != _ACCOUNT) revert AccountDoesNotExist(account);
        _;
    }

    function addPkp(Pkp memory pkp) external {
        _pkps.push(pkp);
    }

    function addAction(Metadata memory action) external {
        _actions.push(action);
    }

    function addGroup(Group memory group) external {
        _groupIds.push(group.metadata.id);
        _groups[group.metadata.id] = group;
    }

    function addKey(UsageApiKey memory key) external {
        _keys.push(key);
    }

    function getAccountWalletAddress(uint256 account) external view known(account) returns (address) {
        return _ADMIN;
    }

    function listPkps(uint256 account, uint256 pageNumber, uint256 pageSize)
        external
        view
        known(account)
        returns (Pkp[] memory page)
    {
        (uint256 from, uint256 count) = _page(_pkps.length, pageNumber, pageSize);
        page = new Pkp[](count);
        for (uint256 i = 0; i < count; i++) {
            page[i] = _pkps[from + i];
        }
    }

    function listActions(uint256 account, uint256 pageNumber, uint256 pageSize)
        external
        view
        known(account)
        returns (Metadata[] memory page)
    {
        (uint256 from, uint256 count) = _page(_actions.length, pageNumber, pageSize);
        page = new Metadata[](count);
        for (uint256 i = 0; i < count; i++) {
            page[i] = _actions[from + i];
        }
    }

    function listGroups(uint256 account, uint256 pageNumber, uint256 pageSize)
        external
        view
        known(account)
        returns (Metadata[] memory page)
    {
        (uint256 from, uint256 count) = _page(_groupIds.length, pageNumber, pageSize);
        page = new Metadata[](count);
        for (uint256 i = 0; i < count; i++) {
            page[i] = _groups[_groupIds[from + i]].metadata;
        }
    }

    function listGroupContents(uint256 account, uint256 groupId)
        external
        view
        known(account)
        returns (Group memory)
    {
        return _groups[groupId];
    }

    function listApiKeys(uint256 account, uint256 pageNumber, uint256 pageSize)
        external
        view
        known(account)
        returns (UsageApiKey[] memory page)
    {
        (uint256 from, uint256 count) = _page(_keys.length, pageNumber, pageSize);
        page = new UsageApiKey[](count);
        for (uint256 i = 0; i < count; i++) {
            page[i] = _keys[from + i];
        }
    }

    /// @dev A page that is longer than the list is the whole list, whatever its number.
    function _page(uint256 length, uint256 pageNumber, uint256 pageSize)
        private
        pure
        returns (uint256 from, uint256 count)
    {
        if (pageSize > length) return (0, length);
        from = pageNumber * pageSize;
        if (from >= length) return (0, 0);
        count = from + pageSize > length ? length - from : pageSize;
    }
}
