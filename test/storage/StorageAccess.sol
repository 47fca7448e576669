// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { AccountConfigTest } from "../utils/AccountConfigTest.sol";

/// @notice The storage layout of the diamond, stated a second time: every field of the structs by its slot, every field of
/// the packed words by its lowest bit and its width (`bit | width << 8`), and every mapping key.
abstract contract StorageAccess is AccountConfigTest {
    /// The structs' namespaces.
    uint256 internal immutable CONFIG = _namespace("latchkey.storage.AccountConfig");
    uint256 internal immutable DIAMOND = _namespace("latchkey.storage.Diamond");

    // The fields of the struct at CONFIG.
    uint256 internal constant ENTRIES = 0;
    uint256 internal constant MASTERS = 1;
    uint256 internal constant REMOVED_GROUPS = 2;
    uint256 internal constant USAGE_KEYS = 3;
    uint256 internal constant GRANTS = 4;
    uint256 internal constant GROUPS = 5;
    uint256 internal constant GROUP_ITEMS = 6;
    uint256 internal constant ITEMS = 7;
    uint256 internal constant ITEM_KEYS = 8;
    uint256 internal constant ITEM_GROUPS = 9;
    uint256 internal constant MINTED_FOR = 10;
    uint256 internal constant MINTERS = 11;
    uint256 internal constant STALE_GROUPS = 12;
    uint256 internal constant PATH_OWNERS = 13;
    uint256 internal constant COUNTS = 14;
    uint256 internal constant API_PAYERS = 15; // values, then positions
    uint256 internal constant ADMIN_API_PAYER = 17;
    uint256 internal constant PRICING_OPERATOR = 18;
    uint256 internal constant CONFIG_OPERATOR = 19;
    uint256 internal constant PRICING = 20;
    uint256 internal constant NODE_CONFIGURATION_KEYS = 21; // values, then positions
    uint256 internal constant NODE_CONFIGURATION = 23;
    uint256 internal constant NONCES = 24;
    uint256 internal constant ACTIVE_PAYERS = 25;
    uint256 internal constant BRAKE = 26;
    uint256 internal constant BRAKE_OF_DAY = 27;
    uint256 internal constant CONVERSIONS = 28;
    uint256 internal constant CONSENT_REQUIRED = 29;
    uint256 internal constant ACCOUNT_NONCES = 30;
    uint256 internal constant GIVERS = 31;

    uint256 internal constant BRAKE_GUARDIAN = 0 | 160 << 8;
    uint256 internal constant BRAKE_FROZEN = 160 | 1 << 8;
    uint256 internal constant BRAKE_LIMITED = 168 | 1 << 8;
    uint256 internal constant BRAKE_PER_DAY = 176 | 64 << 8;

    uint256 internal constant COUNT_ACCOUNTS = 0 | 128 << 8;
    uint256 internal constant COUNT_PKPS = 128 | 128 << 8;

    uint256 internal constant MAX_GROUPS = (1 << 22) - 1;

    // The fields of the struct at DIAMOND.
    uint256 internal constant ROUTES = 0;
    uint256 internal constant SELECTORS = 1;
    uint256 internal constant OWNER = 2;
    uint256 internal constant PENDING_OWNER = 3;

    uint256 internal constant ROUTE_FACET = 0 | 160 << 8;
    uint256 internal constant ROUTE_POSITION = 160 | 96 << 8;

    // Words of `entries`.
    uint256 internal constant KIND = 0 | 2 << 8;
    uint256 internal constant REF = 128 | 128 << 8; // of an alias or a usage key

    uint256 internal constant IS_ACCOUNT = 1;
    uint256 internal constant IS_ALIAS = 2;
    uint256 internal constant IS_USAGE_KEY = 3;

    uint256 internal constant ACCOUNT_MANAGED = 2 | 1 << 8;
    uint256 internal constant ACCOUNT_NAMESPACE = 3 | 1 << 8;
    uint256 internal constant ACCOUNT_ADMIN = 4 | 160 << 8;
    uint256 internal constant ACCOUNT_KEYS = 164 | 22 << 8;
    uint256 internal constant ACCOUNT_FIRST_KEY = 186 | 22 << 8;
    uint256 internal constant ACCOUNT_ACTIONS = 208 | 22 << 8;
    uint256 internal constant ACCOUNT_WALLETS = 230 | 22 << 8;
    uint256 internal constant ACCOUNT_CLAIMED = 252 | 1 << 8;
    uint256 internal constant ACCOUNT_PENDING = 253 | 1 << 8;
    uint256 internal constant ACCOUNT_ROTATED = 254 | 1 << 8;

    uint256 internal constant ALIAS_PENDING = 2 | 1 << 8;
    uint256 internal constant ALIAS_VOID = 3 | 1 << 8;
    uint256 internal constant ALIAS_ACCOUNT_KEY = 4 | 1 << 8;
    uint256 internal constant ALIAS_REMOVED_KEY = 5 | 1 << 8;

    uint256 internal constant KEY_CREATES_GROUPS = 2 | 1 << 8;
    uint256 internal constant KEY_DELETES_GROUPS = 3 | 1 << 8;
    uint256 internal constant KEY_CREATES_PKPS = 4 | 1 << 8;
    uint256 internal constant KEY_WILDCARDS = 5 | 4 << 8; // a bit per list
    uint256 internal constant KEY_MODE = 9 | 2 << 8;
    uint256 internal constant KEY_WHERE = 11 | 52 << 8;
    uint256 internal constant KEY_INDEX = 63 | 22 << 8;
    uint256 internal constant KEY_EXPIRATION = 85 | 40 << 8;

    uint256 internal constant MODE_ONE = 1;
    uint256 internal constant MODE_PAIR = 2;
    uint256 internal constant MODE_PAGES = 3;

    // `where` in mode One.
    uint256 internal constant KEY_GROUP = 11 | 24 << 8;
    uint256 internal constant KEY_LISTS = 35 | 4 << 8;

    // `where` in mode Pair.
    uint256 internal constant KEY_LOW_PAGE = 11 | 16 << 8;
    uint256 internal constant KEY_HIGH_PAGE = 27 | 16 << 8;

    // `where` in mode Pages: a bit per page, and the number of pages in the directory.
    uint256 internal constant KEY_NEAR_PAGES = 11 | 44 << 8;
    uint256 internal constant KEY_FAR_PAGES = 55 | 8 << 8;

    // The lists of a usage key, in this order in its wildcards and in a word of `grants`.
    uint256 internal constant GRANTS_MANAGE = 0 | 64 << 8;
    uint256 internal constant GRANTS_ADD = 64 | 64 << 8;
    uint256 internal constant GRANTS_REMOVE = 128 | 64 << 8;
    uint256 internal constant GRANTS_EXECUTE = 192 | 64 << 8;
    uint256 internal constant GRANTS_DIRECTORY = 1 << 31;

    // A set of numbers, relative to its position in the word.
    uint256 internal constant SET_WINDOW = 0 | 32 << 8;
    uint256 internal constant SET_BLOCK = 32 | 17 << 8; // in steps of 32
    uint256 internal constant SET_SECOND = 49 | 32 << 8;
    uint256 internal constant SET_SECOND_BLOCK = 81 | 17 << 8;
    uint256 internal constant SET_OUTSIDE = 98 | 4 << 8; // a bit for every fourth word of 256

    // Words of `masters`: the set of removed groups, then
    uint256 internal constant MASTER_GROUPS = 102 | 22 << 8;
    uint256 internal constant MASTER_EXISTS = 126 | 1 << 8;
    uint256 internal constant MASTER_REST = 127 | 129 << 8;

    // Words of `items`: the set of groups that permit the item, then
    uint256 internal constant ITEM_MINTED_ELSEWHERE = 103 | 1 << 8;
    uint256 internal constant ITEM_INDEX = 104 | 22 << 8;
    uint256 internal constant ACTION_REST = 127 | 129 << 8;
    uint256 internal constant WALLET_REST = 127 | 33 << 8;
    uint256 internal constant WALLET_PATH = 160 | 96 << 8;

    // Words of `groups`: the set of actions and its first word outside, the same of wallets, then
    uint256 internal constant GROUP_FIRST = 102 | 16 << 8;
    uint256 internal constant GROUP_EVERY = 118 | 1 << 8; // outside the windows
    uint256 internal constant GROUP_VERSION = 240 | 15 << 8;
    uint256 internal constant GROUP_ALIVE = 255 | 1 << 8;
    /// The lowest bit of the set of wallets.
    uint256 internal constant WALLETS = 120;

    // Words of `groupItems`.
    uint256 internal constant OUTSIDE_MEMBERS = 0 | 128 << 8;
    uint256 internal constant OUTSIDE_NEXT = 128 | 16 << 8;
    uint256 internal constant OUTSIDE_LINKED = 255 | 1 << 8;

    // Words of `minters`.
    uint256 internal constant MINTER = 0 | 160 << 8;
    uint256 internal constant MINTER_LAST = 160 | 32 << 8;
    uint256 internal constant MINTER_COUNT = 192 | 32 << 8; // in the first word

    // Words of `staleGroups`.
    uint256 internal constant FIRST_STALE = 0 | 24 << 8;
    uint256 internal constant SECOND_STALE = 24 | 24 << 8;

    // Words of `pathOwners`.
    uint256 internal constant PATH_REF = 0 | 128 << 8;
    uint256 internal constant PATH_OWNED = 128 | 1 << 8;
    uint256 internal constant PATH_WALLET = 129 | 127 << 8;

    // Halves of a word of `itemKeys`: an odd index below, the next one above.
    uint256 internal constant ODD_ITEM_KEY = 0 | 127 << 8;
    uint256 internal constant ODD_ITEM_SET = 127 | 1 << 8;
    uint256 internal constant EVEN_ITEM_KEY = 128 | 127 << 8;
    uint256 internal constant EVEN_ITEM_SET = 255 | 1 << 8;

    uint256 internal constant OF_ACTION = 0;
    uint256 internal constant OF_WALLET = 1;

    function _namespace(string memory id) private pure returns (uint256) {
        bytes32 slot = keccak256(abi.encode(uint256(keccak256(bytes(id))) - 1));
        return uint256(slot & ~bytes32(uint256(0xff)));
    }

    // -------------------------------------------------------------------------------------------------- words

    function _mask(uint256 field) private pure returns (uint256) {
        return type(uint256).max >> (256 - (field >> 8));
    }

    /// @notice Returns a value at the position of a field.
    function put(uint256 field, uint256 value) internal pure returns (uint256) {
        require(value <= _mask(field), "the value does not fit");
        return value << (field & 255);
    }

    function load(uint256 slot) internal view returns (uint256) {
        return uint256(vm.load(address(accountConfig), bytes32(slot)));
    }

    function store(uint256 slot, uint256 word) internal {
        vm.store(address(accountConfig), bytes32(slot), bytes32(word));
    }

    /// @notice Sets one field of a word.
    function store(uint256 slot, uint256 field, uint256 value) internal {
        store(slot, load(slot) & ~(_mask(field) << (field & 255)) | put(field, value));
    }

    /// @notice Returns the slot of an entry of a mapping of the struct at CONFIG.
    function slotAt(uint256 field, uint256 mappingKey) internal view returns (uint256) {
        return uint256(keccak256(abi.encode(mappingKey, CONFIG + field)));
    }

    /// @notice Adds a group under an id that is far above the others.
    function addGroupAs(uint256 id, uint256[] memory cidHashes, address[] memory pkpIds) internal {
        store(slotAt(MASTERS, refOf(account)), MASTER_GROUPS, id - 1);
        vm.assertEq(by(writer).addGroup(account, NAME, DESCRIPTION, cidHashes, pkpIds), id);
    }

    // --------------------------------------------------------------------------------------------------- keys

    function lower127(uint256 value) internal pure returns (uint256) {
        return value & ((1 << 127) - 1);
    }

    function refOf(uint256 masterHash) internal view returns (uint256) {
        return lower127(masterHash) << 1 | (masterHash == SECURED ? 1 : 0);
    }

    /// @notice Returns a mapping key below the account under test.
    function below(uint256 lower) internal view returns (uint256) {
        return refOf(account) << 128 | lower;
    }

    function grantsKey(uint256 index, uint256 position) internal pure returns (uint256) {
        return index << 64 | position;
    }

    function itemKey(uint256 kind, uint256 id) internal pure returns (uint256) {
        return kind << 127 | lower127(id);
    }

    /// @param pair The half of an item's index.
    function itemKeysKey(uint256 kind, uint256 pair) internal pure returns (uint256) {
        return kind << 127 | pair;
    }

    /// @param word The 128 items from index 128 · word on.
    function groupItemsKey(uint256 kind, uint256 version, uint256 groupId, uint256 word)
        internal
        pure
        returns (uint256)
    {
        return kind << 127 | version << 62 | groupId << 32 | word;
    }

    /// @param word The 256 groups from id 256 · word on.
    function itemGroupsKey(uint256 kind, uint256 index, uint256 word) internal pure returns (uint256) {
        return kind << 127 | index << 32 | word;
    }
}
