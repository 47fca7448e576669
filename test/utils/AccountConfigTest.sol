// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IAccountConfig } from "../../contracts/interfaces/IAccountConfig.sol";
import { IErrors } from "../../contracts/interfaces/IErrors.sol";
import { IUsageKeyWrites } from "../../contracts/interfaces/IUsageKeyWrites.sol";
import { IViewsFacet } from "../../contracts/interfaces/IViewsFacet.sol";
import { Deploy } from "../../script/Deploy.s.sol";
import { Script } from "../../script/Script.sol";
import { Deployer } from "./Deployer.sol";
import { Vm } from "./Vm.sol";

/// @notice A deployed AccountConfig with one managed and one ChainSecured account of the same contents.
///
/// Each account holds: GROUP, which permits ACTION and `wallet`; EMPTY_GROUP; LOOSE_ACTION and `looseWallet`, which no
/// group permits; the usage key `key`, which may execute in GROUP and nothing else.
abstract contract AccountConfigTest is Script {
    /// @notice The arguments of setUsageApiKey.
    struct UsageKey {
        uint256 accountApiKeyHash;
        uint256 usageApiKeyHash;
        uint256 expiration;
        uint256 balance;
        string name;
        string description;
        bool createGroups;
        bool deleteGroups;
        bool createPKPs;
        uint256[] manageIPFSIdsInGroups;
        uint256[] addPkpToGroups;
        uint256[] removePkpFromGroups;
        uint256[] executeInGroups;
    }

    Vm internal constant vm = Vm(address(scripts));

    uint256 internal constant GROUP = 1;
    uint256 internal constant EMPTY_GROUP = 2;
    uint256 internal constant NO_GROUP = 3;
    uint256 internal constant ACTION = uint256(keccak256("action"));
    uint256 internal constant LOOSE_ACTION = uint256(keccak256("loose action"));
    uint256 internal constant NO_ACTION = uint256(keccak256("no action"));
    uint256 internal constant UNKNOWN = uint256(keccak256("unknown"));
    uint256 internal constant MANAGED = uint256(keccak256("account key"));
    uint256 internal constant NOW = 1_800_000_000;
    uint256 internal constant DEADLINE = NOW + 60;
    string internal constant NAME = "name";
    string internal constant DESCRIPTION = "description";

    address internal immutable owner = actor("owner");
    address internal immutable payer = actor("payer");
    address internal immutable otherPayer = actor("other payer");
    address internal immutable admin = actor("admin");
    address internal immutable newAdmin = actor("new admin");
    address internal immutable accountKeyAddress = actor("account key address");
    address internal immutable stranger = actor("stranger");
    address internal immutable wallet = actor("wallet");
    address internal immutable looseWallet = actor("loose wallet");
    address internal immutable noWallet = actor("no wallet");
    /// The master hash of the ChainSecured account.
    uint256 internal immutable SECURED = identity(admin);

    IAccountConfig internal accountConfig;
    /// The private keys of actors.
    mapping(address wallet => uint256) internal privateKeys;

    /// The account under test, see enterManaged and enterSecured.
    uint256 internal account;
    /// The address that may write it.
    address internal writer;
    /// The wallet that its paths are minted for.
    address internal mintedFor;
    /// Its usage key.
    uint256 internal key;

    function setUp() public virtual {
        vm.warp(NOW);
        accountConfig = deploy(owner, list(payer, otherPayer), payer);
        by(owner).acceptOwnership();
        by(payer).newAccount(MANAGED, true, NAME, DESCRIPTION, accountKeyAddress);
        by(admin).newChainSecuredAccount(NAME, DESCRIPTION);
        enterSecured();
        _fillAccount();
        enterManaged();
        _fillAccount();
    }

    function deployer() internal returns (Deployer) {
        return Deployer(create("Deployer", ""));
    }

    function deploy(address newOwner, address[] memory apiPayers, address adminApiPayer)
        internal
        returns (IAccountConfig)
    {
        return deployer()
            .deploy(Deploy.Settings({ owner: newOwner, apiPayers: apiPayers, adminApiPayer: adminApiPayer }));
    }

    function _fillAccount() private {
        by(writer).addAction(account, NAME, DESCRIPTION, ACTION);
        by(writer).addAction(account, NAME, DESCRIPTION, LOOSE_ACTION);
        by(writer).registerWalletDerivation(account, wallet, pathOf(1), NAME, DESCRIPTION);
        by(writer).registerWalletDerivation(account, looseWallet, pathOf(2), NAME, DESCRIPTION);
        by(writer).addGroup(account, NAME, DESCRIPTION, list(ACTION), list(wallet));
        by(writer).addGroup(account, NAME, DESCRIPTION, list(), wallets());
        UsageKey memory k = newKey(key);
        k.executeInGroups = list(GROUP);
        setKey(k);
    }

    // -------------------------------------------------------------------------------------------------- modes

    function enterManaged() internal {
        (account, writer, mintedFor) = (MANAGED, payer, address(0));
        key = uint256(keccak256("usage key of the managed account"));
    }

    function enterSecured() internal {
        (account, writer, mintedFor) = (SECURED, admin, admin);
        key = uint256(keccak256("usage key of the ChainSecured account"));
    }

    /// @notice Runs a test on the managed and on the ChainSecured account.
    modifier inBothModes() {
        uint256 snapshot = vm.snapshotState();
        _;
        vm.revertToState(snapshot);
        enterSecured();
        _;
    }

    /// @notice Hands the managed account to `newAdmin`.
    function convert() internal {
        by(payer).convertToChainSecuredAccount(MANAGED, newAdmin);
        (writer, mintedFor) = (newAdmin, newAdmin);
    }

    // ----------------------------------------------------------------------------------------------- signatures

    function domainSeparator(uint256 chainId, address diamond) internal pure returns (bytes32) {
        return keccak256(
            abi.encode(
                keccak256(
                    "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"
                ),
                keccak256("Service ChainSecured"),
                keccak256("1"),
                chainId,
                diamond
            )
        );
    }

    function typedDigest(bytes32 structHash) internal view returns (bytes32) {
        bytes32 domain = domainSeparator(block.chainid, address(accountConfig));
        return keccak256(abi.encodePacked(hex"1901", domain, structHash));
    }

    function signature(uint256 privateKey, bytes32 digest) internal pure returns (bytes memory) {
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(privateKey, digest);
        return abi.encodePacked(r, s, v);
    }

    function signature(string memory signer, bytes32 digest) internal pure returns (bytes memory) {
        return signature(keyOf(signer), digest);
    }

    /// @notice The consent of the key of a managed account.
    function consentOf(uint256 hash, bytes memory content) internal view returns (bytes memory) {
        address holder = accountConfig.getAccountWalletAddress(hash);
        return signature(privateKeys[holder], typedDigest(keccak256(content)));
    }

    function rotation(uint256 hash, uint256 newHash, address newKey_) internal pure returns (bytes memory) {
        bytes32 typeHash = keccak256(
            "RotateAccountKey(uint256 apiKeyHash,uint256 newApiKeyHash,address newAdminWalletAddress,uint256 deadline)"
        );
        return abi.encode(typeHash, hash, newHash, newKey_, DEADLINE);
    }

    function retirement(uint256 hash) internal pure returns (bytes memory) {
        return
            abi.encode(keccak256("RetireManagedAccount(uint256 apiKeyHash,uint256 deadline)"), hash, DEADLINE);
    }

    function conversion(uint256 hash, address to) internal pure returns (bytes memory) {
        bytes32 typeHash = keccak256(
            "ConvertToChainSecuredAccount(uint256 apiKeyHash,address newAdminWalletAddress,uint256 deadline)"
        );
        return abi.encode(typeHash, hash, to, DEADLINE);
    }

    /// @notice The address of the account key with this hash.
    function addressOfKey(uint256 hash) internal returns (address) {
        return actor(string.concat("address of account key ", vm.toString(hash)));
    }

    /// @notice Replaces the key of a managed account with the consent of the old one.
    function rotate(uint256 hash, uint256 newHash) internal {
        address newKey_ = addressOfKey(newHash);
        bytes memory consent = consentOf(hash, rotation(hash, newHash, newKey_));
        by(payer).rotateAccountKey(hash, newHash, newKey_, DEADLINE, consent);
    }

    /// @notice Retires a managed account with the consent of its key.
    function retireManaged(uint256 hash) internal {
        bytes memory consent = consentOf(hash, retirement(hash));
        by(payer).retireManagedAccount(hash, DEADLINE, consent);
    }

    /// @notice Retires an account of any mode.
    function retire(uint256 hash) internal {
        (,, bool managed,,) = accountConfig.resolve(hash);
        if (managed) retireManaged(hash);
        else by(accountConfig.getAccountWalletAddress(hash)).retireAccount(hash);
    }

    // ------------------------------------------------------------------------------------------------- values

    function keyOf(string memory name) internal pure returns (uint256 privateKey) {
        return uint256(keccak256(bytes(name)));
    }

    function actor(string memory name) internal returns (address wallet_) {
        wallet_ = vm.addr(keyOf(name));
        privateKeys[wallet_] = keyOf(name);
        vm.label(wallet_, name);
    }

    function identity(address wallet_) internal pure returns (uint256) {
        return uint256(keccak256(abi.encodePacked(wallet_)));
    }

    /// @notice A path minted for the account under test.
    function pathOf(uint256 random) internal view returns (uint256) {
        return (uint256(uint160(mintedFor)) << 96) | random;
    }

    function text(uint256 length) internal pure returns (string memory) {
        return string(new bytes(length));
    }

    function list() internal pure returns (uint256[] memory) {
        return new uint256[](0);
    }

    function list(uint256 a) internal pure returns (uint256[] memory values) {
        values = new uint256[](1);
        values[0] = a;
    }

    function list(uint256 a, uint256 b) internal pure returns (uint256[] memory values) {
        values = new uint256[](2);
        (values[0], values[1]) = (a, b);
    }

    function list(uint256 a, uint256 b, uint256 c) internal pure returns (uint256[] memory values) {
        values = new uint256[](3);
        (values[0], values[1], values[2]) = (a, b, c);
    }

    /// @return values `first`, `first + 1`, …
    function range(uint256 first, uint256 count) internal pure returns (uint256[] memory values) {
        values = new uint256[](count);
        for (uint256 i; i < count; ++i) {
            values[i] = first + i;
        }
    }

    function wallets() internal pure returns (address[] memory) {
        return new address[](0);
    }

    function list(address a) internal pure returns (address[] memory values) {
        values = new address[](1);
        values[0] = a;
    }

    function list(address a, address b, address c) internal pure returns (address[] memory values) {
        values = new address[](3);
        (values[0], values[1], values[2]) = (a, b, c);
    }

    function list(address a, address b) internal pure returns (address[] memory values) {
        values = new address[](2);
        (values[0], values[1]) = (a, b);
    }

    // -------------------------------------------------------------------------------------------------- calls

    /// @notice Makes the next call a call by `caller`, and records the logs from here on.
    function by(address caller) internal returns (IAccountConfig) {
        vm.recordLogs();
        vm.prank(caller);
        return accountConfig;
    }

    /// @notice A key of the account under test, without any permission.
    function newKey(uint256 usageHash) internal view returns (UsageKey memory k) {
        k.accountApiKeyHash = account;
        k.usageApiKeyHash = usageHash;
        k.name = NAME;
        k.description = DESCRIPTION;
    }

    /// @notice A key with every permission, by wildcards.
    function almightyKey(uint256 usageHash) internal view returns (UsageKey memory k) {
        k = newKey(usageHash);
        (k.createGroups, k.deleteGroups, k.createPKPs) = (true, true, true);
        k.manageIPFSIdsInGroups = list(0);
        k.addPkpToGroups = list(0);
        k.removePkpFromGroups = list(0);
        k.executeInGroups = list(0);
    }

    function setKey(UsageKey memory k) internal {
        setKeyAs(writer, k);
    }

    /// @notice Calls setUsageApiKey, whose 13 arguments are too many for the stack.
    function setKeyAs(address caller, UsageKey memory k) internal {
        by(caller);
        (bool ok, bytes memory result) = address(accountConfig).call(encodeSetKey(k));
        // memory-safe: reads the bytes that the call returned.
        assembly ("memory-safe") {
            if iszero(ok) { revert(add(result, 32), mload(result)) }
        }
    }

    function encodeSetKey(UsageKey memory k) internal pure returns (bytes memory data) {
        data = abi.encode(k);
        bytes4 selector = IUsageKeyWrites.setUsageApiKey.selector;
        // The encoding of a struct is its offset, then its fields encoded as arguments. The last 4 bytes of the offset
        // make room for the selector. memory-safe: stays inside `data`.
        assembly ("memory-safe") {
            let length := mload(data)
            mstore(add(data, 32), shr(224, selector))
            data := add(data, 28)
            mstore(data, sub(length, 28))
        }
    }

    /// @notice Adds empty groups to the account until its last id is `lastId`.
    function addGroupsUpTo(uint256 lastId) internal {
        (, uint256 count,,) = accountConfig.listSizes(account);
        for (; count < lastId; ++count) {
            by(writer).addGroup(account, "", "", list(), wallets());
        }
    }

    // ------------------------------------------------------------------------------------------- expectations

    /// @notice Expects the next call to emit the event that the test emits next.
    function expectEvent() internal {
        vm.expectEmit(address(accountConfig));
    }

    /// @notice The last call by `by` emitted exactly `count` events.
    function assertEvents(uint256 count) internal {
        vm.assertEq(vm.getRecordedLogs().length, count, "number of events");
    }

    function expectInvalidRequest(string memory reason) internal {
        vm.expectRevert(abi.encodeWithSelector(IErrors.InvalidRequest.selector, reason));
    }

    function expectNoAccess(uint256 hash, address caller) internal {
        vm.expectRevert(abi.encodeWithSelector(IErrors.NoAccountAccess.selector, hash, caller));
    }

    function expectRevert(bytes4 selector) internal {
        vm.expectRevert(abi.encodeWithSelector(selector));
    }

    function expectRevert(bytes4 selector, uint256 a) internal {
        vm.expectRevert(abi.encodeWithSelector(selector, a));
    }

    function expectRevert(bytes4 selector, uint256 a, uint256 b) internal {
        vm.expectRevert(abi.encodeWithSelector(selector, a, b));
    }

    function expectRevert(bytes4 selector, uint256 a, uint256 b, uint256 c) internal {
        vm.expectRevert(abi.encodeWithSelector(selector, a, b, c));
    }

    function expectRevert(bytes4 selector, uint256 a, uint256 b, address c) internal {
        vm.expectRevert(abi.encodeWithSelector(selector, a, b, c));
    }

    function expectRevert(bytes4 selector, uint256 a, address b) internal {
        vm.expectRevert(abi.encodeWithSelector(selector, a, b));
    }

    function expectRevert(bytes4 selector, address caller) internal {
        vm.expectRevert(abi.encodeWithSelector(selector, caller));
    }

    // -------------------------------------------------------------------------------------------------- views

    function usageKey(uint256 usageHash) internal view returns (IViewsFacet.UsageApiKey memory found) {
        (uint256 count,,,) = accountConfig.listSizes(account);
        for (uint256 page; page <= count / 20; ++page) {
            IViewsFacet.UsageApiKey[] memory keys = accountConfig.listApiKeys(account, page, 20);
            for (uint256 i; i < keys.length; ++i) {
                if (keys[i].usageApiKeyHash == usageHash) return keys[i];
            }
        }
    }

    /// @notice The key has exactly these permissions. The expected lists must be ascending.
    function assertKey(UsageKey memory expected) internal view {
        IViewsFacet.UsageApiKey memory found = usageKey(expected.usageApiKeyHash);
        vm.assertEq(found.usageApiKeyHash, expected.usageApiKeyHash, "usage key hash");
        vm.assertEq(found.expiration, expected.expiration, "expiration");
        IUsageKeyWrites.UsageApiKeyPermissions memory p = found.permissions;
        vm.assertEq(p.createGroups, expected.createGroups, "createGroups");
        vm.assertEq(p.deleteGroups, expected.deleteGroups, "deleteGroups");
        vm.assertEq(p.createPKPs, expected.createPKPs, "createPKPs");
        vm.assertEq(p.manageIPFSIdsInGroups, expected.manageIPFSIdsInGroups, "manageIPFSIdsInGroups");
        vm.assertEq(p.addPkpToGroups, expected.addPkpToGroups, "addPkpToGroups");
        vm.assertEq(p.removePkpFromGroups, expected.removePkpFromGroups, "removePkpFromGroups");
        vm.assertEq(p.executeInGroups, expected.executeInGroups, "executeInGroups");
    }

    function assertGroup(uint256 groupId, uint256[] memory cidHashes, address[] memory pkpIds) internal view {
        (uint256[] memory actions, address[] memory pkps) = accountConfig.listGroupContents(account, groupId);
        vm.assertEq(actions, cidHashes);
        vm.assertEq(pkps, pkpIds);
    }

    function assertCan(uint256 usageHash, uint256 cidHash, address pkpId, bool execute, bool useWallet)
        internal
        view
    {
        (bool canExecute, bool canUse) = accountConfig.canExecuteActionAndUseWallet(usageHash, cidHash, pkpId);
        vm.assertEq(canExecute, execute, "can execute");
        vm.assertEq(canUse, useWallet, "can use the wallet");
    }
}
