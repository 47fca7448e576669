// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IAccountWrites } from "../../contracts/interfaces/IAccountWrites.sol";
import { IConfigFacet } from "../../contracts/interfaces/IConfigFacet.sol";
import { IErrors } from "../../contracts/interfaces/IErrors.sol";
import { IGroupWrites } from "../../contracts/interfaces/IGroupWrites.sol";
import { ISignedWrites } from "../../contracts/interfaces/ISignedWrites.sol";
import { IWalletWrites } from "../../contracts/interfaces/IWalletWrites.sol";
import { IWritesFacet } from "../../contracts/interfaces/IWritesFacet.sol";
import { GasBurningWallet, MAGIC, WalletOfKey } from "../mocks/Erc1271Wallets.sol";
import { SignedWritesTest } from "../utils/SignedWritesTest.sol";

/// @notice A wallet that accepts while it says so.
contract FickleWallet {
    bool public accepts = true;

    function refuse() external {
        accepts = false;
    }

    function isValidSignature(bytes32, bytes calldata) external view returns (bytes4) {
        return accepts ? MAGIC : bytes4(0);
    }
}

/// @notice A wallet that submits the batch again while it is asked.
contract ReentrantWallet {
    bytes private data;

    function set(bytes calldata data_) external {
        data = data_;
    }

    function isValidSignature(bytes32, bytes calldata) external returns (bytes4) {
        bytes memory call_ = data;
        // memory-safe: reads an allocated array of bytes.
        assembly ("memory-safe") {
            pop(call(gas(), caller(), 0, add(call_, 32), mload(call_), 0, 0))
        }
        return MAGIC;
    }
}

/// @notice Rule 16: attacks with signatures of the admin wallet.
contract SignedWritesAttackTest is SignedWritesTest {
    function setUp() public override {
        super.setUp();
        enterSecured();
    }

    function _invalid(address signer) private pure returns (bytes memory) {
        return abi.encodeWithSelector(ISignedWrites.InvalidSignature.selector, signer);
    }

    function _used(uint256 nonce) private view returns (bytes memory) {
        return abi.encodeWithSelector(ISignedWrites.NonceAlreadyUsed.selector, SECURED, nonce);
    }

    function test_Replay() external {
        bytes[] memory calls = one(addGroupCall(SECURED));
        bytes memory signed = sign(ADMIN, SECURED, calls, 4);
        by(stranger).executeSigned(SECURED, admin, calls, 4, DEADLINE, signed);
        refusedSigned(SECURED, calls, 4, signed, _used(4));
        vm.expectRevert(_used(4));
        by(admin).executeSigned(SECURED, admin, calls, 4, DEADLINE, signed);
    }

    /// The other form of the same ECDSA signature.
    function test_MalleableSignature() external {
        bytes[] memory calls = one(addGroupCall(SECURED));
        (uint8 v, bytes32 r, bytes32 s) =
            vm.sign(keyOf(ADMIN), accountConfig.hashSignedWrites(SECURED, admin, calls, 4, DEADLINE));
        uint256 order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141;
        bytes memory high = abi.encodePacked(r, order - uint256(s), v == 27 ? uint8(28) : uint8(27));
        refusedSigned(SECURED, calls, 4, high, _invalid(admin));
    }

    function test_ReplayOnAnotherChain() external {
        bytes[] memory calls = one(addGroupCall(SECURED));
        bytes memory signed = sign(ADMIN, SECURED, calls, 4);
        vm.chainId(block.chainid + 1);
        refusedSigned(SECURED, calls, 4, signed, _invalid(admin));
    }

    function test_ReplayOnAnotherContract() external {
        bytes[] memory calls = one(addGroupCall(SECURED));
        bytes memory signed = sign(ADMIN, SECURED, calls, 4);
        address first = address(accountConfig);
        super.setUp();
        enterSecured();
        vm.assertNotEq(first, address(accountConfig));
        refusedSigned(SECURED, calls, 4, signed, _invalid(admin));
    }

    /// The signer is the admin of a second account, which was transferred to it.
    function test_ReplayOnAnotherAccount() external {
        by(stranger).newChainSecuredAccount(NAME, DESCRIPTION);
        uint256 other = identity(stranger);
        by(stranger).transferChainSecuredAccountOwnership(other, newAdmin);
        by(looseWallet).newChainSecuredAccount(NAME, DESCRIPTION);
        by(looseWallet).transferChainSecuredAccountOwnership(identity(looseWallet), newAdmin);
        bytes[] memory calls = one(addActionCall(other));
        bytes memory signed = sign("new admin", other, calls, 4);
        vm.expectRevert(abi.encodeWithSelector(ISignedWrites.CallOfAnotherAccount.selector, 0, other));
        by(stranger).executeSigned(identity(looseWallet), newAdmin, calls, 4, DEADLINE, signed);
        calls = one(addActionCall(identity(looseWallet)));
        refusedSigned(identity(looseWallet), newAdmin, calls, 4, signed, _invalid(newAdmin));
    }

    function test_SignatureOfAFormerAdmin() external {
        bytes[] memory calls = one(addActionCall(SECURED));
        bytes memory signed = sign(ADMIN, SECURED, calls, 4);
        by(admin).transferChainSecuredAccountOwnership(SECURED, newAdmin);
        bytes memory noAccess = abi.encodeWithSelector(IErrors.NoAccountAccess.selector, SECURED, admin);
        refusedSigned(SECURED, calls, 4, signed, noAccess);
        refusedSigned(SECURED, newAdmin, calls, 4, signed, _invalid(newAdmin));
        by(newAdmin).updateGroupMetadata(SECURED, GROUP, NAME, DESCRIPTION);
        refusedSigned(SECURED, calls, 4, signed, noAccess);
    }

    /// Rule 22: the account moves from a key to the contract wallet that accepts the signatures of that key, and back.
    function test_SignatureThatTwoAdminsAccept() external {
        address smart = address(new WalletOfKey(admin));
        bytes[] memory calls = one(addGroupCall(SECURED));
        bytes memory signed = sign(ADMIN, SECURED, calls, 4);
        bytes memory cancelled = sign(ADMIN, SECURED, calls, 5);
        by(stranger).executeSigned(SECURED, admin, calls, 4, DEADLINE, signed);
        by(admin).cancelNonce(SECURED, 5);
        by(admin).transferChainSecuredAccountOwnership(SECURED, smart);
        refusedSigned(SECURED, smart, calls, 4, signed, _invalid(smart));
        refusedSigned(SECURED, smart, calls, 5, cancelled, _invalid(smart));
        // The contract wallet accepts batches with these nonces, which the account has used before.
        refusedSigned(SECURED, smart, calls, 4, _signFor(smart, calls, 4), _used(4));
        refusedSigned(SECURED, smart, calls, 5, _signFor(smart, calls, 5), _used(5));
        by(stranger).executeSigned(SECURED, smart, calls, 6, DEADLINE, _signFor(smart, calls, 6));
        by(smart).transferChainSecuredAccountOwnership(SECURED, newAdmin);
        by(newAdmin).cancelTransfer(SECURED);
        refusedSigned(SECURED, smart, calls, 6, _signFor(smart, calls, 6), _used(6));
    }

    /// Rule 22: an account under the identity of a wallet waits for it and is taken back. The wallet signs for its identity.
    function test_ReplayAfterAnAccountUnderTheIdentityIsTakenBack() external {
        uint256 hash = _openUnderIdentityOf(looseWallet);
        by(newAdmin).transferChainSecuredAccountOwnership(hash, looseWallet);
        bytes[] memory calls = one(abi.encodeCall(ISignedWrites.cancelNonce, (hash, 5)));
        bytes memory signed = sign("loose wallet", hash, calls, 4);
        by(stranger).executeSigned(hash, looseWallet, calls, 4, DEADLINE, signed);
        by(newAdmin).cancelTransfer(hash);
        refusedSigned(hash, looseWallet, calls, 4, signed, _usedUnder(hash, 4));
        by(looseWallet).newChainSecuredAccount(NAME, DESCRIPTION);
        refusedSigned(hash, looseWallet, calls, 4, signed, _usedUnder(hash, 4));
    }

    /// Rule 22: a wallet opens its account under the master hash of one that waits, and transfers it to the same wallet.
    function test_ReplayOnTheNextAccountOfTheMasterHash() external {
        _replayOnTheNextAccount(_openUnderIdentityOf(looseWallet));
    }

    /// The same for a name that was an account key.
    function test_ReplayOnTheNextAccountOfAnAccountKey() external {
        uint256 hash = identity(looseWallet);
        rotate(MANAGED, hash);
        by(payer).convertToChainSecuredAccount(hash, newAdmin);
        _replayOnTheNextAccount(hash);
    }

    /// @notice A managed account whose key hash is the identity of the wallet, converted to the new admin.
    function _openUnderIdentityOf(address wallet_) private returns (uint256 hash) {
        hash = identity(wallet_);
        by(payer).newAccount(hash, true, NAME, DESCRIPTION, accountKeyAddress);
        by(payer).convertToChainSecuredAccount(hash, newAdmin);
    }

    /// @param hash A name of an account of the new admin, and the identity of the loose wallet.
    function _replayOnTheNextAccount(uint256 hash) private {
        by(newAdmin).transferChainSecuredAccountOwnership(hash, stranger);
        bytes[] memory calls = one(abi.encodeCall(ISignedWrites.cancelNonce, (hash, 5)));
        bytes memory signed = sign("stranger", hash, calls, 4);
        by(stranger).executeSigned(hash, stranger, calls, 4, DEADLINE, signed);
        by(looseWallet).newChainSecuredAccount(NAME, DESCRIPTION);
        by(looseWallet).transferChainSecuredAccountOwnership(hash, stranger);
        refusedSigned(hash, stranger, calls, 4, signed, _usedUnder(hash, 4));
        by(stranger).acceptAccount(hash);
        refusedSigned(hash, stranger, calls, 4, signed, _usedUnder(hash, 4));
        submit("stranger", hash, one(addGroupCallOf(hash)), 6);
    }

    function _usedUnder(uint256 hash, uint256 nonce) private pure returns (bytes memory) {
        return abi.encodeWithSelector(ISignedWrites.NonceAlreadyUsed.selector, hash, nonce);
    }

    function _signFor(address smart, bytes[] memory calls, uint256 nonce)
        private
        view
        returns (bytes memory)
    {
        return signature(ADMIN, accountConfig.hashSignedWrites(SECURED, smart, calls, nonce, DEADLINE));
    }

    /// Rule 21: an observer transfers an account to a wallet that opens its own and writes it by three signed batches, and submits
    /// the last two of them first.
    function test_PushBetweenSignedBatches() external {
        uint256 hash = identity(newAdmin);
        bytes[] memory open = one(abi.encodeCall(IAccountWrites.newChainSecuredAccount, (NAME, DESCRIPTION)));
        bytes[] memory group = one(addGroupCallOf(hash));
        bytes[] memory register = one(
            abi.encodeCall(
                IWalletWrites.registerWalletDerivation,
                (hash, noWallet, uint256(uint160(newAdmin)) << 96 | 7, NAME, DESCRIPTION)
            )
        );
        bytes[3] memory signed = [
            sign("new admin", hash, open, 0),
            sign("new admin", hash, group, 1),
            sign("new admin", hash, register, 2)
        ];
        by(thief).transferChainSecuredAccountOwnership(identity(thief), newAdmin);
        bytes memory notAccepted = abi.encodeWithSelector(IErrors.AccountNotAccepted.selector, hash);
        refusedSigned(hash, newAdmin, group, 1, signed[1], notAccepted);
        refusedSigned(hash, newAdmin, register, 2, signed[2], notAccepted);
        by(thief).executeSigned(hash, newAdmin, open, 0, DEADLINE, signed[0]);
        by(thief).executeSigned(hash, newAdmin, group, 1, DEADLINE, signed[1]);
        by(thief).executeSigned(hash, newAdmin, register, 2, DEADLINE, signed[2]);
        vm.assertEq(accountConfig.listPkps(hash, 0, 10).length, 1);
        vm.assertEq(accountConfig.listPkps(identity(thief), 0, 10).length, 0);
    }

    function addGroupCallOf(uint256 hash) internal pure returns (bytes memory) {
        return abi.encodeCall(IGroupWrites.addGroup, (hash, NAME, DESCRIPTION, list(), wallets()));
    }

    /// A former admin with the identity of the account cannot use up its nonces.
    function test_FormerAdminCancelsNonces() external {
        by(admin).transferChainSecuredAccountOwnership(SECURED, newAdmin);
        by(newAdmin).acceptAccount(SECURED);
        expectNoAccess(SECURED, admin);
        by(admin).cancelNonce(SECURED, 4);
        bytes[] memory cancel = one(abi.encodeCall(ISignedWrites.cancelNonce, (SECURED, 4)));
        refusedSigned(
            SECURED,
            cancel,
            5,
            sign(ADMIN, SECURED, cancel, 5),
            abi.encodeWithSelector(IErrors.NoAccountAccess.selector, SECURED, admin)
        );
        vm.assertFalse(accountConfig.isNonceUsed(SECURED, 4) || accountConfig.isNonceUsed(SECURED, 5));
    }

    /// The batch hands the account over, and would write it afterwards.
    function test_BatchThatIncludesTheTransfer() external {
        bytes memory transfer =
            abi.encodeCall(IAccountWrites.transferChainSecuredAccountOwnership, (SECURED, newAdmin));
        bytes[] memory calls = two(transfer, addActionCall(SECURED));
        bytes memory signed = sign(ADMIN, SECURED, calls, 4);
        bytes memory noAccess = abi.encodeWithSelector(IErrors.NoAccountAccess.selector, SECURED, admin);
        refusedSigned(SECURED, calls, 4, signed, noAccess);
        vm.assertEq(accountConfig.getAccountWalletAddress(SECURED), admin);
        submit(ADMIN, SECURED, two(addActionCall(SECURED), transfer), 4);
        vm.assertEq(accountConfig.getAccountWalletAddress(SECURED), newAdmin);
    }

    function test_BatchThatIncludesTheRetirement() external {
        bytes memory retire = abi.encodeCall(IAccountWrites.retireAccount, (SECURED));
        bytes[] memory calls = two(retire, addActionCall(SECURED));
        bytes memory signed = sign(ADMIN, SECURED, calls, 4);
        bytes memory none = abi.encodeWithSelector(IErrors.AccountDoesNotExist.selector, SECURED);
        refusedSigned(SECURED, calls, 4, signed, none);
        submit(ADMIN, SECURED, one(retire), 3);
        refusedSigned(SECURED, calls, 4, signed, none);
    }

    /// The account key of a managed account was rotated before the conversion. For its admin wallet the master hash names the account.
    function test_SignatureForARotatedHash() external {
        rotate(MANAGED, UNKNOWN);
        bytes[] memory calls = one(addActionCall(MANAGED));
        bytes memory none = abi.encodeWithSelector(IErrors.AccountDoesNotExist.selector, MANAGED);
        refusedSigned(MANAGED, newAdmin, calls, 4, sign("new admin", MANAGED, calls, 4), none);
        by(payer).convertToChainSecuredAccount(UNKNOWN, newAdmin);
        submit("new admin", MANAGED, calls, 4);
        bytes[] memory byKey = one(addGroupCallOf(UNKNOWN));
        bytes memory used = abi.encodeWithSelector(ISignedWrites.NonceAlreadyUsed.selector, UNKNOWN, 4);
        refusedSigned(UNKNOWN, newAdmin, byKey, 4, sign("new admin", UNKNOWN, byKey, 4), used);
        submit("new admin", UNKNOWN, byKey, 5);
        vm.assertTrue(accountConfig.isNonceUsed(MANAGED, 5));
    }

    /// No other wallet can use a nonce of the victim: a failed submission leaves it, and the attacker's own nonces are others.
    function test_GriefNonces() external {
        bytes[] memory calls = one(addActionCall(SECURED));
        by(thief).cancelNonce(identity(thief), 4);
        refusedSigned(SECURED, calls, 4, sign("thief", SECURED, calls, 4), _invalid(admin));
        uint256 lair_ = identity(thief);
        submit("thief", lair_, one(addActionCall(lair_)), 5);
        bytes[] memory failing =
            two(addActionCall(SECURED), abi.encodeCall(IGroupWrites.removeGroup, (SECURED, 99)));
        bytes memory signed = sign(ADMIN, SECURED, failing, 5);
        refusedSigned(
            SECURED,
            failing,
            5,
            signed,
            abi.encodeWithSelector(IErrors.GroupDoesNotExist.selector, SECURED, 99)
        );
        vm.assertFalse(accountConfig.isNonceUsed(SECURED, 4) || accountConfig.isNonceUsed(SECURED, 5));
        submit(ADMIN, SECURED, calls, 4);
    }

    /// A caller cannot append a signer: the diamond reads it only from its own calls.
    function test_AppendTheVictim() external blockedInBothModes {
        bytes[3] memory calls = [
            addGroupCall(account),
            account == MANAGED
                ? abi.encodeCall(IAccountWrites.retireManagedAccount, (account, DEADLINE, ""))
                : abi.encodeCall(IAccountWrites.retireAccount, (account)),
            abi.encodeCall(IAccountWrites.transferChainSecuredAccountOwnership, (account, thief))
        ];
        for (uint256 i; i < 2; ++i) {
            bytes memory appended = abi.encodePacked(calls[i], writer);
            bytes memory noAccess = abi.encodeWithSelector(IErrors.NoAccountAccess.selector, account, thief);
            refused(thief, appended, noAccess);
            refused(thief, abi.encodeCall(IWritesFacet.multicall, (one(appended))), noAccess);
        }
        by(thief);
        (bool ok,) = address(accountConfig).call(abi.encodePacked(calls[2], writer));
        vm.assertFalse(ok);
    }

    /// A payer who signs gets no authority of a payer.
    function test_PayerSigns() external {
        by(payer).newChainSecuredAccount(NAME, DESCRIPTION);
        bytes[] memory calls = one(addActionCall(identity(payer)));
        submit("payer", identity(payer), calls, 0);
        vm.expectRevert(
            abi.encodeWithSelector(ISignedWrites.NotSignable.selector, 0, IConfigFacet.setApiPayers.selector)
        );
        by(payer)
            .executeSigned(
                identity(payer),
                payer,
                one(abi.encodeCall(IConfigFacet.setApiPayers, (list(thief)))),
                1,
                DEADLINE,
                ""
            );
    }

    // --------------------------------------------------------------------------------------- contract wallets

    function test_WalletBurnsAllGas() external {
        address burner = address(new GasBurningWallet());
        by(admin).transferChainSecuredAccountOwnership(SECURED, burner);
        bytes[] memory calls = one(addActionCall(SECURED));
        uint256 gas = gasleft();
        refusedSigned(SECURED, burner, calls, 0, "", _invalid(burner));
        vm.assertLt(gas - gasleft(), 1_300_000, "gas");
    }

    function test_WalletReenters() external {
        ReentrantWallet reentrant = new ReentrantWallet();
        by(admin).transferChainSecuredAccountOwnership(SECURED, address(reentrant));
        bytes[] memory calls = one(addActionCall(SECURED));
        address smart = address(reentrant);
        reentrant.set(
            abi.encodeCall(ISignedWrites.executeSigned, (SECURED, smart, calls, 0, DEADLINE, bytes("")))
        );
        // Asked by a static call, it cannot write, and the batch runs once.
        by(stranger).executeSigned(SECURED, smart, calls, 0, DEADLINE, "");
        refusedSigned(
            SECURED,
            smart,
            calls,
            0,
            "",
            abi.encodeWithSelector(ISignedWrites.NonceAlreadyUsed.selector, SECURED, 0)
        );
    }

    /// The answer counts at the time of the submission, and each nonce once.
    function test_WalletChangesItsAnswer() external {
        FickleWallet fickle = new FickleWallet();
        by(admin).transferChainSecuredAccountOwnership(SECURED, address(fickle));
        by(stranger).executeSigned(SECURED, address(fickle), one(addActionCall(SECURED)), 0, DEADLINE, "");
        refusedSigned(
            SECURED,
            address(fickle),
            one(addGroupCall(SECURED)),
            0,
            "",
            abi.encodeWithSelector(ISignedWrites.NonceAlreadyUsed.selector, SECURED, 0)
        );
        fickle.refuse();
        refusedSigned(SECURED, address(fickle), one(addGroupCall(SECURED)), 1, "", _invalid(address(fickle)));
    }
}
