// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IErrors } from "../interfaces/IErrors.sol";
import { AccountConfigStorage as S } from "../storage/AccountConfigStorage.sol";
import { DayCount } from "../storage/DayCount.sol";
import { LibDiamond } from "./LibDiamond.sol";
import { EnumerableSet } from "@openzeppelin/contracts/utils/structs/EnumerableSet.sol";

/// @title LibRoles
/// @notice Authorises the callers that have a role in the whole contract: api payers, operators, the guardian.
library LibRoles {
    using EnumerableSet for EnumerableSet.AddressSet;

    function isApiPayer(address caller) internal view returns (bool) {
        return S.load().activePayers[caller];
    }

    function requireConfigOperator() internal view {
        if (msg.sender != S.load().configOperator && msg.sender != LibDiamond.load().owner) {
            revert IErrors.OnlyConfigOperatorOrOwner(msg.sender);
        }
    }

    function requirePricingOperator() internal view {
        if (msg.sender != S.load().pricingOperator && msg.sender != LibDiamond.load().owner) {
            revert IErrors.OnlyPricingOperatorOrOwner(msg.sender);
        }
    }

    function requireApiPayer() internal view {
        if (isApiPayer(msg.sender)) return;
        refuseFrozen(msg.sender);
        revert IErrors.OnlyApiPayer(msg.sender);
    }

    function requireApiPayerOrOwner() internal view {
        if (isApiPayer(msg.sender) || msg.sender == LibDiamond.load().owner) return;
        refuseFrozen(msg.sender);
        revert IErrors.OnlyApiPayerOrOwner(msg.sender);
    }

    function requireGuardianOrOwner() internal view {
        if (msg.sender != S.load().guardian && msg.sender != LibDiamond.load().owner) {
            revert IErrors.OnlyGuardianOrOwner(msg.sender);
        }
    }

    /// @notice Tells an api payer that is refused whether it is frozen.
    function refuseFrozen(address caller) internal view {
        S.Layout storage $ = S.load();
        if ($.payersFrozen && $.apiPayers.contains(caller)) revert IErrors.ApiPayersAreFrozen(caller);
    }

    /// @notice Counts a conversion without the consent of the account key against the limit of the caller for this UTC day.
    function countConversion() internal {
        S.Layout storage $ = S.load();
        if (!$.conversionsLimited) return;
        uint256 made = conversionsToday(msg.sender);
        if (made >= $.conversionsPerDay) revert IErrors.ConversionLimitReached($.conversionsPerDay);
        $.conversions[msg.sender] = DayCount.create(_today(), made + 1);
    }

    function conversionsToday(address caller) internal view returns (uint256) {
        return DayCount.on(S.load().conversions[caller], _today());
    }

    function _today() private view returns (uint256) {
        return block.timestamp / 1 days;
    }
}
