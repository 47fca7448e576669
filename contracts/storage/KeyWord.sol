// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { Kinds } from "./Kinds.sol";
import { Pages } from "./Pages.sol";
import { Ref } from "./Ref.sol";

/// @notice A usage key, 0 for no usage key: kind 2 | creates groups, deletes groups, creates PKPs 3 | wildcards 4 | mode 2 |
/// where 52 | index 22 | expiration 40 | ref 128 at bit 128.
///
/// MODES, with their use of the field *where* (52 bits):
/// - None: no lists.
/// - One: a single group, with a bit for each list that grants it (group 24 | lists 4).
/// - Pair: all groups are in one page or two (lower page 16 | higher page 16, twice the same for one page).
/// - Pages: any pages. A bit for each of the first 44 pages that exist, and the number of the others (8 bits at 44).
/// A wildcard is read first and grants all groups, whatever the pages hold. See LibGrants.
type KeyWord is uint256;

using KeyWords for KeyWord global;

library KeyWords {
    // Flags.
    uint256 internal constant CREATE_GROUPS = 1 << 2;
    uint256 internal constant DELETE_GROUPS = 1 << 3;
    uint256 internal constant CREATE_PKPS = 1 << 4;

    // Lists.
    uint256 internal constant MANAGE_ACTIONS = 0;
    uint256 internal constant ADD_PKP = 1;
    uint256 internal constant REMOVE_PKP = 2;
    uint256 internal constant EXECUTE = 3;

    // Modes.
    uint256 internal constant NONE = 0;
    uint256 internal constant ONE = 1;
    uint256 internal constant PAIR = 2;
    uint256 internal constant PAGES = 3;

    uint256 private constant WILDCARDS_SHIFT = 5;
    uint256 private constant MODE_SHIFT = 9;
    uint256 private constant WHERE_SHIFT = 11;
    uint256 private constant WHERE_MASK = (1 << 52) - 1;
    uint256 private constant INDEX_SHIFT = 63;
    uint256 private constant INDEX_MASK = (1 << 22) - 1;
    uint256 private constant EXPIRATION_SHIFT = 85;

    // The field *where*.
    uint256 private constant GROUP_MASK = (1 << 24) - 1;
    uint256 private constant LISTS_SHIFT = 24;
    uint256 private constant PAGE_BITS = 16;
    uint256 private constant PAGE_MASK = (1 << PAGE_BITS) - 1;
    uint256 private constant NEAR_MASK = (1 << Pages.NEAR) - 1;

    function flags(bool createGroups, bool deleteGroups, bool createPKPs)
        internal
        pure
        returns (uint256 bits)
    {
        if (createGroups) bits = CREATE_GROUPS;
        if (deleteGroups) bits |= DELETE_GROUPS;
        if (createPKPs) bits |= CREATE_PKPS;
    }

    /// @notice Returns a key without groups.
    /// @param flags_ CREATE_GROUPS, DELETE_GROUPS and CREATE_PKPS, as granted.
    /// @param wildcards A bit per list.
    function create(Ref ref, uint256 index_, uint256 expiration_, uint256 wildcards, uint256 flags_)
        internal
        pure
        returns (KeyWord)
    {
        uint256 low = (index_ << INDEX_SHIFT) | (expiration_ << EXPIRATION_SHIFT);
        return KeyWord.wrap(ref.above(Kinds.USAGE_KEY | low | (wildcards << WILDCARDS_SHIFT) | flags_));
    }

    /// @param lists A bit per list that grants the group.
    function withOne(KeyWord usageKey, uint256 groupId, uint256 lists) internal pure returns (KeyWord) {
        return _with(usageKey, ONE, groupId | (lists << LISTS_SHIFT));
    }

    function withPair(KeyWord usageKey, uint256 low, uint256 high) internal pure returns (KeyWord) {
        return _with(usageKey, PAIR, low | (high << PAGE_BITS));
    }

    /// @param near A bit for each page that needs no directory.
    /// @param far The number of the others.
    function withPages(KeyWord usageKey, uint256 near, uint256 far) internal pure returns (KeyWord) {
        return _with(usageKey, PAGES, near | (far << Pages.NEAR));
    }

    function _with(KeyWord usageKey, uint256 mode_, uint256 where) private pure returns (KeyWord) {
        return KeyWord.wrap(KeyWord.unwrap(usageKey) | (mode_ << MODE_SHIFT) | (where << WHERE_SHIFT));
    }

    function exists(KeyWord usageKey) internal pure returns (bool) {
        return KeyWord.unwrap(usageKey) != 0;
    }

    function index(KeyWord usageKey) internal pure returns (uint256) {
        return (KeyWord.unwrap(usageKey) >> INDEX_SHIFT) & INDEX_MASK;
    }

    function expiration(KeyWord usageKey) internal pure returns (uint256) {
        return (KeyWord.unwrap(usageKey) >> EXPIRATION_SHIFT) & type(uint40).max;
    }

    function isExpired(KeyWord usageKey) internal view returns (bool) {
        uint256 end = expiration(usageKey);
        return end != 0 && block.timestamp >= end;
    }

    /// @param end Unix seconds in 40 bits, 0 for no expiry.
    function withExpiration(KeyWord usageKey, uint256 end) internal pure returns (KeyWord) {
        uint256 others = KeyWord.unwrap(usageKey) & ~(uint256(type(uint40).max) << EXPIRATION_SHIFT);
        return KeyWord.wrap(others | (end << EXPIRATION_SHIFT));
    }

    /// @param flag CREATE_GROUPS, DELETE_GROUPS or CREATE_PKPS.
    function hasFlag(KeyWord usageKey, uint256 flag) internal pure returns (bool) {
        return KeyWord.unwrap(usageKey) & flag != 0;
    }

    function hasWildcard(KeyWord usageKey, uint256 list) internal pure returns (bool) {
        return (KeyWord.unwrap(usageKey) >> (WILDCARDS_SHIFT + list)) & 1 != 0;
    }

    function mode(KeyWord usageKey) internal pure returns (uint256) {
        return (KeyWord.unwrap(usageKey) >> MODE_SHIFT) & 3;
    }

    function _where(KeyWord usageKey) private pure returns (uint256) {
        return (KeyWord.unwrap(usageKey) >> WHERE_SHIFT) & WHERE_MASK;
    }

    /// @notice Returns the group of mode One, and a bit per list that grants it.
    function one(KeyWord usageKey) internal pure returns (uint256 groupId, uint256 lists) {
        uint256 where = _where(usageKey);
        return (where & GROUP_MASK, where >> LISTS_SHIFT);
    }

    /// @notice Returns the pages of mode Pair, twice the same for one page.
    function pair(KeyWord usageKey) internal pure returns (uint256 low, uint256 high) {
        uint256 where = _where(usageKey);
        return (where & PAGE_MASK, where >> PAGE_BITS);
    }

    /// @notice Returns a bit for each page that needs no directory, in mode Pages.
    function nearPages(KeyWord usageKey) internal pure returns (uint256) {
        return _where(usageKey) & NEAR_MASK;
    }

    /// @notice Returns the number of pages in the directory, in mode Pages.
    function farCount(KeyWord usageKey) internal pure returns (uint256) {
        return _where(usageKey) >> Pages.NEAR;
    }
}
