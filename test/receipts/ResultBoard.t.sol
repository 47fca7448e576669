// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { RunReceipt } from "../../contracts/receipts/RunReceipts.sol";
import { Vm } from "../utils/Vm.sol";

interface IResultBoard {
    error WrongSigner();
    error OtherRun();
    error Stale();

    event Posted(bytes16 indexed runId, bytes result);

    function post(bytes calldata result, RunReceipt calldata receipt, bytes calldata signature) external;
    function result() external view returns (bytes memory);
    function blockNumber() external view returns (uint64);
}

/// @notice A contract accepts a result only with a receipt of the service for it, as the vector that the TypeScript tests read
/// too.
contract ResultBoardTest {
    Vm private constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));

    string private json = vm.readFile("packages/protocol/vectors/run-receipt.json");
    RunReceipt private receipt;
    bytes private signature;
    bytes private result;
    IResultBoard private board;

    function setUp() external {
        receipt = RunReceipt({
            runId: bytes16(vm.parseJsonBytes(json, ".message.runId")),
            cidHash: vm.parseJsonUint(json, ".message.cidHash"),
            usageKeyHash: vm.parseJsonUint(json, ".message.usageKeyHash"),
            paramsHash: vm.parseJsonBytes32(json, ".message.paramsHash"),
            responseHash: vm.parseJsonBytes32(json, ".message.responseHash"),
            succeeded: true,
            wallets: vm.parseJsonAddressArray(json, ".message.wallets"),
            durationMs: uint64(vm.parseJsonUint(json, ".message.durationMs")),
            blockNumber: uint64(vm.parseJsonUint(json, ".message.blockNumber"))
        });
        signature = vm.parseJsonBytes(json, ".signature");
        result = vm.parseJsonBytes(json, ".result");
        vm.chainId(vm.parseJsonUint(json, ".chainId"));
        board = deploy(vm.parseJsonAddress(json, ".contractAddress"), receipt.cidHash, receipt.paramsHash);
    }

    function deploy(address accountConfig, uint256 cidHash, bytes32 paramsHash)
        private
        returns (IResultBoard deployed)
    {
        bytes memory arguments =
            abi.encode(accountConfig, vm.parseJsonAddress(json, ".signer"), cidHash, paramsHash);
        bytes memory code =
            abi.encodePacked(vm.getCode("contracts/receipts/ResultBoard.sol:ResultBoard"), arguments);
        assembly ("memory-safe") {
            deployed := create(0, add(code, 32), mload(code))
        }
        vm.assertTrue(address(deployed) != address(0));
    }

    function test_AcceptsAResultWithItsReceipt() external {
        vm.expectEmit(address(board));
        emit IResultBoard.Posted(receipt.runId, result);
        board.post(result, receipt, signature);
        vm.assertEq(board.result(), result);
        vm.assertEq(board.blockNumber(), receipt.blockNumber);
    }

    function test_RevertGiven_AReceiptThatWasShown() external {
        board.post(result, receipt, signature);
        vm.expectRevert(abi.encodeWithSelector(IResultBoard.Stale.selector));
        board.post(result, receipt, signature);
    }

    function test_RevertWhen_TheResultDiffers() external {
        vm.expectRevert(abi.encodeWithSelector(IResultBoard.OtherRun.selector));
        board.post(abi.encode(uint256(1235)), receipt, signature);
    }

    function test_RevertGiven_AnotherAction() external {
        IResultBoard other =
            deploy(vm.parseJsonAddress(json, ".contractAddress"), receipt.cidHash + 1, receipt.paramsHash);
        vm.expectRevert(abi.encodeWithSelector(IResultBoard.OtherRun.selector));
        other.post(result, receipt, signature);
    }

    /// The signature of the service is genuine: a stranger ran the action with parameters of his own.
    function test_RevertGiven_OtherParameters() external {
        bytes32 wanted = sha256("{}");
        vm.assertNotEq(wanted, receipt.paramsHash);
        IResultBoard other = deploy(vm.parseJsonAddress(json, ".contractAddress"), receipt.cidHash, wanted);
        vm.expectRevert(abi.encodeWithSelector(IResultBoard.OtherRun.selector));
        other.post(result, receipt, signature);
    }

    function test_RevertGiven_AnotherDeploymentOrChain() external {
        IResultBoard other = deploy(address(this), receipt.cidHash, receipt.paramsHash);
        vm.expectRevert(abi.encodeWithSelector(IResultBoard.WrongSigner.selector));
        other.post(result, receipt, signature);
        vm.chainId(1);
        vm.expectRevert(abi.encodeWithSelector(IResultBoard.WrongSigner.selector));
        board.post(result, receipt, signature);
    }

    function test_RevertWhen_AFieldIsChanged() external {
        for (uint256 field = 0; field < 9; ++field) {
            RunReceipt memory changed = receipt;
            if (field == 0) changed.runId = bytes16(uint128(changed.runId) + 1);
            if (field == 1) ++changed.cidHash;
            if (field == 2) ++changed.usageKeyHash;
            if (field == 3) changed.paramsHash = bytes32(uint256(changed.paramsHash) + 1);
            if (field == 4) changed.responseHash = bytes32(uint256(changed.responseHash) + 1);
            if (field == 5) changed.succeeded = false;
            if (field == 6) changed.wallets[1] = address(this);
            if (field == 7) ++changed.durationMs;
            if (field == 8) ++changed.blockNumber;
            vm.expectRevert(abi.encodeWithSelector(IResultBoard.WrongSigner.selector));
            board.post(result, changed, signature);
        }
    }

    function test_RevertWhen_TheSignatureIsMalformed() external {
        vm.expectRevert();
        board.post(result, receipt, "");
        vm.expectRevert();
        board.post(result, receipt, abi.encodePacked(bytes32(0), bytes32(0), uint8(27)));
    }

    function testFuzz_OnlyTheSignersSignature(bytes32 r, bytes32 s, bool isOdd) external {
        vm.expectRevert();
        board.post(result, receipt, abi.encodePacked(r, s, isOdd ? uint8(28) : uint8(27)));
    }
}
