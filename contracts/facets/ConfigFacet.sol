// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IConfigFacet } from "../interfaces/IConfigFacet.sol";
import { IErrors } from "../interfaces/IErrors.sol";
import { LibDiamond } from "../libraries/LibDiamond.sol";
import { LibRoles } from "../libraries/LibRoles.sol";
import { AccountConfigStorage as S } from "../storage/AccountConfigStorage.sol";
import { EnumerableSet } from "@openzeppelin/contracts/utils/structs/EnumerableSet.sol";

/// @notice Api payers, operators, prices and node settings, see IConfigFacet.
contract ConfigFacet is IConfigFacet {
    using EnumerableSet for EnumerableSet.AddressSet;
    using EnumerableSet for EnumerableSet.StringSet;

    uint256 private constant MAX_API_PAYERS = 50;
    uint256 private constant MAX_NODE_CONFIGURATIONS = 100;
    uint256 private constant MAX_KEY_BYTES = 128;
    uint256 private constant MAX_VALUE_BYTES = 1024;

    /// @inheritdoc IConfigFacet
    function setApiPayers(address[] calldata newApiPayers) external {
        LibDiamond.requireOwner();
        if (newApiPayers.length > MAX_API_PAYERS) {
            revert IErrors.TooManyApiPayers(newApiPayers.length, MAX_API_PAYERS);
        }
        S.Layout storage $ = S.load();
        EnumerableSet.AddressSet storage payers = $.apiPayers;
        _activate(false);
        payers.clear();
        for (uint256 i; i < newApiPayers.length; ++i) {
            if (newApiPayers[i] == address(0)) revert IErrors.ApiPayerIsZero(i);
            if (!payers.add(newApiPayers[i])) {
                revert IErrors.DuplicateApiPayer(newApiPayers[i]);
            }
        }
        if (!$.payersFrozen) _activate(true);
        emit ApiPayersSet(newApiPayers);
    }

    function _activate(bool active) private {
        S.Layout storage $ = S.load();
        uint256 count = $.apiPayers.length();
        for (uint256 i; i < count; ++i) {
            $.activePayers[$.apiPayers.at(i)] = active;
        }
    }

    /// @inheritdoc IConfigFacet
    function setGuardian(address newGuardian) external {
        LibDiamond.requireOwner();
        S.load().guardian = newGuardian;
        emit GuardianSet(newGuardian);
    }

    /// @inheritdoc IConfigFacet
    function freezePayers() external {
        LibRoles.requireGuardianOrOwner();
        if (S.load().payersFrozen) return;
        S.load().payersFrozen = true;
        _activate(false);
        emit PayersFrozen(msg.sender);
    }

    /// @inheritdoc IConfigFacet
    function unfreezePayers() external {
        LibDiamond.requireOwner();
        if (!S.load().payersFrozen) return;
        S.load().payersFrozen = false;
        _activate(true);
        emit PayersUnfrozen();
    }

    /// @inheritdoc IConfigFacet
    function setConversionLimit(uint256 perDay) external {
        LibDiamond.requireOwner();
        S.Layout storage $ = S.load();
        $.conversionsLimited = perDay <= type(uint64).max;
        // The cast is safe where it counts: the number is compared only when it fits.
        $.conversionsPerDay = uint64(perDay);
        emit ConversionLimitSet($.conversionsLimited ? perDay : type(uint256).max);
    }

    /// @inheritdoc IConfigFacet
    function setConsentRequired(bool required) external {
        LibDiamond.requireOwner();
        S.load().consentRequired = required;
        emit ConsentRequiredSet(required);
    }

    /// @inheritdoc IConfigFacet
    function setAdminApiPayerAccount(address newAdminApiPayerAccount) external {
        LibRoles.requireConfigOperator();
        S.load().adminApiPayerAccount = newAdminApiPayerAccount;
        emit AdminApiPayerAccountSet(newAdminApiPayerAccount);
    }

    /// @inheritdoc IConfigFacet
    function setConfigOperator(address newConfigOperator) external {
        LibRoles.requireConfigOperator();
        S.load().configOperator = newConfigOperator;
        emit ConfigOperatorSet(newConfigOperator);
    }

    /// @inheritdoc IConfigFacet
    function setNodeConfiguration(string calldata key, string calldata value) external {
        LibRoles.requireConfigOperator();
        if (bytes(key).length == 0 || bytes(key).length > MAX_KEY_BYTES) {
            revert IErrors.NodeConfigurationKeyLengthOutOfRange(bytes(key).length, MAX_KEY_BYTES);
        }
        if (bytes(value).length > MAX_VALUE_BYTES) {
            revert IErrors.NodeConfigurationValueTooLong(bytes(value).length, MAX_VALUE_BYTES);
        }
        S.Layout storage $ = S.load();
        if (bytes(value).length == 0) {
            $.nodeConfigurationKeys.remove(key);
            delete $.nodeConfiguration[key];
        } else {
            $.nodeConfigurationKeys.add(key);
            if ($.nodeConfigurationKeys.length() > MAX_NODE_CONFIGURATIONS) {
                revert IErrors.TooManyNodeConfigurations(MAX_NODE_CONFIGURATIONS);
            }
            $.nodeConfiguration[key] = value;
        }
        emit NodeConfigurationSet(key, value);
    }

    /// @inheritdoc IConfigFacet
    function setPricing(uint256 pricingItemId, uint256 price) external {
        LibRoles.requirePricingOperator();
        S.load().pricing[pricingItemId] = price;
        emit PricingSet(pricingItemId, price);
    }

    /// @inheritdoc IConfigFacet
    function setPricingOperator(address newPricingOperator) external {
        LibRoles.requirePricingOperator();
        S.load().pricingOperator = newPricingOperator;
        emit PricingOperatorSet(newPricingOperator);
    }

    /// @inheritdoc IConfigFacet
    function api_payers() external view returns (address[] memory) {
        return S.load().apiPayers.values();
    }

    /// @inheritdoc IConfigFacet
    function adminApiPayerAccount() external view returns (address) {
        return S.load().adminApiPayerAccount;
    }

    /// @inheritdoc IConfigFacet
    function pricingOperator() external view returns (address) {
        return S.load().pricingOperator;
    }

    /// @inheritdoc IConfigFacet
    function configOperator() external view returns (address) {
        return S.load().configOperator;
    }

    /// @inheritdoc IConfigFacet
    function guardian() external view returns (address) {
        return S.load().guardian;
    }

    /// @inheritdoc IConfigFacet
    function payersFrozen() external view returns (bool) {
        return S.load().payersFrozen;
    }

    /// @inheritdoc IConfigFacet
    function conversionLimit() external view returns (uint256) {
        S.Layout storage $ = S.load();
        return $.conversionsLimited ? $.conversionsPerDay : type(uint256).max;
    }

    /// @inheritdoc IConfigFacet
    function conversionsToday(address caller) external view returns (uint256) {
        return LibRoles.conversionsToday(caller);
    }

    /// @inheritdoc IConfigFacet
    function consentRequired() external view returns (bool) {
        return S.load().consentRequired;
    }

    /// @inheritdoc IConfigFacet
    function getPricing(uint256 pricingItemId) external view returns (uint256) {
        return S.load().pricing[pricingItemId];
    }

    /// @inheritdoc IConfigFacet
    function nodeConfigurationValue(string calldata key) external view returns (string memory) {
        return S.load().nodeConfiguration[key];
    }

    /// @inheritdoc IConfigFacet
    function nodeConfigurationValues() external view returns (NodeConfiguration[] memory values) {
        S.Layout storage $ = S.load();
        string[] memory keys = $.nodeConfigurationKeys.values();
        values = new NodeConfiguration[](keys.length);
        for (uint256 i; i < keys.length; ++i) {
            values[i] = NodeConfiguration({ key: keys[i], value: $.nodeConfiguration[keys[i]] });
        }
    }
}
