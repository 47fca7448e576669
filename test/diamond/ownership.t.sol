// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IDiamond } from "../../contracts/interfaces/IDiamond.sol";
import { AccountConfigTest } from "../utils/AccountConfigTest.sol";
import { Vm } from "../utils/Vm.sol";

contract OwnershipTest is AccountConfigTest {
    function test_Creation() external {
        vm.recordLogs();
        address diamond = create("AccountConfig", abi.encode(stranger, new IDiamond.FacetCut[](0)));
        Vm.Log[] memory logs = vm.getRecordedLogs();
        vm.assertEq(logs.length, 2);
        vm.assertEq(logs[0].emitter, diamond);
        vm.assertEq(logs[0].topics[0], IDiamond.OwnershipTransferred.selector);
        vm.assertEq(logs[0].topics[1], bytes32(0));
        vm.assertEq(logs[0].topics[2], bytes32(uint256(uint160(stranger))));
        vm.assertEq(logs[1].topics[0], IDiamond.DiamondCut.selector);
        (, address init, bytes memory data) = abi.decode(logs[1].data, (IDiamond.FacetCut[], address, bytes));
        vm.assertEq(init, address(0));
        vm.assertEq(data, "");
    }

    function test_TwoSteps() external {
        vm.assertEq(accountConfig.owner(), owner);
        vm.assertEq(accountConfig.pendingOwner(), address(0));
        expectEvent();
        emit IDiamond.OwnershipTransferStarted(owner, stranger);
        by(owner).transferOwnership(stranger);
        assertEvents(1);
        vm.assertEq(accountConfig.owner(), owner);
        vm.assertEq(accountConfig.pendingOwner(), stranger);
        expectRevert(IDiamond.OnlyOwner.selector, stranger);
        by(stranger).setApiPayers(list(stranger));

        expectEvent();
        emit IDiamond.OwnershipTransferred(owner, stranger);
        by(stranger).acceptOwnership();
        assertEvents(1);
        vm.assertEq(accountConfig.owner(), stranger);
        vm.assertEq(accountConfig.pendingOwner(), address(0));
        by(stranger).setApiPayers(list(stranger));
        by(stranger).diamondCut(new IDiamond.FacetCut[](0), address(0), "");
        expectRevert(IDiamond.OnlyOwner.selector, owner);
        by(owner).setApiPayers(list(owner));
        expectRevert(IDiamond.OnlyOwner.selector, owner);
        by(owner).diamondCut(new IDiamond.FacetCut[](0), address(0), "");
    }

    function test_OfferIsWithdrawn() external {
        by(owner).transferOwnership(stranger);
        by(owner).transferOwnership(owner);
        vm.assertEq(accountConfig.pendingOwner(), owner);
        expectRevert(IDiamond.OnlyPendingOwner.selector, stranger);
        by(stranger).acceptOwnership();
    }

    function test_RevertWhen_NewOwnerIsZero() external {
        expectRevert(IDiamond.OwnerIsZero.selector);
        by(owner).transferOwnership(address(0));
        expectRevert(IDiamond.OnlyOwner.selector, stranger);
        by(stranger).transferOwnership(address(0));
    }

    function test_RevertWhen_FirstOwnerIsZero() external {
        bytes memory code = bytes.concat(
            vm.getCode(artifact("AccountConfig")), abi.encode(address(0), new IDiamond.FacetCut[](0))
        );
        bytes memory result;
        // memory-safe: reads the code and allocates the revert data.
        assembly ("memory-safe") {
            if create(0, add(code, 32), mload(code)) { revert(0, 0) }
            result := mload(0x40)
            mstore(0x40, add(result, 64))
            mstore(result, returndatasize())
            returndatacopy(add(result, 32), 0, returndatasize())
        }
        vm.assertEq(result, abi.encodeWithSelector(IDiamond.OwnerIsZero.selector));
    }

    function test_OfferIsReplaced() external {
        by(owner).transferOwnership(stranger);
        by(owner).transferOwnership(newAdmin);
        expectRevert(IDiamond.OnlyPendingOwner.selector, stranger);
        by(stranger).acceptOwnership();
        by(newAdmin).acceptOwnership();
        vm.assertEq(accountConfig.owner(), newAdmin);
    }

    function test_RevertGiven_CallerIsNotTheOwner() external {
        by(owner).setConfigOperator(accountKeyAddress);
        by(owner).setPricingOperator(otherPayer);
        by(owner).transferOwnership(newAdmin);
        // The last one has an offer of the ownership and has not accepted it.
        address[7] memory callers =
            [stranger, payer, admin, address(this), accountKeyAddress, otherPayer, newAdmin];
        for (uint256 i; i < callers.length; ++i) {
            expectRevert(IDiamond.OnlyOwner.selector, callers[i]);
            by(callers[i]).transferOwnership(callers[i]);
        }
    }

    function test_RevertGiven_CallerIsNotThePendingOwner() external {
        expectRevert(IDiamond.OnlyPendingOwner.selector, stranger);
        by(stranger).acceptOwnership();
        by(owner).transferOwnership(newAdmin);
        expectRevert(IDiamond.OnlyPendingOwner.selector, owner);
        by(owner).acceptOwnership();
        by(newAdmin).acceptOwnership();
        expectRevert(IDiamond.OnlyPendingOwner.selector, newAdmin);
        by(newAdmin).acceptOwnership();
    }

    function test_RevertGiven_NobodyIsPending() external {
        expectRevert(IDiamond.OnlyPendingOwner.selector, address(1));
        by(address(1)).acceptOwnership();
    }
}
