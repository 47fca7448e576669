// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IAccountWrites } from "../../contracts/interfaces/IAccountWrites.sol";
import { IConfigFacet } from "../../contracts/interfaces/IConfigFacet.sol";
import { IDiamond } from "../../contracts/interfaces/IDiamond.sol";
import { IErrors } from "../../contracts/interfaces/IErrors.sol";
import { ISignedWrites } from "../../contracts/interfaces/ISignedWrites.sol";
import { IUsageKeyWrites } from "../../contracts/interfaces/IUsageKeyWrites.sol";
import { IViewsFacet } from "../../contracts/interfaces/IViewsFacet.sol";
import { SignatureChecker } from "@openzeppelin/contracts/utils/cryptography/SignatureChecker.sol";

/// @notice AccountConfig as its interface describes it, in mappings and arrays: nothing is packed or masked, and every
/// removal clears its entries at any cost. It gets the calldata of the diamond from the same callers and must return the same
/// bytes, including reverts. Without events, digests of signed writes and the loupe.
abstract contract Model {
    enum Kind {
        Nothing,
        Account,
        Alias,
        UsageKey
    }

    /// @notice The kind of thing that a hash names. An alias of an evicted account stays an alias.
    struct Name {
        Kind kind;
        uint256 account;
        /// The identity of a wallet that an account waited for. Names nothing.
        bool pending;
        /// Names nothing. A usage key was removed, and its account may set it again.
        bool dead;
        /// The hash of an account key.
        bool accountKey;
    }

    struct Group {
        bool live;
        mapping(uint256 cidHash => bool) actions;
        mapping(address pkpId => bool) pkps;
    }

    struct Account {
        uint256 masterHash;
        address admin;
        bool managed;
        /// True when the master hash is the identity of a wallet that owns the account.
        bool claimed;
        /// Evicted or retired.
        bool ended;
        /// The admin wallet got it by a transfer and has not accepted it.
        bool pending;
        /// The wallet that transferred it last.
        address giver;
        /// The account opened under the identity of its wallet, not under the hash of an account key.
        bool byWallet;
        uint256 number;
        /// The hash of the current account key, or the master hash.
        uint256 keyHash;
        uint256 groupCount;
        /// Lists in order of creation, zero where an entry was removed.
        uint256[] keys;
        uint256[] actions;
        address[] pkps;
        mapping(uint256 id => Group) groups;
        mapping(uint256 cidHash => bool) hasAction;
        /// Zero for a wallet that the account does not have.
        mapping(address pkpId => uint256) pathOf;
    }

    struct Key {
        uint256 expiration;
        bool createGroups;
        bool deleteGroups;
        bool createPKPs;
        /// The lists as given: manage actions, add wallets, remove wallets, execute.
        uint256[][4] lists;
    }

    /// @notice The arguments of setUsageApiKey, which are too many for the stack.
    struct KeyArguments {
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

    uint256 internal constant MANAGE_ACTIONS = 0;
    uint256 internal constant ADD_PKP = 1;
    uint256 internal constant REMOVE_PKP = 2;
    uint256 internal constant EXECUTE = 3;

    /// Accounts ever opened, which are numbered from 1.
    uint256 public accountCount;
    uint256 public pkpCount;
    mapping(uint256 number => Account) internal accounts;
    mapping(uint256 hash => Name) internal names;
    mapping(uint256 usageHash => Key) internal keys;
    mapping(uint256 path => uint256 account) internal pathOwners;
    mapping(uint256 path => address wallet) internal pathWallets;

    address public owner;
    address public pendingOwner;
    address public adminApiPayerAccount;
    address public pricingOperator;
    address public configOperator;
    address[] internal payers;
    address public guardian;
    bool public payersFrozen;
    /// Conversions per day.
    uint256 public conversionLimit = type(uint256).max;
    mapping(address caller => mapping(uint256 day => uint256)) private conversions;
    bool public consentRequired;
    /// Used nonces, by account, or by the identity of a wallet that opens its account under it.
    mapping(bytes32 holder => mapping(uint256 nonce => bool)) private nonces;
    /// The contract that digests name.
    address internal diamond;
    mapping(uint256 item => uint256) public getPricing;
    string[] internal configurationKeys;
    mapping(string key => string) public nodeConfigurationValue;

    fallback() external {
        if (msg.sig != IUsageKeyWrites.setUsageApiKey.selector) revert IDiamond.FunctionNotFound(msg.sig);
        // The encoding of a struct is an offset, then its fields.
        _setUsageApiKey(abi.decode(bytes.concat(bytes32(uint256(32)), msg.data[4:]), (KeyArguments)));
    }

    // ------------------------------------------------------------------------------------------------ look-ups

    /// @notice Returns what `hash` names, Nothing for the alias of an evicted account.
    function named(uint256 hash) public view returns (Kind kind, uint256 account) {
        Name storage name = names[hash];
        if (name.kind == Kind.Nothing || name.dead || name.pending || accounts[name.account].ended) {
            return (Kind.Nothing, 0);
        }
        return (name.kind, name.account);
    }

    /// @notice True when the list of the key has the group, by its id or by the wildcard.
    function isGranted(uint256 usageHash, uint256 list, uint256 groupId) public view returns (bool) {
        uint256[] storage ids = keys[usageHash].lists[list];
        for (uint256 i; i < ids.length; ++i) {
            if (ids[i] == 0 || ids[i] == groupId) return true;
        }
        return false;
    }

    function isPayer(address caller) public view returns (bool) {
        return !payersFrozen && _isListed(caller);
    }

    function _refuseFrozen() private view {
        if (payersFrozen && _isListed(msg.sender)) revert IErrors.ApiPayersAreFrozen(msg.sender);
    }

    function _isListed(address caller) private view returns (bool) {
        for (uint256 i; i < payers.length; ++i) {
            if (payers[i] == caller) return true;
        }
        return false;
    }

    // -------------------------------------------------------------------------------------------------- guards

    function _labels(string memory name, string memory description) private pure {
        _require(bytes(name).length <= 128, "name over 128 bytes");
        _require(bytes(description).length <= 1024, "description over 1024 bytes");
    }

    function _groupEntries(uint256 count) private pure {
        require(count <= 10, IErrors.TooManyGroupEntries(count, 10));
    }

    function _require(bool condition, string memory reason) private pure {
        if (!condition) revert IErrors.InvalidRequest(reason);
    }

    function _resolve(uint256 hash) private view returns (Kind kind, Account storage a) {
        uint256 number;
        (kind, number) = _namedForWrite(hash);
        if (kind == Kind.Nothing && _isWaiting(hash)) revert IErrors.AccountNotAccepted(hash);
        if (kind == Kind.Nothing) revert IErrors.AccountDoesNotExist(hash);
        a = accounts[number];
    }

    /// @notice True for the identity of a wallet that the account waits for.
    function _isWaiting(uint256 hash) private view returns (bool) {
        Account storage a = accounts[names[hash].account];
        return names[hash].pending && a.pending && !a.ended && hash == _identityOf(a.admin);
    }

    /// @notice The master hash names a ChainSecured account here also when its account key was rotated while it was managed.
    function _namedForWrite(uint256 hash) private view returns (Kind kind, uint256 number) {
        (kind, number) = named(hash);
        if (kind != Kind.Nothing || names[hash].kind != Kind.Account) return (kind, number);
        Account storage a = accounts[names[hash].account];
        if (!a.ended && !a.managed) return (Kind.Account, a.number);
    }

    function _mayWrite(Account storage a, address caller) private view returns (bool) {
        return a.managed ? isPayer(caller) : a.admin == caller;
    }

    function _requireCaller(Account storage a, uint256 hash) private view {
        if (_mayWrite(a, msg.sender)) return;
        if (a.managed) _refuseFrozen();
        revert IErrors.NoAccountAccess(hash, msg.sender);
    }

    /// @notice A write that names a transferred account accepts it.
    function _enter(Account storage a, uint256 hash) private {
        _requireCaller(a, hash);
        if (!a.pending || a.managed) return;
        _requireNamed(a, hash);
        _accept(a);
    }

    function _requireNamed(Account storage a, uint256 hash) private view {
        bool isUsageKey = names[hash].kind == Kind.UsageKey;
        require(hash != _identityOf(a.admin) && !isUsageKey, IErrors.AccountNotAccepted(hash));
    }

    /// @notice The identity of the wallet names the account from now on, unless the wallet has chosen another.
    function _accept(Account storage a) private {
        a.pending = false;
        uint256 identity = _identityOf(a.admin);
        if (identity == a.masterHash) {
            (a.claimed, names[identity].dead) = (true, false);
        } else if (!_isTaken(identity)) {
            _claim(a.admin);
            names[identity] = _alias(a.number);
        }
    }

    function _identityOf(address wallet) private pure returns (uint256) {
        return uint256(keccak256(abi.encodePacked(wallet)));
    }

    function _alias(uint256 account) private pure returns (Name memory name) {
        (name.kind, name.account) = (Kind.Alias, account);
    }

    function _byMaster(uint256 hash) private returns (Account storage a) {
        Kind kind;
        (kind, a) = _resolve(hash);
        if (kind == Kind.UsageKey) revert IErrors.NotMasterAccount(hash);
        _enter(a, hash);
    }

    function _isExpired(uint256 usageHash) private view returns (bool) {
        uint256 expiration = keys[usageHash].expiration;
        return expiration != 0 && expiration <= block.timestamp;
    }

    function _requireLive(uint256 usageHash) private view {
        if (_isExpired(usageHash)) revert IErrors.UsageApiKeyExpired(usageHash);
    }

    function _inGroup(uint256 hash, uint256 list, uint256 groupId)
        private
        returns (Account storage a, Group storage group)
    {
        Kind kind;
        (kind, a) = _resolve(hash);
        if (kind == Kind.UsageKey) {
            _requireLive(hash);
            _requireGrant(hash, list, groupId);
        }
        _enter(a, hash);
        group = _group(a, hash, groupId);
    }

    function _requireGrant(uint256 hash, uint256 list, uint256 groupId) private view {
        if (isGranted(hash, list, groupId)) return;
        if (list == ADD_PKP) revert IErrors.NotAllowedToAddPkpToGroup(hash, groupId);
        if (list == REMOVE_PKP) revert IErrors.NotAllowedToRemovePkpFromGroup(hash, groupId);
        revert IErrors.NotAllowedToManageIPFSIdsInGroup(hash, groupId);
    }

    function _group(Account storage a, uint256 hash, uint256 groupId)
        private
        view
        returns (Group storage group)
    {
        group = a.groups[groupId];
        if (!group.live) revert IErrors.GroupDoesNotExist(hash, groupId);
    }

    // ------------------------------------------------------------------------------------------------ accounts

    function newChainSecuredAccount(string calldata name, string calldata description) external {
        _labels(name, description);
        uint256 identity = _claim(msg.sender);
        _open(identity, msg.sender, false);
    }

    function newAccount(
        uint256 apiKeyHash,
        bool managed,
        string calldata name,
        string calldata description,
        address adminWalletAddress
    ) external {
        if (!isPayer(msg.sender)) {
            _refuseFrozen();
            revert IErrors.OnlyApiPayer(msg.sender);
        }
        _labels(name, description);
        require(managed, IErrors.NewAccountNotManaged(apiKeyHash));
        require(apiKeyHash != 0, IErrors.AccountHashIsZero());
        require(adminWalletAddress != address(0), IErrors.AdminWalletIsZero());
        if (names[apiKeyHash].kind != Kind.Nothing) revert IErrors.AccountAlreadyExists(apiKeyHash);
        _open(apiKeyHash, adminWalletAddress, true);
    }

    function _open(uint256 masterHash, address admin, bool managed) private {
        Account storage a = accounts[++accountCount];
        (a.masterHash, a.admin, a.managed, a.claimed) = (masterHash, admin, managed, !managed);
        (a.number, a.keyHash, a.byWallet) = (accountCount, masterHash, !managed);
        names[masterHash] = _alias(accountCount);
        names[masterHash].kind = Kind.Account;
    }

    /// @notice True when the wallet of this identity opened an account, or was converted to or accepted one.
    function _isTaken(uint256 identity) private view returns (bool) {
        Name storage name = names[identity];
        return name.kind == Kind.Alias
            ? !name.pending && !name.accountKey
            : name.kind == Kind.Account && accounts[name.account].claimed;
    }

    /// @notice Frees the identity of a wallet that has chosen no account from an account or key that was added under that
    /// hash, and from an account that was transferred to it.
    function _claim(address wallet) private returns (uint256 identity) {
        identity = _identityOf(wallet);
        require(!_isTaken(identity), IErrors.AccountAlreadyExists(identity));
        Name memory name = names[identity];
        Account storage a = accounts[name.account];
        // All hashes of an evicted account stay taken.
        if (name.kind == Kind.Account || (name.accountKey && !name.dead && a.managed)) a.ended = true;
        if (name.kind == Kind.UsageKey) _forgetKey(a, identity);
        delete names[identity];
    }

    function _managedMaster(uint256 hash) private view returns (Account storage a) {
        Kind kind;
        (kind, a) = _resolve(hash);
        if (kind == Kind.UsageKey) revert IErrors.NotMasterAccount(hash);
        require(a.managed, IErrors.AlreadyChainSecured(hash));
    }

    /// @param typed The type of the consent, as EIP-712 encodes it.
    /// @param fields Its fields before the deadline.
    function _consent(
        Account storage a,
        string memory typed,
        bytes memory fields,
        uint256 deadline,
        bytes calldata consent
    ) private view {
        require(block.timestamp <= deadline, ISignedWrites.SignatureExpired(deadline));
        bytes32 digest = consentDigest(typed, fields, deadline);
        bool isSigned = SignatureChecker.isValidSignatureNow(a.admin, digest, consent);
        require(isSigned, ISignedWrites.InvalidSignature(a.admin));
    }

    string internal constant ROTATE =
        "RotateAccountKey(uint256 apiKeyHash,uint256 newApiKeyHash,address newAdminWalletAddress,uint256 deadline)";
    string internal constant RETIRE = "RetireManagedAccount(uint256 apiKeyHash,uint256 deadline)";
    string internal constant CONVERT =
        "ConvertToChainSecuredAccount(uint256 apiKeyHash,address newAdminWalletAddress,uint256 deadline)";

    function consentDigest(string memory typed, bytes memory fields, uint256 deadline)
        internal
        view
        returns (bytes32)
    {
        bytes32 domainType = keccak256(
            "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"
        );
        bytes32 domain = keccak256(
            abi.encode(domainType, keccak256("Service ChainSecured"), keccak256("1"), block.chainid, diamond)
        );
        bytes32 content = keccak256(bytes.concat(keccak256(bytes(typed)), fields, bytes32(deadline)));
        return keccak256(abi.encodePacked(hex"1901", domain, content));
    }

    function rotateAccountKey(
        uint256 apiKeyHash,
        uint256 newApiKeyHash,
        address newAdminWalletAddress,
        uint256 deadline,
        bytes calldata consent
    ) external {
        require(newApiKeyHash != 0, IErrors.AccountHashIsZero());
        require(newAdminWalletAddress != address(0), IErrors.AdminWalletIsZero());
        Account storage a = _managedMaster(apiKeyHash);
        _requireCaller(a, apiKeyHash);
        if (names[newApiKeyHash].kind != Kind.Nothing) revert IErrors.AccountAlreadyExists(newApiKeyHash);
        bytes memory fields = abi.encode(apiKeyHash, newApiKeyHash, newAdminWalletAddress);
        _consent(a, ROTATE, fields, deadline, consent);
        names[apiKeyHash].dead = true;
        names[newApiKeyHash] = _alias(a.number);
        names[newApiKeyHash].accountKey = true;
        (a.keyHash, a.admin) = (newApiKeyHash, newAdminWalletAddress);
    }

    function retireManagedAccount(uint256 apiKeyHash, uint256 deadline, bytes calldata consent) external {
        Account storage a = _managedMaster(apiKeyHash);
        _requireCaller(a, apiKeyHash);
        _consent(a, RETIRE, abi.encode(apiKeyHash), deadline, consent);
        _end(a);
    }

    function retireAccount(uint256 apiKeyHash) external {
        (Kind kind, Account storage a) = _resolve(apiKeyHash);
        if (kind == Kind.UsageKey) revert IErrors.NotMasterAccount(apiKeyHash);
        require(!a.managed, IErrors.ConsentRequired(apiKeyHash));
        _requireCaller(a, apiKeyHash);
        if (a.pending) _requireNamed(a, apiKeyHash);
        _end(a);
    }

    function _end(Account storage a) private {
        a.ended = true;
        names[a.masterHash] = _alias(a.number);
        (names[a.masterHash].dead, names[a.masterHash].accountKey) = (true, !a.claimed);
    }

    function convertToChainSecuredAccount(uint256 apiKeyHash, address newAdminWalletAddress) external {
        Account storage a = _convertible(apiKeyHash, newAdminWalletAddress);
        require(!consentRequired, IErrors.ConsentRequired(apiKeyHash));
        if (conversionLimit != type(uint256).max) {
            uint256 made = conversions[msg.sender][block.timestamp / 1 days]++;
            require(made < conversionLimit, IErrors.ConversionLimitReached(conversionLimit));
        }
        _convert(a, newAdminWalletAddress);
    }

    function convertWithConsent(
        uint256 apiKeyHash,
        address newAdminWalletAddress,
        uint256 deadline,
        bytes calldata consent
    ) external {
        Account storage a = _convertible(apiKeyHash, newAdminWalletAddress);
        _consent(a, CONVERT, abi.encode(apiKeyHash, newAdminWalletAddress), deadline, consent);
        _convert(a, newAdminWalletAddress);
    }

    function _convertible(uint256 hash, address newAdmin) private view returns (Account storage) {
        if (!isPayer(msg.sender) && msg.sender != owner) {
            _refuseFrozen();
            revert IErrors.OnlyApiPayerOrOwner(msg.sender);
        }
        require(newAdmin != address(0), IErrors.AdminWalletIsZero());
        return _managedMaster(hash);
    }

    function _convert(Account storage a, address newAdmin) private {
        uint256 identity = _identityOf(newAdmin);
        // Before the claim: an account whose key has this identity is not evicted.
        a.managed = false;
        if (identity == a.masterHash && !a.claimed) {
            (a.claimed, names[identity].dead) = (true, false);
        } else {
            _claim(newAdmin);
            names[identity] = _alias(a.number);
        }
        a.admin = newAdmin;
    }

    function transferChainSecuredAccountOwnership(uint256 apiKeyHash, address newAdminWalletAddress)
        external
    {
        require(newAdminWalletAddress != address(0), IErrors.AdminWalletIsZero());
        (Kind kind, Account storage a) = _resolve(apiKeyHash);
        if (kind == Kind.UsageKey) revert IErrors.NotMasterAccount(apiKeyHash);
        _require(!a.managed, "the account is managed: convert it instead");
        _enter(a, apiKeyHash);
        require(
            newAdminWalletAddress != a.admin, IErrors.AlreadyAdminWallet(apiKeyHash, newAdminWalletAddress)
        );
        uint256 identity = _identityOf(newAdminWalletAddress);
        require(!_isTaken(identity), IErrors.AccountAlreadyExists(identity));
        // The last account that waits for the wallet, where nothing else has the hash.
        if (names[identity].kind == Kind.Nothing || names[identity].pending) {
            names[identity] = _alias(a.number);
            names[identity].pending = true;
        }
        (a.giver, a.admin, a.pending) = (a.admin, newAdminWalletAddress, true);
    }

    function acceptAccount(uint256 apiKeyHash) external {
        (Kind kind, Account storage a) = _resolve(apiKeyHash);
        if (kind == Kind.UsageKey) revert IErrors.NotMasterAccount(apiKeyHash);
        _requireCaller(a, apiKeyHash);
        if (a.pending) _accept(a);
    }

    function cancelTransfer(uint256 apiKeyHash) external {
        (Kind kind, Account storage a) = _resolve(apiKeyHash);
        if (kind == Kind.UsageKey) revert IErrors.NotMasterAccount(apiKeyHash);
        require(a.pending, IErrors.NoPendingTransfer(apiKeyHash));
        if (msg.sender != a.giver) _requireCaller(a, apiKeyHash);
        (a.admin, a.pending) = (a.giver, false);
    }

    // ------------------------------------------------------------------------------------------- signed writes

    /// @notice executeSigned by any caller with a valid signature of the caller of this function.
    function executeAsSigner(uint256 apiKeyHash, bytes[] calldata calls, uint256 nonce)
        external
        returns (bytes[] memory results)
    {
        _useNonce(apiKeyHash, bytes4(calls[0]), nonce);
        return _multicall(calls);
    }

    function cancelNonce(uint256 apiKeyHash, uint256 cancelledNonce) external {
        _useNonce(apiKeyHash, bytes4(0), cancelledNonce);
    }

    function isNonceUsed(uint256 apiKeyHash, uint256 nonce) external view returns (bool) {
        (Kind kind, uint256 number) = _namedForWrite(apiKeyHash);
        bool isChainSecured = kind != Kind.Nothing && !accounts[number].managed;
        bytes32 holder = isChainSecured ? _holder(accounts[number]) : _holder(apiKeyHash);
        return nonces[holder][nonce] || nonces[_holder(apiKeyHash)][nonce];
    }

    /// @notice The nonces that a wallet used before it chose an account stay used for it.
    function _useNonce(uint256 hash, bytes4 first, uint256 nonce) private {
        bytes32 own = _holder(_identityOf(msg.sender));
        bytes32 holder = _holderOf(hash, first);
        require(!nonces[holder][nonce] && !nonces[own][nonce], ISignedWrites.NonceAlreadyUsed(hash, nonce));
        nonces[holder][nonce] = true;
        (, uint256 number) = _namedForWrite(hash);
        if (accounts[number].pending && accounts[number].admin == msg.sender) nonces[own][nonce] = true;
    }

    function _holderOf(uint256 hash, bytes4 first) private view returns (bytes32) {
        if (hash == _identityOf(msg.sender) && !_isTaken(hash)) return _holder(hash);
        (Kind kind, uint256 number) = _namedForWrite(hash);
        Account storage a = accounts[number];
        require(kind != Kind.Nothing, IErrors.AccountDoesNotExist(hash));
        require(!a.managed, ISignedWrites.AccountIsManaged(hash));
        bool takesBack = first == IAccountWrites.cancelTransfer.selector && a.pending && a.giver == msg.sender;
        require(a.admin == msg.sender || takesBack, IErrors.NoAccountAccess(hash, msg.sender));
        return _holder(a);
    }

    /// @notice A wallet has used its nonces before it opens its account.
    function _holder(Account storage a) private view returns (bytes32) {
        return a.byWallet ? _holder(a.masterHash) : keccak256(abi.encode("account", a.number));
    }

    function _holder(uint256 identity) private pure returns (bytes32) {
        return keccak256(abi.encode("wallet", identity));
    }

    // ---------------------------------------------------------------------------------------------- usage keys

    function _setUsageApiKey(KeyArguments memory k) private {
        uint256[][4] memory lists =
            [k.manageIPFSIdsInGroups, k.addPkpToGroups, k.removePkpFromGroups, k.executeInGroups];
        _labels(k.name, k.description);
        for (uint256 i; i < 4; ++i) {
            require(lists[i].length <= 50, IErrors.TooManyUsageApiKeyEntries(lists[i].length, 50));
        }
        require(k.usageApiKeyHash != 0, IErrors.UsageApiKeyHashIsZero());
        require(k.expiration <= type(uint40).max, IErrors.ExpirationTooLarge(k.expiration, type(uint40).max));
        Account storage a = _byMaster(k.accountApiKeyHash);
        for (uint256 i; i < 4; ++i) {
            for (uint256 j; j < lists[i].length; ++j) {
                if (lists[i][j] != 0) _group(a, k.accountApiKeyHash, lists[i][j]);
            }
        }
        Name storage name = names[k.usageApiKeyHash];
        if (name.kind != Kind.Nothing && (name.kind != Kind.UsageKey || name.account != a.number)) {
            revert IErrors.AccountAlreadyExists(k.usageApiKeyHash);
        }
        if (name.kind == Kind.Nothing || name.dead) a.keys.push(k.usageApiKeyHash);
        names[k.usageApiKeyHash] = _usageKeyName(a.number);
        Key storage key = keys[k.usageApiKeyHash];
        key.expiration = k.expiration;
        (key.createGroups, key.deleteGroups, key.createPKPs) = (k.createGroups, k.deleteGroups, k.createPKPs);
        for (uint256 i; i < 4; ++i) {
            key.lists[i] = lists[i];
        }
    }

    function updateUsageApiKeyMetadata(
        uint256 accountApiKeyHash,
        uint256 usageApiKeyHash,
        string calldata name,
        string calldata description
    ) external {
        _labels(name, description);
        _requireKeyOf(_byMaster(accountApiKeyHash), accountApiKeyHash, usageApiKeyHash);
    }

    function removeUsageApiKey(uint256 accountApiKeyHash, uint256 usageApiKeyHash) external {
        Account storage a = _byMaster(accountApiKeyHash);
        _requireKeyOf(a, accountApiKeyHash, usageApiKeyHash);
        _forgetKey(a, usageApiKeyHash);
    }

    function _usageKeyName(uint256 account) private pure returns (Name memory name) {
        (name.kind, name.account) = (Kind.UsageKey, account);
    }

    function setUsageApiKeyExpiration(uint256 accountApiKeyHash, uint256 usageApiKeyHash, uint256 expiration)
        external
    {
        require(expiration <= type(uint40).max, IErrors.ExpirationTooLarge(expiration, type(uint40).max));
        _requireKeyOf(_byMaster(accountApiKeyHash), accountApiKeyHash, usageApiKeyHash);
        keys[usageApiKeyHash].expiration = expiration;
    }

    function rotateUsageApiKey(uint256 accountApiKeyHash, uint256 usageApiKeyHash, uint256 newUsageApiKeyHash)
        external
    {
        require(newUsageApiKeyHash != 0, IErrors.UsageApiKeyHashIsZero());
        Account storage a = _byMaster(accountApiKeyHash);
        _requireKeyOf(a, accountApiKeyHash, usageApiKeyHash);
        Name storage name = names[newUsageApiKeyHash];
        if (
            name.kind != Kind.Nothing
                && !(name.kind == Kind.UsageKey && name.dead && name.account == a.number)
        ) {
            revert IErrors.AccountAlreadyExists(newUsageApiKeyHash);
        }
        names[newUsageApiKeyHash] = names[usageApiKeyHash];
        names[usageApiKeyHash].kind = Kind.Alias;
        (names[usageApiKeyHash].dead, names[usageApiKeyHash].accountKey) = (true, true);
        keys[newUsageApiKeyHash] = keys[usageApiKeyHash];
        delete keys[usageApiKeyHash];
        for (uint256 i; i < a.keys.length; ++i) {
            if (a.keys[i] == usageApiKeyHash) a.keys[i] = newUsageApiKeyHash;
        }
    }

    function removeAllUsageApiKeys(uint256 accountApiKeyHash) external {
        Account storage a = _byMaster(accountApiKeyHash);
        for (uint256 i; i < a.keys.length; ++i) {
            names[a.keys[i]].dead = true;
            delete keys[a.keys[i]];
            delete a.keys[i];
        }
    }

    function _isKeyOf(Account storage a, uint256 usageHash) private view returns (bool) {
        Name storage name = names[usageHash];
        return name.kind == Kind.UsageKey && name.account == a.number && !name.dead;
    }

    function _requireKeyOf(Account storage a, uint256 hash, uint256 usageHash) private view {
        if (!_isKeyOf(a, usageHash)) revert IErrors.UsageApiKeyDoesNotExist(hash, usageHash);
    }

    function _forgetKey(Account storage a, uint256 usageHash) private {
        names[usageHash].dead = true;
        delete keys[usageHash];
        for (uint256 i; i < a.keys.length; ++i) {
            if (a.keys[i] == usageHash) delete a.keys[i];
        }
    }

    // -------------------------------------------------------------------------------------------------- groups

    function addGroup(
        uint256 apiKeyHash,
        string calldata name,
        string calldata description,
        uint256[] calldata cidHashes,
        address[] calldata pkpIds
    ) external returns (uint256 groupId) {
        _labels(name, description);
        _groupEntries(cidHashes.length);
        _groupEntries(pkpIds.length);
        (Kind kind, Account storage a) = _resolve(apiKeyHash);
        if (kind == Kind.UsageKey) {
            _requireLive(apiKeyHash);
            if (!keys[apiKeyHash].createGroups) revert IErrors.NotAllowedToCreateGroup(apiKeyHash);
        }
        _enter(a, apiKeyHash);
        if (kind == Kind.UsageKey) {
            if (cidHashes.length != 0) _requireGrant(apiKeyHash, MANAGE_ACTIONS, 0);
            if (pkpIds.length != 0) _requireGrant(apiKeyHash, ADD_PKP, 0);
        }
        groupId = ++a.groupCount;
        a.groups[groupId].live = true;
        _fill(a, apiKeyHash, groupId, cidHashes, pkpIds);
    }

    function updateGroup(
        uint256 apiKeyHash,
        uint256 groupId,
        string calldata name,
        string calldata description,
        uint256[] calldata cidHashes,
        address[] calldata pkpIds
    ) external {
        _labels(name, description);
        _groupEntries(cidHashes.length);
        _groupEntries(pkpIds.length);
        Account storage a = _byMaster(apiKeyHash);
        Group storage group = _group(a, apiKeyHash, groupId);
        group.actions[0] = false;
        for (uint256 i; i < a.actions.length; ++i) {
            group.actions[a.actions[i]] = false;
        }
        group.pkps[address(0)] = false;
        for (uint256 i; i < a.pkps.length; ++i) {
            group.pkps[a.pkps[i]] = false;
        }
        _fill(a, apiKeyHash, groupId, cidHashes, pkpIds);
    }

    function _fill(
        Account storage a,
        uint256 hash,
        uint256 groupId,
        uint256[] calldata cidHashes,
        address[] calldata pkpIds
    ) private {
        Group storage group = a.groups[groupId];
        for (uint256 i; i < cidHashes.length; ++i) {
            _permitAction(a, group, cidHashes[i]);
        }
        for (uint256 i; i < pkpIds.length; ++i) {
            _permitPkp(a, group, hash, groupId, pkpIds[i]);
        }
    }

    function _permitAction(Account storage a, Group storage group, uint256 cidHash) private {
        if (cidHash != 0 && !a.hasAction[cidHash]) {
            a.hasAction[cidHash] = true;
            a.actions.push(cidHash);
        }
        group.actions[cidHash] = true;
    }

    function _permitPkp(Account storage a, Group storage group, uint256 hash, uint256 groupId, address pkpId)
        private
    {
        if (pkpId != address(0) && a.pathOf[pkpId] == 0) {
            revert IErrors.PkpDoesNotExist(hash, groupId, pkpId);
        }
        group.pkps[pkpId] = true;
    }

    function updateGroupMetadata(
        uint256 apiKeyHash,
        uint256 groupId,
        string calldata name,
        string calldata description
    ) external {
        _labels(name, description);
        _group(_byMaster(apiKeyHash), apiKeyHash, groupId);
    }

    function removeGroup(uint256 apiKeyHash, uint256 groupId) external {
        (Kind kind, Account storage a) = _resolve(apiKeyHash);
        if (kind == Kind.UsageKey) {
            _requireLive(apiKeyHash);
            if (!keys[apiKeyHash].deleteGroups) revert IErrors.NotAllowedToDeleteGroup(apiKeyHash);
        }
        _enter(a, apiKeyHash);
        _group(a, apiKeyHash, groupId).live = false;
    }

    // ------------------------------------------------------------------------------------------------- actions

    function addAction(
        uint256 apiKeyHash,
        string calldata name,
        string calldata description,
        uint256 actionHash
    ) external {
        _labels(name, description);
        require(actionHash != 0, IErrors.ActionHashIsZero());
        Account storage a = _byMaster(apiKeyHash);
        if (a.hasAction[actionHash]) revert IErrors.ActionAlreadyExists(apiKeyHash, actionHash);
        a.hasAction[actionHash] = true;
        a.actions.push(actionHash);
    }

    function removeAction(uint256 apiKeyHash, uint256 actionHash) external {
        Account storage a = _byMaster(apiKeyHash);
        if (!a.hasAction[actionHash]) revert IErrors.ActionDoesNotExist(apiKeyHash, 0, actionHash);
        a.hasAction[actionHash] = false;
        for (uint256 i; i < a.actions.length; ++i) {
            if (a.actions[i] == actionHash) delete a.actions[i];
        }
        for (uint256 id = 1; id <= a.groupCount; ++id) {
            a.groups[id].actions[actionHash] = false;
        }
    }

    function updateActionMetadata(
        uint256 apiKeyHash,
        uint256 actionHash,
        uint256 groupId,
        string calldata name,
        string calldata description
    ) external {
        _labels(name, description);
        Account storage a = _byMaster(apiKeyHash);
        bool known = a.hasAction[actionHash];
        if (groupId != 0) known = _group(a, apiKeyHash, groupId).actions[actionHash] && known;
        if (!known) revert IErrors.ActionDoesNotExist(apiKeyHash, groupId, actionHash);
    }

    function addActionToGroup(uint256 apiKeyHash, uint256 groupId, uint256 actionHash) external {
        (Account storage a, Group storage group) = _inGroup(apiKeyHash, MANAGE_ACTIONS, groupId);
        _permitAction(a, group, actionHash);
    }

    function addToGroup(
        uint256 apiKeyHash,
        uint256 groupId,
        uint256[] calldata cidHashes,
        address[] calldata pkpIds
    ) external {
        (Account storage a, Group storage group) =
            _inGroup(apiKeyHash, groupId, cidHashes.length, pkpIds.length, ADD_PKP);
        for (uint256 i; i < cidHashes.length; ++i) {
            _permitAction(a, group, cidHashes[i]);
        }
        for (uint256 i; i < pkpIds.length; ++i) {
            _permitPkp(a, group, apiKeyHash, groupId, pkpIds[i]);
        }
    }

    function removeFromGroup(
        uint256 apiKeyHash,
        uint256 groupId,
        uint256[] calldata cidHashes,
        address[] calldata pkpIds
    ) external {
        (, Group storage group) = _inGroup(apiKeyHash, groupId, cidHashes.length, pkpIds.length, REMOVE_PKP);
        for (uint256 i; i < cidHashes.length; ++i) {
            if (!group.actions[cidHashes[i]]) {
                revert IErrors.ActionDoesNotExist(apiKeyHash, groupId, cidHashes[i]);
            }
            group.actions[cidHashes[i]] = false;
        }
        for (uint256 i; i < pkpIds.length; ++i) {
            if (!group.pkps[pkpIds[i]]) revert IErrors.PkpDoesNotExist(apiKeyHash, groupId, pkpIds[i]);
            group.pkps[pkpIds[i]] = false;
        }
    }

    function _inGroup(uint256 hash, uint256 groupId, uint256 cids, uint256 pkps, uint256 walletList)
        private
        returns (Account storage a, Group storage group)
    {
        _groupEntries(cids);
        _groupEntries(pkps);
        Kind kind;
        (kind, a) = _resolve(hash);
        if (kind == Kind.UsageKey) {
            _requireLive(hash);
            if (cids != 0) _requireGrant(hash, MANAGE_ACTIONS, groupId);
            if (pkps != 0) _requireGrant(hash, walletList, groupId);
        }
        _enter(a, hash);
        group = _group(a, hash, groupId);
    }

    function removeActionFromGroup(uint256 apiKeyHash, uint256 groupId, uint256 actionHash) external {
        (, Group storage group) = _inGroup(apiKeyHash, MANAGE_ACTIONS, groupId);
        if (!group.actions[actionHash]) {
            revert IErrors.ActionDoesNotExist(apiKeyHash, groupId, actionHash);
        }
        group.actions[actionHash] = false;
    }

    // ------------------------------------------------------------------------------------------------- wallets

    function registerWalletDerivation(
        uint256 apiKeyHash,
        address pkpId,
        uint256 derivationPath,
        string calldata name,
        string calldata description
    ) external {
        _labels(name, description);
        require(pkpId != address(0), IErrors.PkpIsZero());
        require(derivationPath != 0, IErrors.DerivationPathIsZero());
        (Kind kind, Account storage a) = _resolve(apiKeyHash);
        if (kind == Kind.UsageKey) {
            _requireLive(apiKeyHash);
            if (!keys[apiKeyHash].createPKPs) revert IErrors.NotAllowedToCreatePkp(apiKeyHash);
        }
        _enter(a, apiKeyHash);
        if (a.pathOf[pkpId] != 0) revert IErrors.PkpAlreadyExists(apiKeyHash, pkpId);
        uint256 number = a.number;
        if (pathOwners[derivationPath] == 0) {
            address mintedFor = a.managed ? address(0) : msg.sender;
            if (derivationPath >> 96 != uint160(mintedFor)) {
                revert IErrors.DerivationPathNotMintedFor(derivationPath, mintedFor);
            }
            pathOwners[derivationPath] = number;
            pathWallets[derivationPath] = pkpId;
            ++pkpCount;
        } else if (pathOwners[derivationPath] != number || pathWallets[derivationPath] != pkpId) {
            revert IErrors.DerivationPathAlreadyRegistered(derivationPath);
        }
        a.pathOf[pkpId] = derivationPath;
        a.pkps.push(pkpId);
    }

    function removeWalletDerivation(uint256 apiKeyHash, address pkpId) external {
        Account storage a = _byMaster(apiKeyHash);
        if (a.pathOf[pkpId] == 0) revert IErrors.PkpDoesNotExist(apiKeyHash, 0, pkpId);
        delete a.pathOf[pkpId];
        for (uint256 i; i < a.pkps.length; ++i) {
            if (a.pkps[i] == pkpId) delete a.pkps[i];
        }
        for (uint256 id = 1; id <= a.groupCount; ++id) {
            a.groups[id].pkps[pkpId] = false;
        }
    }

    function addPkpToGroup(uint256 apiKeyHash, uint256 groupId, address pkpId) external {
        (Account storage a, Group storage group) = _inGroup(apiKeyHash, ADD_PKP, groupId);
        _permitPkp(a, group, apiKeyHash, groupId, pkpId);
    }

    function removePkpFromGroup(uint256 apiKeyHash, uint256 groupId, address pkpId) external {
        (, Group storage group) = _inGroup(apiKeyHash, REMOVE_PKP, groupId);
        if (!group.pkps[pkpId]) revert IErrors.PkpDoesNotExist(apiKeyHash, groupId, pkpId);
        group.pkps[pkpId] = false;
    }

    function multicall(bytes[] calldata calls) external returns (bytes[] memory) {
        return _multicall(calls);
    }

    function _multicall(bytes[] calldata calls) private returns (bytes[] memory results) {
        results = new bytes[](calls.length);
        for (uint256 i; i < calls.length; ++i) {
            bool ok;
            (ok, results[i]) = address(this).delegatecall(calls[i]);
            bytes memory result = results[i];
            // memory-safe: reads the bytes that the call returned.
            assembly ("memory-safe") {
                if iszero(ok) { revert(add(result, 32), mload(result)) }
            }
        }
    }

    // -------------------------------------------------------------------------------------------- look-up views

    function resolve(uint256 hash)
        external
        view
        returns (uint256 master, address admin, bool managed, bool isUsageKey, uint256 expiration)
    {
        (Kind kind, uint256 number) = named(hash);
        Account storage a = accounts[number];
        isUsageKey = kind == Kind.UsageKey;
        return (a.masterHash, a.admin, a.managed, isUsageKey, isUsageKey ? keys[hash].expiration : 0);
    }

    function accountState(uint256 hash) external view returns (IViewsFacet.AccountState memory s) {
        Name storage name = names[hash];
        Account storage a = accounts[name.account];
        if (name.kind == Kind.Nothing) return s;
        if (name.pending && !_isWaiting(hash)) return s;
        if (a.ended) {
            s.state = IViewsFacet.HashState.Ended;
            if (name.kind == Kind.Account) s.masterApiKeyHash = hash;
            return s;
        }
        s.state = _stateOf(name);
        (s.masterApiKeyHash, s.adminWalletAddress, s.managed) = (a.masterHash, a.admin, a.managed);
        (s.accepted, s.giver) = (!a.pending, a.pending ? a.giver : address(0));
        (s.rotated, s.frozen) = (names[a.masterHash].dead, a.managed && payersFrozen);
        if (s.state == IViewsFacet.HashState.UsageKey) s.expiration = keys[hash].expiration;
    }

    /// @param name Of an account that has not ended.
    function _stateOf(Name storage name) private view returns (IViewsFacet.HashState) {
        if (name.pending) return IViewsFacet.HashState.Waiting;
        if (name.kind == Kind.UsageKey) {
            return name.dead ? IViewsFacet.HashState.Removed : IViewsFacet.HashState.UsageKey;
        }
        return name.dead ? IViewsFacet.HashState.Rotated : IViewsFacet.HashState.Account;
    }

    function accountExistsAndIsMutable(uint256 apiKeyHash) external view returns (bool) {
        (Kind kind, uint256 number) = named(apiKeyHash);
        return kind != Kind.Nothing && _mayWrite(accounts[number], msg.sender);
    }

    function getAccountWalletAddress(uint256 apiKeyHash) external view returns (address) {
        (, Account storage a) = _resolve(apiKeyHash);
        return a.admin;
    }

    function allApiKeyHashesToMaster(uint256 hash) external view returns (uint256) {
        (, uint256 number) = named(hash);
        return accounts[number].masterHash;
    }

    function getWalletDerivation(uint256 apiKeyHash, address pkpId) external view returns (uint256) {
        (, uint256 number) = named(apiKeyHash);
        return accounts[number].pathOf[pkpId];
    }

    function getPathOwnerMaster(uint256 derivationPath) external view returns (uint256) {
        Account storage a = accounts[pathOwners[derivationPath]];
        return a.ended ? 0 : a.masterHash;
    }

    function isPathRegistered(uint256 derivationPath) external view returns (bool) {
        return pathOwners[derivationPath] != 0;
    }

    // ---------------------------------------------------------------------------------------------- permissions

    function canExecuteAction(uint256 apiKeyHash, uint256 cidHash) external view returns (bool) {
        return explainExecution(apiKeyHash, cidHash, address(0)).canExecute;
    }

    function canUseWalletInAction(uint256 apiKeyHash, uint256 cidHash, address pkpId)
        external
        view
        returns (bool)
    {
        return explainExecution(apiKeyHash, cidHash, pkpId).canUseWallet;
    }

    function canExecuteActionAndUseWallet(uint256 apiKeyHash, uint256 cidHash, address pkpId)
        external
        view
        returns (bool, bool)
    {
        IViewsFacet.Explanation memory e = explainExecution(apiKeyHash, cidHash, pkpId);
        return (e.canExecute, e.canUseWallet);
    }

    function explainExecution(uint256 apiKeyHash, uint256 cidHash, address pkpId)
        public
        view
        returns (IViewsFacet.Explanation memory e)
    {
        (Kind kind, uint256 number) = named(apiKeyHash);
        if (kind != Kind.UsageKey || _isExpired(apiKeyHash)) {
            e.actionRule = kind == Kind.Nothing
                ? IViewsFacet.ExecutionRule.KeyUnknown
                : kind == Kind.UsageKey
                    ? IViewsFacet.ExecutionRule.KeyExpired
                    : IViewsFacet.ExecutionRule.NotUsageKey;
            e.walletRule = e.actionRule;
            return e;
        }
        Account storage a = accounts[number];
        // From the last group to the first, so that the lowest granting group remains.
        for (uint256 id = a.groupCount; id != 0; --id) {
            Group storage group = a.groups[id];
            if (!group.live || !isGranted(apiKeyHash, EXECUTE, id)) continue;
            if (!group.actions[cidHash] && !group.actions[0]) continue;
            e.actionGroupId = id;
            if (a.pathOf[pkpId] != 0 && (group.pkps[pkpId] || group.pkps[address(0)])) e.walletGroupId = id;
        }
        e.actionRule = e.actionGroupId == 0
            ? IViewsFacet.ExecutionRule.NoGroupPermitsAction
            : IViewsFacet.ExecutionRule.Group;
        if (isGranted(apiKeyHash, EXECUTE, 0)) {
            (e.actionRule, e.actionGroupId) = (IViewsFacet.ExecutionRule.Wildcard, 0);
        }
        e.canExecute = e.actionRule != IViewsFacet.ExecutionRule.NoGroupPermitsAction;
        e.canUseWallet = e.walletGroupId != 0;
        e.walletRule = a.pathOf[pkpId] == 0
            ? IViewsFacet.ExecutionRule.WalletUnknown
            : e.canUseWallet
                ? IViewsFacet.ExecutionRule.Group
                : IViewsFacet.ExecutionRule.NoGroupPermitsWallet;
    }

    // ---------------------------------------------------------------------------------------------------- lists

    function listSizes(uint256 apiKeyHash) external view returns (uint256, uint256, uint256, uint256) {
        (, Account storage a) = _resolve(apiKeyHash);
        return (a.keys.length, a.groupCount, a.pkps.length, a.actions.length);
    }

    function _pageSize(uint256 pageSize) private pure {
        require(pageSize != 0 && pageSize <= 1000, IErrors.PageSizeOutOfRange(pageSize, 1000));
    }

    /// @return from The first index of a page.
    /// @return to The index after its last one.
    function _page(uint256 pageNumber, uint256 pageSize, uint256 count)
        private
        pure
        returns (uint256 from, uint256 to)
    {
        _pageSize(pageSize);
        from = pageNumber > count ? count : pageNumber * pageSize;
        if (from > count) from = count;
        to = from + pageSize < count ? from + pageSize : count;
    }

    function listApiKeys(uint256 apiKeyHash, uint256 pageNumber, uint256 pageSize)
        external
        view
        returns (IViewsFacet.UsageApiKey[] memory page)
    {
        require(pageSize != 0 && pageSize <= 20, IErrors.PageSizeOutOfRange(pageSize, 20));
        (, Account storage a) = _resolve(apiKeyHash);
        (uint256 from, uint256 to) = _page(pageNumber, pageSize, a.keys.length);
        page = new IViewsFacet.UsageApiKey[](to - from);
        uint256 count;
        for (uint256 i = from; i < to; ++i) {
            if (a.keys[i] != 0) page[count++] = _usageKey(a, a.keys[i]);
        }
        // memory-safe: shortens an array that was allocated here.
        assembly ("memory-safe") {
            mstore(page, count)
        }
    }

    function _usageKey(Account storage a, uint256 usageHash)
        private
        view
        returns (IViewsFacet.UsageApiKey memory k)
    {
        Key storage key = keys[usageHash];
        (k.usageApiKeyHash, k.expiration) = (usageHash, key.expiration);
        k.permissions.createGroups = key.createGroups;
        k.permissions.deleteGroups = key.deleteGroups;
        k.permissions.createPKPs = key.createPKPs;
        k.permissions.manageIPFSIdsInGroups = _listed(a, usageHash, MANAGE_ACTIONS);
        k.permissions.addPkpToGroups = _listed(a, usageHash, ADD_PKP);
        k.permissions.removePkpFromGroups = _listed(a, usageHash, REMOVE_PKP);
        k.permissions.executeInGroups = _listed(a, usageHash, EXECUTE);
    }

    /// @return ids Ascending, without duplicates and removed groups, `[0]` for the wildcard.
    function _listed(Account storage a, uint256 usageHash, uint256 list)
        private
        view
        returns (uint256[] memory ids)
    {
        if (isGranted(usageHash, list, 0)) return new uint256[](1);
        uint256[] memory given = keys[usageHash].lists[list];
        ids = new uint256[](given.length);
        uint256 count;
        for (uint256 i; i < given.length; ++i) {
            if (!a.groups[given[i]].live) continue;
            uint256 position;
            while (position < count && ids[position] < given[i]) ++position;
            if (position < count && ids[position] == given[i]) continue;
            for (uint256 j = count++; j > position; --j) {
                ids[j] = ids[j - 1];
            }
            ids[position] = given[i];
        }
        // memory-safe: shortens an array that was allocated here.
        assembly ("memory-safe") {
            mstore(ids, count)
        }
    }

    function listGroups(uint256 apiKeyHash, uint256 pageNumber, uint256 pageSize)
        external
        view
        returns (uint256[] memory page)
    {
        _pageSize(pageSize);
        (, Account storage a) = _resolve(apiKeyHash);
        (uint256 from, uint256 to) = _page(pageNumber, pageSize, a.groupCount);
        page = new uint256[](to - from);
        uint256 count;
        for (uint256 i = from; i < to; ++i) {
            if (a.groups[i + 1].live) page[count++] = i + 1;
        }
        // memory-safe: shortens an array that was allocated here.
        assembly ("memory-safe") {
            mstore(page, count)
        }
    }

    function listPkps(uint256 apiKeyHash, uint256 pageNumber, uint256 pageSize)
        external
        view
        returns (IViewsFacet.Pkp[] memory page)
    {
        _pageSize(pageSize);
        (, Account storage a) = _resolve(apiKeyHash);
        (uint256 from, uint256 to) = _page(pageNumber, pageSize, a.pkps.length);
        page = new IViewsFacet.Pkp[](to - from);
        uint256 count;
        for (uint256 i = from; i < to; ++i) {
            if (a.pkps[i] != address(0)) page[count++] = _pkp(a, a.pkps[i]);
        }
        // memory-safe: shortens an array that was allocated here.
        assembly ("memory-safe") {
            mstore(page, count)
        }
    }

    function _pkp(Account storage a, address pkpId) private view returns (IViewsFacet.Pkp memory) {
        return IViewsFacet.Pkp({ pkpId: pkpId, derivationPath: a.pathOf[pkpId] });
    }

    function listActions(uint256 apiKeyHash, uint256 pageNumber, uint256 pageSize)
        external
        view
        returns (uint256[] memory page)
    {
        _pageSize(pageSize);
        (, Account storage a) = _resolve(apiKeyHash);
        (uint256 from, uint256 to) = _page(pageNumber, pageSize, a.actions.length);
        page = new uint256[](to - from);
        uint256 count;
        for (uint256 i = from; i < to; ++i) {
            if (a.actions[i] != 0) page[count++] = a.actions[i];
        }
        // memory-safe: shortens an array that was allocated here.
        assembly ("memory-safe") {
            mstore(page, count)
        }
    }

    function listGroupContents(uint256 apiKeyHash, uint256 groupId)
        external
        view
        returns (uint256[] memory cidHashes, address[] memory pkpIds)
    {
        (, Account storage a) = _resolve(apiKeyHash);
        Group storage group = _group(a, apiKeyHash, groupId);
        cidHashes = _actionsIn(a, group, 0, 1000);
        IViewsFacet.Pkp[] memory pkps = _pkpsIn(a, group, 0, 1000);
        pkpIds = new address[](pkps.length);
        for (uint256 i; i < pkps.length; ++i) {
            pkpIds[i] = pkps[i].pkpId;
        }
    }

    function listWalletsInGroup(uint256 apiKeyHash, uint256 groupId, uint256 pageNumber, uint256 pageSize)
        external
        view
        returns (IViewsFacet.Pkp[] memory)
    {
        (uint256 from,) = _page(pageNumber, pageSize, 1 << 20);
        (, Account storage a) = _resolve(apiKeyHash);
        return _pkpsIn(a, _group(a, apiKeyHash, groupId), from, pageSize);
    }

    function listActionsInGroup(uint256 apiKeyHash, uint256 groupId, uint256 pageNumber, uint256 pageSize)
        external
        view
        returns (uint256[] memory)
    {
        (uint256 from,) = _page(pageNumber, pageSize, 1 << 20);
        (, Account storage a) = _resolve(apiKeyHash);
        return _actionsIn(a, _group(a, apiKeyHash, groupId), from, pageSize);
    }

    /// @return page Up to `size` members after the first `skip`: "every", then in the order of the account's list.
    function _actionsIn(Account storage a, Group storage group, uint256 skip, uint256 size)
        private
        view
        returns (uint256[] memory page)
    {
        page = new uint256[](size);
        uint256 count;
        uint256 seen;
        if (group.actions[0] && seen++ >= skip) page[count++] = 0;
        for (uint256 i; i < a.actions.length && count < size; ++i) {
            uint256 cidHash = a.actions[i];
            if (cidHash != 0 && group.actions[cidHash] && seen++ >= skip) page[count++] = cidHash;
        }
        // memory-safe: shortens an array that was allocated here.
        assembly ("memory-safe") {
            mstore(page, count)
        }
    }

    function _pkpsIn(Account storage a, Group storage group, uint256 skip, uint256 size)
        private
        view
        returns (IViewsFacet.Pkp[] memory page)
    {
        uint256 length = a.pkps.length + 1 < size ? a.pkps.length + 1 : size;
        page = new IViewsFacet.Pkp[](length);
        uint256 count;
        uint256 seen;
        if (group.pkps[address(0)] && seen++ >= skip) page[count++] = _pkp(a, address(0));
        for (uint256 i; i < a.pkps.length && count < length; ++i) {
            address pkpId = a.pkps[i];
            if (pkpId != address(0) && group.pkps[pkpId] && seen++ >= skip) page[count++] = _pkp(a, pkpId);
        }
        // memory-safe: shortens an array that was allocated here.
        assembly ("memory-safe") {
            mstore(page, count)
        }
    }

    // -------------------------------------------------------------------------------------------- configuration

    function _onlyOwner() private view {
        if (msg.sender != owner) revert IDiamond.OnlyOwner(msg.sender);
    }

    function _onlyConfigOperator() private view {
        if (msg.sender != configOperator && msg.sender != owner) {
            revert IErrors.OnlyConfigOperatorOrOwner(msg.sender);
        }
    }

    function _onlyPricingOperator() private view {
        if (msg.sender != pricingOperator && msg.sender != owner) {
            revert IErrors.OnlyPricingOperatorOrOwner(msg.sender);
        }
    }

    function setApiPayers(address[] calldata newApiPayers) external {
        _onlyOwner();
        require(newApiPayers.length <= 50, IErrors.TooManyApiPayers(newApiPayers.length, 50));
        delete payers;
        for (uint256 i; i < newApiPayers.length; ++i) {
            require(newApiPayers[i] != address(0), IErrors.ApiPayerIsZero(i));
            require(!_isListed(newApiPayers[i]), IErrors.DuplicateApiPayer(newApiPayers[i]));
            payers.push(newApiPayers[i]);
        }
    }

    function setGuardian(address newGuardian) external {
        _onlyOwner();
        guardian = newGuardian;
    }

    function freezePayers() external {
        if (msg.sender != guardian && msg.sender != owner) revert IErrors.OnlyGuardianOrOwner(msg.sender);
        payersFrozen = true;
    }

    function unfreezePayers() external {
        _onlyOwner();
        payersFrozen = false;
    }

    function setConversionLimit(uint256 perDay) external {
        _onlyOwner();
        conversionLimit = perDay > type(uint64).max ? type(uint256).max : perDay;
    }

    function setConsentRequired(bool required) external {
        _onlyOwner();
        consentRequired = required;
    }

    function conversionsToday(address caller) external view returns (uint256) {
        return conversions[caller][block.timestamp / 1 days];
    }

    function setAdminApiPayerAccount(address newAdminApiPayerAccount) external {
        _onlyConfigOperator();
        adminApiPayerAccount = newAdminApiPayerAccount;
    }

    function setConfigOperator(address newConfigOperator) external {
        _onlyConfigOperator();
        configOperator = newConfigOperator;
    }

    function setPricing(uint256 pricingItemId, uint256 price) external {
        _onlyPricingOperator();
        getPricing[pricingItemId] = price;
    }

    function setPricingOperator(address newPricingOperator) external {
        _onlyPricingOperator();
        pricingOperator = newPricingOperator;
    }

    function setNodeConfiguration(string calldata key, string calldata value) external {
        _onlyConfigOperator();
        require(
            bytes(key).length != 0 && bytes(key).length <= 128,
            IErrors.NodeConfigurationKeyLengthOutOfRange(bytes(key).length, 128)
        );
        require(bytes(value).length <= 1024, IErrors.NodeConfigurationValueTooLong(bytes(value).length, 1024));
        uint256 i;
        while (i < configurationKeys.length && !_isSame(configurationKeys[i], key)) ++i;
        if (bytes(value).length != 0) {
            require(i < 100, IErrors.TooManyNodeConfigurations(100));
            if (i == configurationKeys.length) configurationKeys.push(key);
        } else if (i < configurationKeys.length) {
            configurationKeys[i] = configurationKeys[configurationKeys.length - 1];
            configurationKeys.pop();
        }
        nodeConfigurationValue[key] = value;
    }

    function _isSame(string memory left, string memory right) private pure returns (bool) {
        return keccak256(bytes(left)) == keccak256(bytes(right));
    }

    function api_payers() external view returns (address[] memory) {
        return payers;
    }

    function nodeConfigurationValues()
        external
        view
        returns (IConfigFacet.NodeConfiguration[] memory values)
    {
        values = new IConfigFacet.NodeConfiguration[](configurationKeys.length);
        for (uint256 i; i < values.length; ++i) {
            (values[i].key, values[i].value) =
            (configurationKeys[i], nodeConfigurationValue[configurationKeys[i]]);
        }
    }

    function transferOwnership(address newOwner) external {
        _onlyOwner();
        require(newOwner != address(0), IDiamond.OwnerIsZero());
        pendingOwner = newOwner;
    }

    function acceptOwnership() external {
        if (msg.sender != pendingOwner) revert IDiamond.OnlyPendingOwner(msg.sender);
        (owner, pendingOwner) = (msg.sender, address(0));
    }

    /// @notice The handlers make empty cuts only, to check the permission of the caller.
    function diamondCut(IDiamond.FacetCut[] calldata, address, bytes calldata) external view {
        _onlyOwner();
    }
}
