// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IAccountConfig } from "../../contracts/interfaces/IAccountConfig.sol";
import { Deploy } from "../../script/Deploy.s.sol";

/// @notice Makes the calls of a file on a new AccountConfig and writes the result of each.
///
///   npm run forge -- script test/differential/Replay.s.sol:Replay --sig 'run(string)' DIRECTORY
///
/// `DIRECTORY/wallet` is the code of a contract wallet. Its address is the end of the hash of its code.
/// `DIRECTORY/calls` is: the owner (20 bytes), then sections to the end. A section is: its length (4 bytes), a sequence
/// that prepares the state, then sequences that each start from it. A sequence is: its length (4 bytes), then calls. A
/// call is: 1 for a view, else 0 (1 byte), the caller (20), the block's time (8), the length of its data (4), its data.
/// `DIRECTORY/results` has one result per call: 1 for success, else 0 (1 byte), the length of what it returned (4), that,
/// and after a call that is not a view the length of its logs (4) and `abi.encode(Vm.Log[])`.
///
/// Sections and sequences run in calls that revert with their results, so they leave no effects.
contract Replay is Deploy {
    error OnlySelf();

    IAccountConfig private diamond;
    address private self;

    modifier onlySelf() {
        if (msg.sender != self) revert OnlySelf();
        _;
    }

    function run(string calldata directory) external {
        bytes memory input = scripts.readFileBinary(string.concat(directory, "/calls"));
        address owner;
        // memory-safe: reads the first 20 bytes of `input`.
        assembly ("memory-safe") {
            owner := shr(96, mload(add(input, 32)))
        }
        self = address(this);
        Settings memory settings =
            Settings({ owner: owner, apiPayers: new address[](0), adminApiPayer: address(0) });
        diamond = IAccountConfig(deploy(self, settings).diamond);
        scripts.prank(owner);
        diamond.acceptOwnership();
        bytes memory wallet = scripts.readFileBinary(string.concat(directory, "/wallet"));
        scripts.etch(address(uint160(uint256(keccak256(wallet)))), wallet);
        scripts.recordLogs();
        (, bytes memory results) = self.call(abi.encodeCall(this.sections, (input)));
        scripts.writeFileBinary(string.concat(directory, "/results"), results);
    }

    function sections(bytes calldata input) external onlySelf {
        uint256 results = _freeMemory();
        bytes calldata section;
        for (uint256 next = 20; next != input.length;) {
            (section, next) = _part(input, next);
            _callSelf(this.sequences.selector, section);
        }
        _revertWith(results);
    }

    function sequences(bytes calldata section) external onlySelf {
        uint256 results = _freeMemory();
        (bytes calldata sequence, uint256 next) = _part(section, 0);
        _replay(sequence);
        while (next != section.length) {
            (sequence, next) = _part(section, next);
            _callSelf(this.replay.selector, sequence);
        }
        _revertWith(results);
    }

    function replay(bytes calldata sequence) external onlySelf {
        uint256 results = _freeMemory();
        _replay(sequence);
        _revertWith(results);
    }

    // Results are appended at the free memory pointer: memory-safe, nothing else is allocated that is still in use.

    function _freeMemory() private pure returns (uint256 pointer) {
        assembly ("memory-safe") {
            pointer := mload(0x40)
        }
    }

    function _revertWith(uint256 results) private pure {
        assembly ("memory-safe") {
            revert(results, sub(mload(0x40), results))
        }
    }

    /// @return part The bytes at `start` of `all`, after their length in 4 bytes.
    /// @return next The position of their end.
    function _part(bytes calldata all, uint256 start)
        private
        pure
        returns (bytes calldata part, uint256 next)
    {
        next = start + 4 + uint32(bytes4(all[start:start + 4]));
        part = all[start + 4:next];
    }

    /// @notice Calls a function of this contract that takes `bytes`, and appends its revert data.
    function _callSelf(bytes4 selector, bytes calldata argument) private {
        assembly ("memory-safe") {
            let end := mload(0x40)
            mstore(end, selector)
            mstore(add(end, 4), 32)
            mstore(add(end, 36), argument.length)
            calldatacopy(add(end, 68), argument.offset, argument.length)
            pop(call(gas(), address(), 0, end, add(68, argument.length), 0, 0))
            returndatacopy(end, 0, returndatasize())
            mstore(0x40, add(end, returndatasize()))
        }
    }

    function _replay(bytes calldata sequence) private {
        uint256 start;
        while (start != sequence.length) {
            bool isView = uint8(sequence[start]) == 1;
            address caller = address(bytes20(sequence[start + 1:start + 21]));
            uint64 time = uint64(bytes8(sequence[start + 21:start + 29]));
            bytes calldata data;
            (data, start) = _part(sequence, start + 29);
            if (block.timestamp != time) scripts.warp(time);
            scripts.prank(caller);
            _callDiamond(data, isView);
            if (!isView) _appendLogs();
        }
    }

    function _callDiamond(bytes calldata data, bool isView) private {
        address target = address(diamond);
        assembly ("memory-safe") {
            let end := mload(0x40)
            calldatacopy(end, data.offset, data.length)
            let success := 0
            switch isView
            case 0 { success := call(gas(), target, 0, end, data.length, 0, 0) }
            default { success := staticcall(gas(), target, end, data.length, 0, 0) }
            mstore8(end, success)
            mstore(add(end, 1), shl(224, returndatasize()))
            returndatacopy(add(end, 5), 0, returndatasize())
            mstore(0x40, add(add(end, 5), returndatasize()))
        }
    }

    function _appendLogs() private {
        address target = address(scripts);
        bytes4 selector = scripts.getRecordedLogs.selector;
        assembly ("memory-safe") {
            let end := mload(0x40)
            mstore(end, selector)
            pop(call(gas(), target, 0, end, 4, 0, 0))
            mstore(end, shl(224, returndatasize()))
            returndatacopy(add(end, 4), 0, returndatasize())
            mstore(0x40, add(add(end, 4), returndatasize()))
        }
    }
}
