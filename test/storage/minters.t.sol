// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { StorageAccess } from "./StorageAccess.sol";

/// @notice The former writers of an account in storage: one word for each that has registered wallets.
contract MintersStorageTest is StorageAccess {
    uint256 private constant ACCOUNT = uint256(keccak256("another account key"));
    address private current;
    uint256 private registered;

    function setUp() public override {
        super.setUp();
        account = ACCOUNT;
        by(payer).newAccount(ACCOUNT, true, NAME, DESCRIPTION, actor("another account key address"));
        current = actor("writer 1");
        by(payer).convertToChainSecuredAccount(ACCOUNT, current);
    }

    function _word(uint256 number) private view returns (uint256) {
        return load(slotAt(MINTERS, below(number)));
    }

    function _pathOf(address minter, uint256 number) private pure returns (uint256) {
        return uint256(uint160(minter)) << 96 | number;
    }

    function _register() private {
        uint256 number = ++registered;
        address pkpId = address(uint160(20_000 + number));
        by(current).registerWalletDerivation(ACCOUNT, pkpId, _pathOf(current, number), "", "");
    }

    function _transfer(string memory next) private {
        by(current).transferChainSecuredAccountOwnership(ACCOUNT, actor(next));
        current = actor(next);
    }

    function _assertPath(uint256 number, address minter) private view {
        uint256 path = accountConfig.getWalletDerivation(ACCOUNT, address(uint160(20_000 + number)));
        vm.assertEq(path, _pathOf(minter, number));
    }

    function test_OneWordPerWriterWithWallets() external {
        _transfer("writer 2");
        vm.assertEq(_word(0), 0);

        _register();
        _transfer("writer 3");
        uint256 first = put(MINTER, uint160(actor("writer 2"))) | put(MINTER_LAST, 1);
        vm.assertEq(_word(0), first | put(MINTER_COUNT, 1));
        _assertPath(1, actor("writer 2"));

        _transfer("writer 4");
        vm.assertEq(_word(0), first | put(MINTER_COUNT, 1));
        vm.assertEq(_word(1), 0);

        _register();
        _register();
        _transfer("writer 5");
        _transfer("writer 6");
        vm.assertEq(_word(0), first | put(MINTER_COUNT, 2));
        vm.assertEq(_word(1), put(MINTER, uint160(actor("writer 4"))) | put(MINTER_LAST, 3));
        vm.assertEq(_word(2), 0);
        _assertPath(1, actor("writer 2"));
        _assertPath(2, actor("writer 4"));
        _assertPath(3, actor("writer 4"));
    }
}
