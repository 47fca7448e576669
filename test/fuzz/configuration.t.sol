// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IConfigFacet } from "../../contracts/interfaces/IConfigFacet.sol";
import { IErrors } from "../../contracts/interfaces/IErrors.sol";
import { AccountConfigTest } from "../utils/AccountConfigTest.sol";

/// @notice setApiPayers, setAdminApiPayerAccount, setConfigOperator, setNodeConfiguration, setPricing, setPricingOperator and
/// their getters.
contract ConfigurationFuzzTest is AccountConfigTest {
    /// Any set replaces any other set.
    function testFuzz_setApiPayers(address[8] calldata first, address[8] calldata second, uint8 size)
        external
    {
        _setPayers(first, 8);
        address[] memory payers = _setPayers(second, size % 9);
        vm.assertEq(accountConfig.api_payers(), payers);
        for (uint256 i; i < 8; ++i) {
            _assertPayer(first[i], _contains(payers, first[i]));
            _assertPayer(second[i], _contains(payers, second[i]));
        }
        _assertPayer(payer, _contains(payers, payer));
    }

    /// @return payers The first `size` of the candidates without zero and repetitions.
    function _setPayers(address[8] calldata candidates, uint256 size)
        private
        returns (address[] memory payers)
    {
        payers = new address[](size);
        uint256 count;
        for (uint256 i; i < size; ++i) {
            if (candidates[i] == address(0) || _contains(payers, candidates[i])) continue;
            payers[count++] = candidates[i];
        }
        // memory-safe: shortens an array that was made here.
        assembly ("memory-safe") {
            mstore(payers, count)
        }
        expectEvent();
        emit IConfigFacet.ApiPayersSet(payers);
        by(owner).setApiPayers(payers);
    }

    function _contains(address[] memory values, address value) private pure returns (bool) {
        for (uint256 i; i < values.length; ++i) {
            if (values[i] == value) return true;
        }
        return false;
    }

    function _assertPayer(address caller, bool expected) private {
        vm.prank(caller);
        vm.assertEq(accountConfig.accountExistsAndIsMutable(MANAGED), expected);
    }

    /// Zero, repetitions and more than 50 payers are refused, and the set is unchanged.
    function testFuzz_setApiPayers_Refused(uint8 length, uint8 index, uint8 other, bool zero) external {
        uint256 count = uint256(length) % 80 + 2;
        address[] memory payers = new address[](count);
        for (uint256 i; i < count; ++i) {
            payers[i] = address(uint160(1000 + i));
        }
        (uint256 i_, uint256 j_) = (index % count, other % count);
        if (i_ == j_) j_ = (j_ + 1) % count;
        payers[i_] = zero ? address(0) : payers[j_];
        if (count > 50) expectRevert(IErrors.TooManyApiPayers.selector, count, 50);
        else if (zero) expectRevert(IErrors.ApiPayerIsZero.selector, i_);
        else expectRevert(IErrors.DuplicateApiPayer.selector, payers[j_]);
        by(owner).setApiPayers(payers);
        vm.assertEq(accountConfig.api_payers(), list(payer, otherPayer));
    }

    function testFuzz_Operators(address admin_, address config, address pricing) external {
        expectEvent();
        emit IConfigFacet.AdminApiPayerAccountSet(admin_);
        by(owner).setAdminApiPayerAccount(admin_);
        expectEvent();
        emit IConfigFacet.ConfigOperatorSet(config);
        by(owner).setConfigOperator(config);
        expectEvent();
        emit IConfigFacet.PricingOperatorSet(pricing);
        by(owner).setPricingOperator(pricing);
        vm.assertEq(accountConfig.adminApiPayerAccount(), admin_);
        vm.assertEq(accountConfig.configOperator(), config);
        vm.assertEq(accountConfig.pricingOperator(), pricing);
    }

    /// Every setting by any caller: the owner may set all, an operator its own, other callers none.
    function testFuzz_AnyCaller(address caller, address config, address pricing) external {
        by(owner).setConfigOperator(config);
        by(owner).setPricingOperator(pricing);
        bytes[6] memory calls = [
            abi.encodeCall(IConfigFacet.setApiPayers, (list(stranger))),
            abi.encodeCall(IConfigFacet.setAdminApiPayerAccount, (stranger)),
            abi.encodeCall(IConfigFacet.setNodeConfiguration, ("key", "value")),
            abi.encodeCall(IConfigFacet.setConfigOperator, (stranger)),
            abi.encodeCall(IConfigFacet.setPricing, (1, 2)),
            abi.encodeCall(IConfigFacet.setPricingOperator, (stranger))
        ];
        address[4] memory callers = [caller, config, pricing, owner];
        for (uint256 i; i < callers.length; ++i) {
            for (uint256 j; j < calls.length; ++j) {
                bool allowed =
                    callers[i] == owner || (j != 0 && (j < 4 ? callers[i] == config : callers[i] == pricing));
                uint256 snapshot = vm.snapshotState();
                vm.prank(callers[i]);
                (bool ok, bytes memory result) = address(accountConfig).call(calls[j]);
                vm.revertToState(snapshot);
                vm.assertEq(ok, allowed);
                if (!ok) vm.assertEq(abi.encode(callers[i]), _argument(result));
            }
        }
    }

    /// @notice Returns the data of an error after its selector.
    function _argument(bytes memory result) private pure returns (bytes memory argument) {
        argument = new bytes(result.length - 4);
        for (uint256 i; i < argument.length; ++i) {
            argument[i] = result[i + 4];
        }
    }

    function testFuzz_setPricing(uint256 item, uint256 price, uint256 other) external {
        vm.assume(item != other);
        expectEvent();
        emit IConfigFacet.PricingSet(item, price);
        by(owner).setPricing(item, price);
        vm.assertEq(accountConfig.getPricing(item), price);
        vm.assertEq(accountConfig.getPricing(other), 0);
    }

    /// Keys and values: the last value counts, an empty one removes the key, and other keys are unchanged.
    function testFuzz_setNodeConfiguration(string[6] calldata keys, string[6] calldata values) external {
        for (uint256 i; i < keys.length; ++i) {
            if (bytes(keys[i]).length == 0 || bytes(keys[i]).length > 128) {
                expectRevert(
                    IErrors.NodeConfigurationKeyLengthOutOfRange.selector, bytes(keys[i]).length, 128
                );
            } else if (bytes(values[i]).length > 1024) {
                expectRevert(IErrors.NodeConfigurationValueTooLong.selector, bytes(values[i]).length, 1024);
            } else {
                expectEvent();
                emit IConfigFacet.NodeConfigurationSet(keys[i], values[i]);
            }
            by(owner).setNodeConfiguration(keys[i], values[i]);
        }
        uint256 count;
        for (uint256 i; i < keys.length; ++i) {
            string memory expected;
            bool last = true;
            for (uint256 j; j < keys.length; ++j) {
                if (keccak256(bytes(keys[j])) != keccak256(bytes(keys[i]))) continue;
                if (bytes(keys[j]).length == 0 || bytes(keys[j]).length > 128) continue;
                if (bytes(values[j]).length > 1024) continue;
                expected = values[j];
                if (j > i) last = false;
            }
            vm.assertEq(accountConfig.nodeConfigurationValue(keys[i]), expected);
            if (last && bytes(expected).length != 0) ++count;
        }
        IConfigFacet.NodeConfiguration[] memory all = accountConfig.nodeConfigurationValues();
        vm.assertEq(all.length, count);
        for (uint256 i; i < all.length; ++i) {
            vm.assertEq(accountConfig.nodeConfigurationValue(all[i].key), all[i].value);
        }
    }

    /// Only the owner and the guardian freeze, only the owner unfreezes, and frozen payers write nothing.
    function testFuzz_setGuardian_freezePayers_unfreezePayers(address guardian, address caller) external {
        vm.assume(guardian != address(0) && guardian != owner && caller != owner && caller != guardian);
        by(owner).setGuardian(guardian);
        vm.assertEq(accountConfig.guardian(), guardian);
        expectRevert(IErrors.OnlyGuardianOrOwner.selector, caller);
        by(caller).freezePayers();
        vm.assertFalse(accountConfig.payersFrozen());
        by(guardian).freezePayers();
        vm.assertTrue(accountConfig.payersFrozen());
        expectRevert(IErrors.ApiPayersAreFrozen.selector, payer);
        by(payer).addGroup(MANAGED, NAME, DESCRIPTION, list(), wallets());
        by(admin).addGroup(SECURED, NAME, DESCRIPTION, list(), wallets());
        vm.prank(guardian);
        vm.expectRevert();
        accountConfig.unfreezePayers();
        by(owner).unfreezePayers();
        vm.assertFalse(accountConfig.payersFrozen());
        by(payer).addGroup(MANAGED, NAME, DESCRIPTION, list(), wallets());
    }

    /// On every day exactly as many accounts are converted as the limit says.
    function testFuzz_setConversionLimit(uint8 limit, uint8 wanted, uint16 daysLater) external {
        uint256 perDay = limit % 4;
        by(owner).setConversionLimit(perDay);
        vm.assertEq(accountConfig.conversionLimit(), perDay);
        for (uint256 day; day < 2; ++day) {
            vm.assertEq(accountConfig.conversionsToday(payer), 0);
            for (uint256 i; i < wanted % 6; ++i) {
                uint256 hash = uint256(keccak256(abi.encode(day, i)));
                by(payer).newAccount(hash, true, NAME, DESCRIPTION, accountKeyAddress);
                bool within = i < perDay;
                if (!within) expectRevert(IErrors.ConversionLimitReached.selector, perDay);
                by(payer).convertToChainSecuredAccount(hash, address(uint160(hash)));
                vm.assertEq(accountConfig.conversionsToday(payer), within ? i + 1 : perDay);
            }
            vm.warp(block.timestamp + (uint256(daysLater) + 1) * 1 days);
        }
    }
}
