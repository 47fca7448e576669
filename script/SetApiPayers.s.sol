// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IAccountConfig } from "../contracts/interfaces/IAccountConfig.sol";
import { Plan } from "./Plan.sol";

/// @notice Rotates the api payers in two steps, so that requests always have a payer: `Add` adds the new payers to the
/// old ones, `Remove` keeps only the new ones and sets the new admin payer. After a freeze no payer can write, so
/// `Unfreeze` is one step: the payers and the admin payer become the wanted ones, then they are unfrozen.
contract SetApiPayers is Plan {
    enum Step {
        Add,
        Remove,
        Unfreeze
    }

    /// A wanted payer is not a payer yet: run `Add` first.
    error NotAddedYet(address apiPayer);

    /// @return report Its calls are for the owner.
    /// @return current The payers and the admin payer on the chain.
    /// @return next The payers after the calls.
    function run(address diamond, address sender, Step step, address[] memory wanted, address adminApiPayer)
        external
        returns (Report memory report, address[] memory current, address[] memory next)
    {
        (report, current, next) = plan(IAccountConfig(diamond), sender, step, wanted, adminApiPayer);
        broadcast(sender, report.calls);
    }

    function plan(
        IAccountConfig diamond,
        address sender,
        Step step,
        address[] memory wanted,
        address adminApiPayer
    ) internal view returns (Report memory report, address[] memory current, address[] memory next) {
        current = diamond.api_payers();
        report.diamond = address(diamond);
        if (step == Step.Unfreeze && !diamond.payersFrozen()) return (report, current, current);
        next = step == Step.Add ? _union(current, wanted) : wanted;
        if (step == Step.Remove) _requirePresent(wanted, current);
        Call[] memory calls = new Call[](3);
        uint256 count;
        if (step != Step.Add && diamond.adminApiPayerAccount() != adminApiPayer) {
            calls[count++] = Call(
                "setAdminApiPayerAccount",
                address(diamond),
                abi.encodeCall(diamond.setAdminApiPayerAccount, adminApiPayer)
            );
        }
        if (!sameSet(current, next)) {
            calls[count++] =
                Call("setApiPayers", address(diamond), abi.encodeCall(diamond.setApiPayers, next));
        }
        if (step == Step.Unfreeze) {
            calls[count++] =
                Call("unfreezePayers", address(diamond), abi.encodeCall(diamond.unfreezePayers, ()));
        }
        _shorten(calls, count);
        if (diamond.owner() == sender) report.calls = calls;
        else report.ownerCalls = calls;
    }

    function _requirePresent(address[] memory wanted, address[] memory current) private pure {
        for (uint256 i; i < wanted.length; ++i) {
            if (!contains(current, wanted[i])) revert NotAddedYet(wanted[i]);
        }
    }

    function _union(address[] memory a, address[] memory b) private pure returns (address[] memory all) {
        all = new address[](a.length + b.length);
        uint256 count;
        for (uint256 i; i < all.length; ++i) {
            address item = i < a.length ? a[i] : b[i - a.length];
            if (!contains(all, item)) all[count++] = item;
        }
        // memory-safe: shortens an array that was allocated here.
        assembly ("memory-safe") {
            mstore(all, count)
        }
    }
}
