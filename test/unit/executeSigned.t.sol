// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IAccountWrites } from "../../contracts/interfaces/IAccountWrites.sol";
import { IConfigFacet } from "../../contracts/interfaces/IConfigFacet.sol";
import { IDiamondCutFacet } from "../../contracts/interfaces/IDiamondCutFacet.sol";
import { IErrors } from "../../contracts/interfaces/IErrors.sol";
import { IGroupWrites } from "../../contracts/interfaces/IGroupWrites.sol";
import { ISignedWrites } from "../../contracts/interfaces/ISignedWrites.sol";
import { IWalletWrites } from "../../contracts/interfaces/IWalletWrites.sol";
import { IWritesFacet } from "../../contracts/interfaces/IWritesFacet.sol";
import { WalletOfKey } from "../mocks/Erc1271Wallets.sol";
import { SignedWritesTest } from "../utils/SignedWritesTest.sol";

/// @notice Rule 16.
contract ExecuteSignedTest is SignedWritesTest {
    string private constant ADD_GROUP =
        "AddGroup(uint256 apiKeyHash,string name,string description,uint256[] cidHashes,address[] pkpIds";
    string private constant ADD_ACTION =
        "AddAction(uint256 apiKeyHash,string name,string description,uint256 actionHash";
    string private constant TAIL = ",address signer,uint256 nonce,uint256 deadline)";

    function setUp() public override {
        super.setUp();
        enterSecured();
    }

    function _addGroupMembers() private view returns (bytes memory) {
        return abi.encode(
            SECURED,
            keccak256(bytes(NAME)),
            keccak256(bytes(DESCRIPTION)),
            keccak256(abi.encodePacked(list(ACTION))),
            keccak256(abi.encodePacked(list(wallet)))
        );
    }

    function _addActionMembers() private view returns (bytes memory) {
        return abi.encode(SECURED, keccak256(bytes(NAME)), keccak256(bytes(DESCRIPTION)), NO_ACTION);
    }

    function _typeHash(string memory text) private pure returns (bytes32) {
        return keccak256(bytes(text));
    }

    // ------------------------------------------------------------------------------------------------ execution

    /// Only the test knows how the digest is made.
    function test_SingleWrite() external {
        bytes32 typeHash = _typeHash(string.concat(ADD_GROUP, TAIL));
        bytes32 digest = typedDigest(
            keccak256(bytes.concat(typeHash, _addGroupMembers(), abi.encode(admin, UNKNOWN, DEADLINE)))
        );
        bytes[] memory calls = one(addGroupCall(SECURED));
        vm.assertEq(accountConfig.hashSignedWrites(SECURED, admin, calls, UNKNOWN, DEADLINE), digest);
        expectEvent();
        emit IGroupWrites.GroupAdded(SECURED, 3, NAME, DESCRIPTION, list(ACTION), list(wallet));
        expectEvent();
        emit ISignedWrites.SignedWritesExecuted(SECURED, admin, UNKNOWN, digest);
        bytes[] memory results =
            by(stranger).executeSigned(SECURED, admin, calls, UNKNOWN, DEADLINE, signature(ADMIN, digest));
        assertEvents(2);
        vm.assertEq(results.length, 1);
        vm.assertEq(results[0], abi.encode(3));
        assertGroup(3, list(ACTION), list(wallet));
        vm.assertTrue(accountConfig.isNonceUsed(SECURED, UNKNOWN));
    }

    function test_SeveralWrites() external {
        bytes memory group = bytes.concat(_typeHash(string.concat(ADD_GROUP, ")")), _addGroupMembers());
        bytes memory action = bytes.concat(_typeHash(string.concat(ADD_ACTION, ")")), _addActionMembers());
        bytes32 typeHash = _typeHash(
            string.concat(
                "Writes(AddGroup write1,AddAction write2,AddGroup write3",
                TAIL,
                string.concat(ADD_ACTION, ")", ADD_GROUP, ")")
            )
        );
        bytes32 digest = typedDigest(
            keccak256(
                abi.encode(
                    typeHash, keccak256(group), keccak256(action), keccak256(group), admin, 7, DEADLINE
                )
            )
        );
        bytes[] memory calls = new bytes[](3);
        (calls[0], calls[1], calls[2]) =
        (addGroupCall(SECURED), addActionCall(SECURED), addGroupCall(SECURED));
        vm.assertEq(accountConfig.hashSignedWrites(SECURED, admin, calls, 7, DEADLINE), digest);
        bytes[] memory results =
            by(stranger).executeSigned(SECURED, admin, calls, 7, DEADLINE, signature(ADMIN, digest));
        vm.assertEq(results[0], abi.encode(3));
        vm.assertEq(results[1], "");
        vm.assertEq(results[2], abi.encode(4));
        vm.assertEq(accountConfig.listActions(SECURED, 0, 10), list(ACTION, LOOSE_ACTION, NO_ACTION));
    }

    function test_SixteenWrites() external {
        bytes[] memory calls = new bytes[](16);
        string memory members = "";
        bytes memory hashes;
        bytes32 group = keccak256(
            abi.encode(_typeHash("RemoveGroup(uint256 apiKeyHash,uint256 groupId)"), SECURED, EMPTY_GROUP)
        );
        bytes32 added = keccak256(bytes.concat(_typeHash(string.concat(ADD_GROUP, ")")), _addGroupMembers()));
        for (uint256 i; i < 16; ++i) {
            calls[i] = i == 11
                ? abi.encodeCall(IGroupWrites.removeGroup, (SECURED, EMPTY_GROUP))
                : addGroupCall(SECURED);
            string memory number = vm.toString(i + 1);
            string memory kind = i == 11 ? "RemoveGroup write" : "AddGroup write";
            members = string.concat(members, i == 0 ? "" : ",", kind, number);
            hashes = bytes.concat(hashes, i == 11 ? group : added);
        }
        string memory types = string.concat(ADD_GROUP, ")", "RemoveGroup(uint256 apiKeyHash,uint256 groupId)");
        bytes32 typeHash = _typeHash(string.concat("Writes(", members, TAIL, types));
        bytes32 digest =
            typedDigest(keccak256(bytes.concat(typeHash, hashes, abi.encode(admin, uint256(1), DEADLINE))));
        vm.assertEq(accountConfig.hashSignedWrites(SECURED, admin, calls, 1, DEADLINE), digest);
        submit(ADMIN, SECURED, calls, 1);
        (, uint256 groups,,) = accountConfig.listSizes(SECURED);
        vm.assertEq(groups, 17);
    }

    function test_UsageKey() external {
        UsageKey memory k = almightyKey(UNKNOWN);
        submit(ADMIN, SECURED, one(encodeSetKey(k)), 0);
        assertKey(k);
    }

    /// The path is minted for the signer, not for the submitter.
    function test_RegistersWallets() external {
        submit(
            ADMIN,
            SECURED,
            one(
                abi.encodeCall(
                    IWalletWrites.registerWalletDerivation, (SECURED, noWallet, pathOf(9), NAME, DESCRIPTION)
                )
            ),
            0
        );
        vm.assertEq(accountConfig.getWalletDerivation(SECURED, noWallet), pathOf(9));
    }

    function test_ByAliasAndUsageKey() external {
        setKey(almightyKey(key));
        submit(ADMIN, key, one(addGroupCall(key)), 0);
        convert();
        submit("new admin", identity(newAdmin), one(addGroupCall(identity(newAdmin))), 0);
        submit("new admin", MANAGED, one(addGroupCall(MANAGED)), 1);
    }

    /// A wallet without gas opens its account.
    function test_OpensAnAccount() external {
        uint256 hash = identity(newAdmin);
        bytes memory open = abi.encodeCall(IAccountWrites.newChainSecuredAccount, (NAME, DESCRIPTION));
        bytes[] memory calls =
            two(open, abi.encodeCall(IGroupWrites.addGroup, (hash, "", "", list(), wallets())));
        expectEvent();
        emit IAccountWrites.AccountCreated(hash, newAdmin, false, NAME, DESCRIPTION);
        submit("new admin", hash, calls, 0);
        vm.assertEq(accountConfig.getAccountWalletAddress(hash), newAdmin);
        bytes memory signed = sign("new admin", hash, one(open), 1);
        refusedSigned(
            hash,
            newAdmin,
            one(open),
            1,
            signed,
            abi.encodeWithSelector(IErrors.AccountAlreadyExists.selector, hash)
        );
    }

    /// A write that names the master hash accepts a transferred account; a signed opening is the other choice.
    function test_TransferredAccount() external {
        by(admin).transferChainSecuredAccountOwnership(SECURED, newAdmin);
        uint256 hash = identity(newAdmin);
        bytes[] memory byIdentity = one(addActionCall(hash));
        refusedSigned(
            hash,
            newAdmin,
            byIdentity,
            0,
            sign("new admin", hash, byIdentity, 0),
            abi.encodeWithSelector(IErrors.AccountNotAccepted.selector, hash)
        );
        uint256 snapshot = vm.snapshotState();
        submit("new admin", SECURED, one(addActionCall(SECURED)), 0);
        vm.assertEq(accountConfig.allApiKeyHashesToMaster(hash), SECURED);
        submit("new admin", hash, one(addGroupCall(hash)), 1);
        vm.revertToState(snapshot);
        bytes memory open = abi.encodeCall(IAccountWrites.newChainSecuredAccount, (NAME, DESCRIPTION));
        submit("new admin", hash, one(open), 0);
        vm.assertEq(accountConfig.allApiKeyHashesToMaster(hash), hash);
    }

    function test_ContractWallet() external {
        bytes[] memory calls = one(addGroupCall(SECURED));
        address good = address(new WalletOfKey(admin));
        by(admin).transferChainSecuredAccountOwnership(SECURED, good);
        bytes memory signed =
            signature(ADMIN, accountConfig.hashSignedWrites(SECURED, good, calls, 5, DEADLINE));
        by(stranger).executeSigned(SECURED, good, calls, 5, DEADLINE, signed);
        refusedSigned(
            SECURED,
            good,
            calls,
            6,
            signed,
            abi.encodeWithSelector(ISignedWrites.InvalidSignature.selector, good)
        );
    }

    function test_LastSecondOfTheDeadline() external {
        bytes[] memory calls = one(addGroupCall(SECURED));
        bytes memory signed = sign(ADMIN, SECURED, calls, 0);
        vm.warp(DEADLINE + 1);
        refusedSigned(
            SECURED,
            calls,
            0,
            signed,
            abi.encodeWithSelector(ISignedWrites.SignatureExpired.selector, DEADLINE)
        );
        vm.warp(DEADLINE);
        by(stranger).executeSigned(SECURED, admin, calls, 0, DEADLINE, signed);
    }

    function test_Domain() external view {
        (
            bytes1 fields,
            string memory name,
            string memory version,
            uint256 chainId,
            address diamond,
            bytes32 salt,
            uint256[] memory extensions
        ) = accountConfig.eip712Domain();
        vm.assertEq(bytes32(fields), bytes32(bytes1(0x0f)));
        vm.assertEq(name, "Service ChainSecured");
        vm.assertEq(version, "1");
        vm.assertEq(chainId, block.chainid);
        vm.assertEq(diamond, address(accountConfig));
        vm.assertEq(salt, 0);
        vm.assertEq(extensions.length, 0);
    }

    // --------------------------------------------------------------------------------------------------- nonces

    function test_NoncesHaveNoOrder() external {
        uint256[5] memory nonces = [UNKNOWN, 0, type(uint256).max, 255, 256];
        for (uint256 i; i < nonces.length; ++i) {
            vm.assertFalse(accountConfig.isNonceUsed(SECURED, nonces[i]));
            submit(ADMIN, SECURED, one(addGroupCall(SECURED)), nonces[i]);
            vm.assertTrue(accountConfig.isNonceUsed(SECURED, nonces[i]));
        }
        vm.assertFalse(accountConfig.isNonceUsed(SECURED, 1));
        vm.assertFalse(
            accountConfig.isNonceUsed(MANAGED, 0) || accountConfig.isNonceUsed(identity(newAdmin), 0)
        );
        for (uint256 i; i < nonces.length; ++i) {
            vm.assertTrue(accountConfig.isNonceUsed(SECURED, nonces[i]));
            bytes[] memory calls = one(addGroupCall(SECURED));
            bytes memory signed = sign(ADMIN, SECURED, calls, nonces[i]);
            refusedSigned(
                SECURED,
                calls,
                nonces[i],
                signed,
                abi.encodeWithSelector(ISignedWrites.NonceAlreadyUsed.selector, SECURED, nonces[i])
            );
        }
    }

    function test_CancelNonce() external {
        bytes[] memory calls = one(addGroupCall(SECURED));
        bytes memory signed = sign(ADMIN, SECURED, calls, 3);
        expectEvent();
        emit ISignedWrites.NonceCancelled(SECURED, admin, 3);
        by(admin).cancelNonce(SECURED, 3);
        assertEvents(1);
        bytes memory used = abi.encodeWithSelector(ISignedWrites.NonceAlreadyUsed.selector, SECURED, 3);
        refusedSigned(SECURED, calls, 3, signed, used);
        vm.expectRevert(used);
        by(admin).cancelNonce(SECURED, 3);
        submit(ADMIN, SECURED, calls, 2);
    }

    function test_CancelNonceBySignature() external {
        bytes[] memory cancel = one(abi.encodeCall(ISignedWrites.cancelNonce, (SECURED, 3)));
        bytes32 typeHash =
            _typeHash(string.concat("CancelNonce(uint256 apiKeyHash,uint256 cancelledNonce", TAIL));
        bytes32 digest = typedDigest(keccak256(abi.encode(typeHash, SECURED, 3, admin, 4, DEADLINE)));
        expectEvent();
        emit ISignedWrites.NonceCancelled(SECURED, admin, 3);
        by(stranger).executeSigned(SECURED, admin, cancel, 4, DEADLINE, signature(ADMIN, digest));
        vm.assertTrue(accountConfig.isNonceUsed(SECURED, 3) && accountConfig.isNonceUsed(SECURED, 4));
    }

    /// A wallet without an account cancels the opening that it signed.
    function test_CancelNonceBeforeTheOpening() external {
        uint256 hash = identity(newAdmin);
        bytes[] memory open = one(abi.encodeCall(IAccountWrites.newChainSecuredAccount, (NAME, DESCRIPTION)));
        bytes memory signed = sign("new admin", hash, open, 3);
        uint256 snapshot = vm.snapshotState();
        by(newAdmin).cancelNonce(hash, 3);
        bytes memory used = abi.encodeWithSelector(ISignedWrites.NonceAlreadyUsed.selector, hash, 3);
        refusedSigned(hash, newAdmin, open, 3, signed, used);
        by(newAdmin).newChainSecuredAccount(NAME, DESCRIPTION);
        vm.assertTrue(accountConfig.isNonceUsed(hash, 3));
        vm.revertToState(snapshot);
        submit("new admin", hash, one(abi.encodeCall(ISignedWrites.cancelNonce, (hash, 3))), 4);
        refusedSigned(hash, newAdmin, open, 3, signed, used);
    }

    function test_RevertGiven_CancellingIsNotTheAdmins() external {
        address[3] memory callers = [stranger, payer, owner];
        for (uint256 i; i < 3; ++i) {
            expectNoAccess(SECURED, callers[i]);
            by(callers[i]).cancelNonce(SECURED, 3);
            vm.expectRevert(abi.encodeWithSelector(ISignedWrites.AccountIsManaged.selector, MANAGED));
            by(callers[i]).cancelNonce(MANAGED, 3);
            expectRevert(IErrors.AccountDoesNotExist.selector, UNKNOWN);
            by(callers[i]).cancelNonce(UNKNOWN, 3);
        }
    }

    // -------------------------------------------------------------------------------------------------- refusals

    function test_RevertWhen_NumberOfCalls() external {
        for (uint256 count; count < 18; count += 17) {
            vm.expectRevert(abi.encodeWithSelector(ISignedWrites.SignedCallsOutOfRange.selector, count, 16));
            by(stranger).executeSigned(UNKNOWN, admin, new bytes[](count), 0, DEADLINE, "");
        }
    }

    function test_RevertWhen_FunctionIsNotSignable() external {
        bytes[10] memory calls = [
            abi.encodeCall(IWritesFacet.multicall, (one(addGroupCall(SECURED)))),
            abi.encodeCall(
                ISignedWrites.executeSigned,
                (SECURED, admin, one(addGroupCall(SECURED)), 0, DEADLINE, bytes(""))
            ),
            abi.encodeCall(IAccountWrites.convertWithConsent, (SECURED, newAdmin, DEADLINE, "")),
            abi.encodeCall(IAccountWrites.convertToChainSecuredAccount, (SECURED, newAdmin)),
            abi.encodeCall(IAccountWrites.rotateAccountKey, (SECURED, UNKNOWN, newAdmin, DEADLINE, "")),
            abi.encodeCall(IConfigFacet.setApiPayers, (list(stranger))),
            abi.encodeCall(IDiamondCutFacet.transferOwnership, (stranger)),
            abi.encodeCall(IDiamondCutFacet.acceptOwnership, ()),
            hex"123456",
            bytes("")
        ];
        for (uint256 i; i < calls.length; ++i) {
            bytes4 selector = calls[i].length < 4 ? bytes4(0) : bytes4(calls[i]);
            bytes memory notSignable = abi.encodeWithSelector(ISignedWrites.NotSignable.selector, 1, selector);
            vm.expectRevert(notSignable);
            by(stranger).executeSigned(SECURED, admin, two(addGroupCall(SECURED), calls[i]), 0, DEADLINE, "");
            vm.expectRevert(notSignable);
            accountConfig.hashSignedWrites(SECURED, admin, two(addGroupCall(SECURED), calls[i]), 0, DEADLINE);
        }
    }

    function test_RevertWhen_CallNamesAnotherAccount() external {
        vm.expectRevert(abi.encodeWithSelector(ISignedWrites.CallOfAnotherAccount.selector, 1, MANAGED));
        by(stranger)
            .executeSigned(SECURED, admin, two(addGroupCall(SECURED), addGroupCall(MANAGED)), 0, DEADLINE, "");
    }

    function test_RevertGiven_NoOrManagedAccount() external {
        bytes memory none = abi.encodeWithSelector(IErrors.AccountDoesNotExist.selector, UNKNOWN);
        refusedSigned(UNKNOWN, one(addGroupCall(UNKNOWN)), 0, "", none);
        bytes memory managed = abi.encodeWithSelector(ISignedWrites.AccountIsManaged.selector, MANAGED);
        refusedSigned(
            MANAGED,
            payer,
            one(addGroupCall(MANAGED)),
            0,
            sign("payer", MANAGED, one(addGroupCall(MANAGED)), 0),
            managed
        );
    }

    function test_RevertWhen_SignerIsNotTheAdmin() external {
        bytes[] memory calls = one(addGroupCall(SECURED));
        bytes memory noAccess = abi.encodeWithSelector(IErrors.NoAccountAccess.selector, SECURED, newAdmin);
        refusedSigned(SECURED, newAdmin, calls, 0, sign("new admin", SECURED, calls, 0), noAccess);
        refusedSigned(SECURED, newAdmin, calls, 0, sign(ADMIN, SECURED, calls, 0), noAccess);
    }

    function test_RevertWhen_SignatureIsInvalid() external {
        bytes[] memory calls = one(addGroupCall(SECURED));
        bytes memory invalid = abi.encodeWithSelector(ISignedWrites.InvalidSignature.selector, admin);
        refusedSigned(SECURED, calls, 0, "", invalid);
        refusedSigned(SECURED, calls, 0, sign("payer", SECURED, calls, 0), invalid);
        refusedSigned(SECURED, calls, 1, sign(ADMIN, SECURED, calls, 0), invalid);
        refusedSigned(SECURED, one(addActionCall(SECURED)), 0, sign(ADMIN, SECURED, calls, 0), invalid);
        bytes[] memory twice = two(addGroupCall(SECURED), addGroupCall(SECURED));
        refusedSigned(SECURED, twice, 0, sign(ADMIN, SECURED, calls, 0), invalid);
        bytes memory signed = sign(ADMIN, SECURED, calls, 0);
        vm.expectRevert(invalid);
        by(stranger).executeSigned(SECURED, admin, calls, 0, DEADLINE + 1, signed);
    }

    function test_RevertWhen_OpeningIsSignedByAnother() external {
        bytes[] memory open = one(abi.encodeCall(IAccountWrites.newChainSecuredAccount, (NAME, DESCRIPTION)));
        uint256 hash = identity(newAdmin);
        bytes memory invalid = abi.encodeWithSelector(ISignedWrites.InvalidSignature.selector, newAdmin);
        refusedSigned(hash, newAdmin, open, 0, sign(ADMIN, hash, open, 0), invalid);
        refusedSigned(hash, newAdmin, open, 0, "", invalid);
        bytes memory none = abi.encodeWithSelector(IErrors.AccountDoesNotExist.selector, hash);
        refusedSigned(hash, admin, open, 0, sign(ADMIN, hash, open, 0), none);
        // No signature is that of wallet 0.
        hash = identity(address(0));
        invalid = abi.encodeWithSelector(ISignedWrites.InvalidSignature.selector, address(0));
        refusedSigned(hash, address(0), open, 0, "", invalid);
    }

    /// The signer is named, so that a contract wallet can open by a signature too.
    function test_ContractWalletOpens() external {
        address good = address(new WalletOfKey(newAdmin));
        bytes[] memory open = one(abi.encodeCall(IAccountWrites.newChainSecuredAccount, (NAME, DESCRIPTION)));
        uint256 hash = identity(good);
        bytes32 digest = accountConfig.hashSignedWrites(hash, good, open, 5, DEADLINE);
        by(stranger).executeSigned(hash, good, open, 5, DEADLINE, signature("new admin", digest));
        vm.assertEq(accountConfig.getAccountWalletAddress(hash), good);
    }

    /// A wallet opens its account with anything that other callers put under its identity.
    function test_OpensUnderASquattedIdentity() external {
        uint256 hash = identity(newAdmin);
        bytes[] memory open = one(abi.encodeCall(IAccountWrites.newChainSecuredAccount, (NAME, DESCRIPTION)));
        bytes memory signed = sign("new admin", hash, open, 5);
        for (uint256 way; way < 4; ++way) {
            uint256 snapshot = vm.snapshotState();
            if (way % 3 == 0) by(payer).newAccount(hash, true, NAME, DESCRIPTION, accountKeyAddress);
            if (way == 1) setKey(newKey(hash));
            if (way == 2) by(admin).transferChainSecuredAccountOwnership(SECURED, newAdmin);
            if (way == 3) by(payer).convertToChainSecuredAccount(hash, noWallet);
            by(stranger).executeSigned(hash, newAdmin, open, 5, DEADLINE, signed);
            vm.assertEq(accountConfig.allApiKeyHashesToMaster(hash), hash);
            vm.assertTrue(accountConfig.isNonceUsed(hash, 5));
            vm.revertToState(snapshot);
        }
    }

    /// All or nothing: the nonce stays unused.
    function test_RevertGiven_AWriteReverts() external {
        bytes[] memory calls =
            two(addGroupCall(SECURED), abi.encodeCall(IGroupWrites.removeGroup, (SECURED, 99)));
        bytes memory signed = sign(ADMIN, SECURED, calls, 0);
        bytes memory none = abi.encodeWithSelector(IErrors.GroupDoesNotExist.selector, SECURED, 99);
        refusedSigned(SECURED, calls, 0, signed, none);
        vm.assertFalse(accountConfig.isNonceUsed(SECURED, 0));
        vm.assertEq(accountConfig.listGroups(SECURED, 0, 10), list(1, 2));
    }
}
