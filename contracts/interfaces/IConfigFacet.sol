// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title IConfigFacet
/// @notice Sets and reads api payers, operators, prices and node settings.
interface IConfigFacet {
    struct NodeConfiguration {
        string key;
        string value;
    }

    event ApiPayersSet(address[] apiPayers);
    event AdminApiPayerAccountSet(address indexed adminApiPayerAccount);
    event PricingOperatorSet(address indexed pricingOperator);
    event ConfigOperatorSet(address indexed configOperator);
    event PricingSet(uint256 indexed pricingItemId, uint256 price);
    event NodeConfigurationSet(string key, string value);
    event GuardianSet(address indexed guardian);
    /// @notice From this event on api payers write nothing.
    event PayersFrozen(address indexed caller);
    event PayersUnfrozen();
    /// @param perDay `type(uint256).max` for no limit.
    event ConversionLimitSet(uint256 perDay);
    event ConsentRequiredSet(bool required);

    /// @notice Replaces the set of api payers, at most 50. Owner only: neither an api payer nor the admin api payer may.
    function setApiPayers(address[] calldata newApiPayers) external;

    /// @notice Sets the address that may freeze the api payers, or zero. Owner only.
    function setGuardian(address newGuardian) external;

    /// @notice Freezes the api payers: they write nothing, no conversion included. ChainSecured accounts, the owner and views
    /// are not affected. Payers that are set while frozen are frozen too. Repeated, it changes nothing. Guardian or owner.
    function freezePayers() external;

    /// @notice Owner only. Without a freeze it changes nothing.
    function unfreezePayers() external;

    /// @notice Limits the conversions without consent of each caller per UTC day. 0 stops them; a number of 64 bits or more
    /// lifts the limit, as before the first call. Conversions without a limit are not counted. Owner only.
    function setConversionLimit(uint256 perDay) external;

    /// @notice When `required`, an account converts only with the consent of its account key: convertToChainSecuredAccount
    /// reverts, and convertWithConsent is the only form. Owner only.
    function setConsentRequired(bool required) external;

    /// @notice Owner or config operator.
    function setAdminApiPayerAccount(address newAdminApiPayerAccount) external;

    /// @notice Owner or config operator.
    function setConfigOperator(address newConfigOperator) external;

    /// @notice Sets a value that nodes read. An empty value removes the key. At most 100 keys, key of 1 to 128 bytes, value
    /// up to 1,024 bytes. Owner or config operator.
    function setNodeConfiguration(string calldata key, string calldata value) external;

    /// @notice Owner or pricing operator.
    function setPricing(uint256 pricingItemId, uint256 price) external;

    /// @notice Owner or pricing operator.
    function setPricingOperator(address newPricingOperator) external;

    function api_payers() external view returns (address[] memory);

    function adminApiPayerAccount() external view returns (address);

    function pricingOperator() external view returns (address);

    function configOperator() external view returns (address);

    function guardian() external view returns (address);

    function payersFrozen() external view returns (bool);

    /// @notice The conversions without consent per caller and UTC day, `type(uint256).max` without a limit.
    function conversionLimit() external view returns (uint256 perDay);

    /// @notice The conversions of a caller on this UTC day that count against the limit.
    function conversionsToday(address caller) external view returns (uint256);

    function consentRequired() external view returns (bool);

    /// @notice The price of an item, 0 when it was never set.
    function getPricing(uint256 pricingItemId) external view returns (uint256);

    /// @notice The value of a key, empty when it was never set.
    function nodeConfigurationValue(string calldata key) external view returns (string memory);

    function nodeConfigurationValues() external view returns (NodeConfiguration[] memory);
}
