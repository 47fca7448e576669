// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IAccountConfig } from "../interfaces/IAccountConfig.sol";
import { AccountConfigStorage as S } from "../libraries/AccountConfigStorage.sol";
import { LibAccounts } from "../libraries/LibAccounts.sol";
import { LibDiamond } from "../libraries/LibDiamond.sol";
import { EnumerableSet } from "@openzeppelin/contracts/utils/structs/EnumerableSet.sol";

/// @notice Payers, operators, prices and node settings, see IAccountConfig.
contract ConfigFacet {
    using EnumerableSet for EnumerableSet.AddressSet;
    using EnumerableSet for EnumerableSet.StringSet;

    uint256 private constant MAX_API_PAYERS = 50;
    uint256 private constant MAX_NODE_CONFIGURATIONS = 100;

    function setApiPayers(address[] calldata newApiPayers) external {
        LibDiamond.requireOwner();
        if (newApiPayers.length > MAX_API_PAYERS) {
            revert IAccountConfig.InvalidRequest("more than 50 api payers");
        }
        EnumerableSet.AddressSet storage payers = S.load().apiPayers;
        payers.clear();
        for (uint256 i; i < newApiPayers.length; ++i) {
            if (newApiPayers[i] == address(0)) revert IAccountConfig.InvalidRequest("api payer is zero");
            if (!payers.add(newApiPayers[i])) {
                revert IAccountConfig.InvalidRequest("api payer is given twice");
            }
        }
        emit IAccountConfig.ApiPayersSet(newApiPayers);
    }

    function setAdminApiPayerAccount(address newAdminApiPayerAccount) external {
        LibAccounts.requireConfigOperator();
        S.load().adminApiPayerAccount = newAdminApiPayerAccount;
        emit IAccountConfig.AdminApiPayerAccountSet(newAdminApiPayerAccount);
    }

    function setConfigOperator(address newConfigOperator) external {
        LibAccounts.requireConfigOperator();
        S.load().configOperator = newConfigOperator;
        emit IAccountConfig.ConfigOperatorSet(newConfigOperator);
    }

    function setNodeConfiguration(string calldata key, string calldata value) external {
        LibAccounts.requireConfigOperator();
        if (bytes(key).length == 0 || bytes(key).length > 128) {
            revert IAccountConfig.InvalidRequest("key not in 1 to 128 bytes");
        }
        if (bytes(value).length > 1024) revert IAccountConfig.InvalidRequest("value over 1024 bytes");
        S.Layout storage $ = S.load();
        if (bytes(value).length == 0) {
            $.nodeConfigurationKeys.remove(key);
            delete $.nodeConfiguration[key];
        } else {
            $.nodeConfigurationKeys.add(key);
            if ($.nodeConfigurationKeys.length() > MAX_NODE_CONFIGURATIONS) {
                revert IAccountConfig.InvalidRequest("more than 100 keys");
            }
            $.nodeConfiguration[key] = value;
        }
        emit IAccountConfig.NodeConfigurationSet(key, value);
    }

    function setPricing(uint256 pricingItemId, uint256 price) external {
        LibAccounts.requirePricingOperator();
        S.load().pricing[pricingItemId] = price;
        emit IAccountConfig.PricingSet(pricingItemId, price);
    }

    function setPricingOperator(address newPricingOperator) external {
        LibAccounts.requirePricingOperator();
        S.load().pricingOperator = newPricingOperator;
        emit IAccountConfig.PricingOperatorSet(newPricingOperator);
    }

    function api_payers() external view returns (address[] memory) {
        return S.load().apiPayers.values();
    }

    function adminApiPayerAccount() external view returns (address) {
        return S.load().adminApiPayerAccount;
    }

    function pricingOperator() external view returns (address) {
        return S.load().pricingOperator;
    }

    function configOperator() external view returns (address) {
        return S.load().configOperator;
    }

    function getPricing(uint256 pricingItemId) external view returns (uint256) {
        return S.load().pricing[pricingItemId];
    }

    function nodeConfigurationValue(string calldata key) external view returns (string memory) {
        return S.load().nodeConfiguration[key];
    }

    function nodeConfigurationValues()
        external
        view
        returns (IAccountConfig.NodeConfiguration[] memory values)
    {
        S.Layout storage $ = S.load();
        string[] memory keys = $.nodeConfigurationKeys.values();
        values = new IAccountConfig.NodeConfiguration[](keys.length);
        for (uint256 i; i < keys.length; ++i) {
            values[i] =
                IAccountConfig.NodeConfiguration({ key: keys[i], value: $.nodeConfiguration[keys[i]] });
        }
    }
}
