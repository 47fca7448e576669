// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { Upgrade } from "../../script/Upgrade.s.sol";

/// @notice Creates the facets that a diamond needs, as the script does.
contract Upgrader is Upgrade {
    /// @return cut The call of the diamond for its owner.
    function prepare(address diamond) external returns (bytes memory cut) {
        Report memory report = plan(diamond, address(this));
        send(report.calls);
        return report.ownerCalls[0].data;
    }
}
