// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IAccountWrites } from "../../contracts/interfaces/IAccountWrites.sol";
import { IErrors } from "../../contracts/interfaces/IErrors.sol";
import { IGroupWrites } from "../../contracts/interfaces/IGroupWrites.sol";
import { ISignaturesFacet } from "../../contracts/interfaces/ISignaturesFacet.sol";
import { IUsageKeyWrites } from "../../contracts/interfaces/IUsageKeyWrites.sol";
import { IViewsFacet } from "../../contracts/interfaces/IViewsFacet.sol";
import { IWritesFacet } from "../../contracts/interfaces/IWritesFacet.sol";
import {
    AnsweringWallet,
    EchoWallet,
    GasBurningWallet,
    GoodWallet,
    HugeAnswerWallet,
    MAGIC,
    RecursiveWallet,
    ReenteringWallet,
    SlowWallet,
    WritingWallet
} from "../mocks/Erc1271Wallets.sol";
import { AccountConfigTest } from "../utils/AccountConfigTest.sol";

/// @notice Both signature views with hostile wallets: they never accept falsely, and never use more gas than 1,000,000 plus
/// their own.
contract HostileWalletsTest is AccountConfigTest {
    uint256 private constant ERC1271_GAS = 1_000_000;
    /// Route, facet and wallet cold, the account's two words, ECDSA, and the copies of a short signature.
    uint256 private constant OWN_GAS = 30_000;
    bytes32 private constant DIGEST = keccak256("digest");
    bytes private constant SIGNATURE = "signature";
    /// CALLER, SELFDESTRUCT. In bytes, because the compiler warns about the name.
    bytes private constant SELF_DESTRUCTING = hex"33ff";

    /// @notice Calls both views for a wallet, which becomes the admin of an account first, and expects the same answer
    /// within the gas.
    function _ask(address wallet_) private returns (bool valid) {
        valid = _askWithin(wallet_, SIGNATURE);
        uint256 snapshot = vm.snapshotState();
        by(payer).convertToChainSecuredAccount(MANAGED, wallet_);
        bytes memory call =
            abi.encodeCall(ISignaturesFacet.isValidAccountSignature, (MANAGED, DIGEST, SIGNATURE));
        vm.assertEq(_staticcall(call), valid, "isValidAccountSignature");
        vm.revertToState(snapshot);
    }

    function _askWithin(address wallet_, bytes memory signature) private view returns (bool) {
        return
            _staticcall(abi.encodeCall(ISignaturesFacet.isValidWalletSignature, (wallet_, DIGEST, signature)));
    }

    function _staticcall(bytes memory call) private view returns (bool valid) {
        uint256 gas = gasleft();
        (bool ok, bytes memory result) = address(accountConfig).staticcall(call);
        vm.assertLt(gas - gasleft(), ERC1271_GAS + OWN_GAS, "gas");
        vm.assertTrue(ok, "the view reverts");
        vm.assertEq(result.length, 32);
        return abi.decode(result, (bool));
    }

    function _answering(bytes memory answer, bool reverts) private returns (address) {
        return address(new AnsweringWallet(answer, reverts));
    }

    // ----------------------------------------------------------------------------------------- gas and long answers

    function test_BurnsAllGas() external {
        vm.assertFalse(_ask(address(new GasBurningWallet())));
    }

    /// Ten megabytes of memory cost more gas than the wallet gets, in an answer and in a revert.
    function test_ReturnsTenMegabytes() external {
        vm.assertFalse(_ask(address(new HugeAnswerWallet(10_000_000, false))));
        vm.assertFalse(_ask(address(new HugeAnswerWallet(10_000_000, true))));
    }

    /// Only the first word of the longest answer that the gas pays for is read, without a second copy.
    function test_ReturnsTheMostItCan() external {
        (uint256 low, uint256 high) = (32, 10_000_000);
        while (high - low > 32) {
            uint256 size = (low + high) / 2;
            if (_askWithin(address(new HugeAnswerWallet(size, false)), SIGNATURE)) low = size;
            else high = size;
        }
        vm.assertTrue(low > 600_000, "the wallet gets less gas than it should");
        vm.assertTrue(low < 800_000, "the wallet gets more gas than it should");
        vm.assertTrue(_ask(address(new HugeAnswerWallet(low, false))));
        vm.assertFalse(_ask(address(new HugeAnswerWallet(low, true))));
    }

    function test_LongSignatureIsNoFreeLunch() external {
        address wallet_ = address(new GasBurningWallet());
        uint256 gas = gasleft();
        vm.assertFalse(accountConfig.isValidWalletSignature(wallet_, DIGEST, new bytes(4096)));
        vm.assertLt(gas - gasleft(), ERC1271_GAS + 2 * OWN_GAS);
    }

    // -------------------------------------------------------------------------------------------------- odd answers

    function test_AnswersOfOddLengths() external {
        bytes memory magic = abi.encode(MAGIC);
        vm.assertTrue(_ask(_answering(magic, false)));
        for (uint256 length; length < 32; ++length) {
            bytes memory short = new bytes(length);
            for (uint256 i; i < length; ++i) {
                short[i] = magic[i];
            }
            vm.assertFalse(_ask(_answering(short, false)), "a short answer");
        }
        // As Solidity decodes it: a bytes4 in the first word, and anything after it.
        vm.assertTrue(_ask(_answering(bytes.concat(magic, hex"01"), false)), "33 bytes");
        vm.assertTrue(_ask(_answering(bytes.concat(magic, magic), false)), "64 bytes");
        vm.assertFalse(_ask(_answering(bytes.concat(hex"00", magic), false)), "33 bytes, shifted");
    }

    function testFuzz_DirtyAnswers(bytes32 dirt) external {
        dirt = (dirt << 32) >> 32;
        vm.assume(dirt != 0);
        vm.assertFalse(_askWithin(_answering(abi.encode(bytes32(MAGIC) | dirt), false), SIGNATURE));
    }

    function testFuzz_OtherWords(bytes32 answer) external {
        vm.assertEq(_askWithin(_answering(abi.encode(answer), false), SIGNATURE), answer == bytes32(MAGIC));
        vm.assertFalse(_askWithin(_answering(abi.encode(answer), true), SIGNATURE));
    }

    function test_AnswersThatMeanYesElsewhere() external {
        vm.assertFalse(_ask(_answering(abi.encode(true), false)));
        vm.assertFalse(_ask(_answering(abi.encode(bytes32(type(uint256).max)), false)));
        // The magic value of the older isValidSignature(bytes,bytes).
        vm.assertFalse(_ask(_answering(abi.encode(bytes4(0x20c13b0b)), false)));
        vm.assertFalse(_ask(_answering(abi.encode(uint32(MAGIC)), false)));
    }

    function test_RevertsWithTheMagicValue() external {
        vm.assertFalse(_ask(_answering(abi.encode(MAGIC), true)));
        vm.assertFalse(_ask(_answering(abi.encodePacked(MAGIC), true)));
    }

    /// A wallet that echoes accepts the one digest that makes its calldata the magic word. The wallet itself accepts it; the
    /// precompile that echoes is not a wallet.
    function test_Echoes() external {
        address wallet_ = address(new EchoWallet());
        vm.assertFalse(_ask(wallet_));
        vm.assertTrue(accountConfig.isValidWalletSignature(wallet_, 0, SIGNATURE));
        vm.assertFalse(accountConfig.isValidWalletSignature(wallet_, bytes32(uint256(1) << 32), SIGNATURE));
        vm.assertFalse(accountConfig.isValidWalletSignature(address(4), 0, SIGNATURE));
    }

    // ------------------------------------------------------------------------------------------------- re-entrance

    /// The wallet is the admin of an account and tries to write it during the call, which is static.
    function test_ReentersWithWrites() external {
        ReenteringWallet wallet_ = new ReenteringWallet();
        by(payer).convertToChainSecuredAccount(MANAGED, address(wallet_));
        UsageKey memory k = almightyKey(UNKNOWN);
        bytes[] memory many = new bytes[](1);
        many[0] = abi.encodeCall(IGroupWrites.addGroup, (MANAGED, NAME, DESCRIPTION, list(), wallets()));
        bytes[5] memory writes = [
            many[0],
            encodeSetKey(k),
            abi.encodeCall(IAccountWrites.transferChainSecuredAccountOwnership, (MANAGED, stranger)),
            abi.encodeCall(IUsageKeyWrites.removeUsageApiKey, (MANAGED, key)),
            abi.encodeCall(IWritesFacet.multicall, (many))
        ];
        for (uint256 i; i < writes.length; ++i) {
            wallet_.reenterWith(writes[i]);
            vm.recordLogs();
            bytes memory ask =
                abi.encodeCall(ISignaturesFacet.isValidAccountSignature, (MANAGED, DIGEST, SIGNATURE));
            // By a call that is not static: only the view itself prevents the write.
            (bool ok, bytes memory result) = address(accountConfig).call(ask);
            vm.assertTrue(ok && abi.decode(result, (bool)), "it accepts all the same");
            assertEvents(0);
            vm.assertEq(accountConfig.listGroups(MANAGED, 0, 10), list(GROUP, EMPTY_GROUP));
            vm.assertEq(accountConfig.allApiKeyHashesToMaster(UNKNOWN), 0);
            vm.assertEq(accountConfig.getAccountWalletAddress(MANAGED), address(wallet_));
            assertCan(key, ACTION, wallet, true, true);
            // The call is valid otherwise.
            uint256 snapshot = vm.snapshotState();
            vm.assertTrue(wallet_.callNow(address(accountConfig)), "the write is right");
            vm.revertToState(snapshot);
        }
    }

    function test_ReentersWithViews() external {
        ReenteringWallet wallet_ = new ReenteringWallet();
        wallet_.reenterWith(abi.encodeCall(IViewsFacet.canExecuteActionAndUseWallet, (key, ACTION, wallet)));
        vm.assertTrue(_ask(address(wallet_)));
        wallet_.reenterWith(
            abi.encodeCall(ISignaturesFacet.isValidWalletSignature, (address(wallet_), DIGEST, SIGNATURE))
        );
        vm.assertTrue(_ask(address(wallet_)));
    }

    /// The wallet calls the view for itself again. Running out of gas is a refusal at every level.
    function test_RecursesWithoutEnd() external {
        vm.assertFalse(_ask(address(new RecursiveWallet())));
    }

    function test_WritesItsOwnState() external {
        vm.assertFalse(_ask(address(new WritingWallet())));
    }

    function test_DestroysItself() external {
        vm.deal(noWallet, 1 ether);
        vm.etch(noWallet, SELF_DESTRUCTING);
        vm.assertFalse(_ask(noWallet));
        vm.assertEq(noWallet.balance, 1 ether);
        vm.assertEq(noWallet.code, SELF_DESTRUCTING);
    }

    // -------------------------------------------------------------------------------------- delegated EOAs (EIP-7702)

    function _delegate(address implementation) private {
        vm.signAndAttachDelegation(implementation, keyOf("stranger"));
        vm.prank(payer);
        accountConfig.multicall(new bytes[](0)); // the transaction that carries it
        vm.assertEq(stranger.code, abi.encodePacked(hex"ef0100", implementation));
    }

    function _sign(string memory signer) private pure returns (bytes memory) {
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(keyOf(signer), DIGEST);
        return abi.encodePacked(r, s, v);
    }

    /// The key of a delegated EOA still signs, and a signature that its delegate accepts counts too.
    function test_DelegatedEoa() external {
        _delegate(address(new GoodWallet(DIGEST, SIGNATURE)));
        vm.assertTrue(_ask(stranger));
        vm.assertTrue(_askWithin(stranger, _sign("stranger")));
        vm.assertFalse(_askWithin(stranger, _sign("admin")));
        vm.assertFalse(_askWithin(stranger, "other signature"));
    }

    /// A hostile delegate does not invalidate the key's signatures, and costs no more than a hostile wallet.
    function test_DelegatedEoaWithAHostileDelegate() external {
        vm.etch(noWallet, SELF_DESTRUCTING);
        address[7] memory delegates = [
            address(new GasBurningWallet()),
            address(new HugeAnswerWallet(10_000_000, false)),
            noWallet,
            address(new RecursiveWallet()),
            _answering(abi.encode(true), false),
            _answering(abi.encode(MAGIC), true),
            address(accountConfig)
        ];
        for (uint256 i; i < delegates.length; ++i) {
            uint256 snapshot = vm.snapshotState();
            _delegate(delegates[i]);
            vm.assertFalse(_ask(stranger));
            vm.assertFalse(_askWithin(stranger, _sign("admin")));
            vm.assertTrue(_askWithin(stranger, _sign("stranger")));
            vm.revertToState(snapshot);
        }
    }

    /// Delegates without code: calls succeed and return nothing. A delegation to a precompile does not run it.
    function test_DelegatedEoaWithoutADelegatesCode() external {
        for (uint160 i = 1; i < 11; ++i) {
            uint256 snapshot = vm.snapshotState();
            _delegate(address(i));
            vm.assertFalse(_ask(stranger));
            vm.assertFalse(accountConfig.isValidWalletSignature(stranger, 0, SIGNATURE));
            vm.revertToState(snapshot);
        }
        _delegate(noWallet);
        vm.assertFalse(_ask(stranger));
        vm.assertTrue(_askWithin(stranger, _sign("stranger")));
    }

    // -------------------------------------------------------------------------------------------- wallets that are none

    function test_WalletWithoutCode() external {
        vm.assertFalse(_ask(noWallet));
    }

    /// A precompile runs without code: the one at 4 would echo the magic value.
    function test_Precompiles() external {
        for (uint160 i = 1; i < 257; ++i) {
            vm.assertFalse(_askWithin(address(i), SIGNATURE));
            vm.assertFalse(accountConfig.isValidWalletSignature(address(i), 0, ""));
            vm.assertFalse(accountConfig.isValidWalletSignature(address(i), 0, _sign("admin")));
        }
        vm.assertFalse(_ask(address(4)));
    }

    function test_TheDiamondAndItsFacets() external {
        vm.assertFalse(_ask(address(accountConfig)));
        address[] memory facets = accountConfig.facetAddresses();
        for (uint256 i; i < facets.length; ++i) {
            vm.assertFalse(_ask(facets[i]));
        }
    }

    /// ecrecover returns zero for an invalid signature.
    function testFuzz_ZeroAddress(bytes32 digest, bytes calldata signature) external view {
        vm.assertFalse(accountConfig.isValidWalletSignature(address(0), digest, signature));
        vm.assertFalse(accountConfig.isValidWalletSignature(address(0), digest, new bytes(65)));
        vm.assertFalse(accountConfig.isValidWalletSignature(address(0), digest, new bytes(64)));
    }

    // ------------------------------------------------------------------------------------------------- too little gas

    /// A wallet can run out of gas when it gets less than it may use. An acceptance counts anyway; a refusal reverts with
    /// InsufficientGas until 63/64 of the remaining gas are the wallet's 1,000,000.
    function test_TooLittleGas() external {
        address good = address(new SlowWallet(900_000));
        address bad = address(new GasBurningWallet());
        for (uint256 gas = 5000; gas < 1_200_000; gas += 5000) {
            (bool ok, bytes memory result) = _askWithGas(bad, gas);
            vm.assertTrue(!ok || gas > ERC1271_GAS, "a hasty no");
            if (ok) vm.assertFalse(abi.decode(result, (bool)), "a false yes");
            (bool accepted, bytes memory answer) = _askWithGas(good, gas);
            vm.assertTrue(!accepted || abi.decode(answer, (bool)), "a false no");
            if (gas < 1_050_000) continue;
            vm.assertTrue(ok && accepted, "enough gas");
        }
        (, bytes memory refusal) = _askWithGas(bad, 500_000);
        vm.assertEq(bytes32(bytes4(refusal)), bytes32(IErrors.InsufficientGas.selector));
        uint256 available;
        uint256 needed;
        // memory-safe: reads the bytes that the call returned.
        assembly ("memory-safe") {
            available := mload(add(refusal, 36))
            needed := mload(add(refusal, 68))
        }
        vm.assertLt(available, 500_000);
        vm.assertEq(needed, 1_020_000);
    }

    function _askWithGas(address wallet_, uint256 gas) private view returns (bool ok, bytes memory result) {
        bytes memory ask =
            abi.encodeCall(ISignaturesFacet.isValidWalletSignature, (wallet_, DIGEST, SIGNATURE));
        return address(accountConfig).staticcall{ gas: gas }(ask);
    }
}
