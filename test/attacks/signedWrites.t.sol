// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IAccountWrites } from "../../contracts/interfaces/IAccountWrites.sol";
import { IConfigFacet } from "../../contracts/interfaces/IConfigFacet.sol";
import { IErrors } from "../../contracts/interfaces/IErrors.sol";
import { IGroupWrites } from "../../contracts/interfaces/IGroupWrites.sol";
import { ISignedWrites } from "../../contracts/interfaces/ISignedWrites.sol";
import { IWritesFacet } from "../../contracts/interfaces/IWritesFacet.sol";
import { GasBurningWallet, MAGIC } from "../mocks/Erc1271Wallets.sol";
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
        return abi.encodeWithSelector(ISignedWrites.NonceAlreadyUsed.selector, admin, nonce);
    }

    function test_Replay() external {
        bytes[] memory calls = one(addGroupCall(SECURED));
        bytes memory signed = sign(ADMIN, SECURED, calls, 4);
        by(stranger).executeSigned(SECURED, calls, 4, DEADLINE, signed);
        refusedSigned(SECURED, calls, 4, signed, _used(4));
        vm.expectRevert(_used(4));
        by(admin).executeSigned(SECURED, calls, 4, DEADLINE, signed);
    }

    /// The other form of the same ECDSA signature.
    function test_MalleableSignature() external {
        bytes[] memory calls = one(addGroupCall(SECURED));
        (uint8 v, bytes32 r, bytes32 s) =
            vm.sign(keyOf(ADMIN), accountConfig.hashSignedWrites(SECURED, calls, 4, DEADLINE));
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
        by(stranger).executeSigned(identity(looseWallet), calls, 4, DEADLINE, signed);
        calls = one(addActionCall(identity(looseWallet)));
        refusedSigned(identity(looseWallet), calls, 4, signed, _invalid(newAdmin));
    }

    function test_SignatureOfAFormerAdmin() external {
        bytes[] memory calls = one(addActionCall(SECURED));
        bytes memory signed = sign(ADMIN, SECURED, calls, 4);
        by(admin).transferChainSecuredAccountOwnership(SECURED, newAdmin);
        refusedSigned(SECURED, calls, 4, signed, _invalid(newAdmin));
        by(newAdmin).updateGroupMetadata(SECURED, GROUP, NAME, DESCRIPTION);
        refusedSigned(SECURED, calls, 4, signed, _invalid(newAdmin));
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
        submit(ADMIN, SECURED, one(retire), 4);
        refusedSigned(SECURED, calls, 4, signed, none);
    }

    /// The account key of a managed account was rotated before the conversion: its old hash names nothing.
    function test_SignatureForARotatedHash() external {
        by(payer).rotateAccountKey(MANAGED, UNKNOWN);
        by(payer).convertToChainSecuredAccount(UNKNOWN, newAdmin);
        bytes[] memory calls = one(addActionCall(MANAGED));
        bytes memory signed = sign("new admin", MANAGED, calls, 4);
        bytes memory none = abi.encodeWithSelector(IErrors.AccountDoesNotExist.selector, MANAGED);
        refusedSigned(MANAGED, calls, 4, signed, none);
        submit("new admin", UNKNOWN, one(addActionCall(UNKNOWN)), 4);
    }

    /// No other wallet can use a nonce of the victim: a failed submission leaves it, and the attacker's own nonces are others.
    function test_GriefNonces() external {
        bytes[] memory calls = one(addActionCall(SECURED));
        by(thief).cancelNonce(4);
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
        vm.assertFalse(accountConfig.isNonceUsed(admin, 4) || accountConfig.isNonceUsed(admin, 5));
        submit(ADMIN, SECURED, calls, 4);
    }

    /// A caller cannot append a signer: the diamond reads it only from its own calls.
    function test_AppendTheVictim() external blockedInBothModes {
        bytes[3] memory calls = [
            addGroupCall(account),
            abi.encodeCall(IAccountWrites.retireAccount, (account)),
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
        refusedSigned(SECURED, calls, 0, "", _invalid(burner));
        vm.assertLt(gas - gasleft(), 1_300_000, "gas");
    }

    function test_WalletReenters() external {
        ReentrantWallet reentrant = new ReentrantWallet();
        by(admin).transferChainSecuredAccountOwnership(SECURED, address(reentrant));
        bytes[] memory calls = one(addActionCall(SECURED));
        reentrant.set(abi.encodeCall(ISignedWrites.executeSigned, (SECURED, calls, 0, DEADLINE, bytes(""))));
        // Asked by a static call, it cannot write, and the batch runs once.
        by(stranger).executeSigned(SECURED, calls, 0, DEADLINE, "");
        refusedSigned(
            SECURED,
            calls,
            0,
            "",
            abi.encodeWithSelector(ISignedWrites.NonceAlreadyUsed.selector, address(reentrant), 0)
        );
    }

    /// The answer counts at the time of the submission, and each nonce once.
    function test_WalletChangesItsAnswer() external {
        FickleWallet fickle = new FickleWallet();
        by(admin).transferChainSecuredAccountOwnership(SECURED, address(fickle));
        by(stranger).executeSigned(SECURED, one(addActionCall(SECURED)), 0, DEADLINE, "");
        refusedSigned(
            SECURED,
            one(addGroupCall(SECURED)),
            0,
            "",
            abi.encodeWithSelector(ISignedWrites.NonceAlreadyUsed.selector, address(fickle), 0)
        );
        fickle.refuse();
        refusedSigned(SECURED, one(addGroupCall(SECURED)), 1, "", _invalid(address(fickle)));
    }
}
