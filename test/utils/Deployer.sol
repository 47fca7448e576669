// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IAccountConfig } from "../../contracts/interfaces/IAccountConfig.sol";
import { Deploy } from "../../script/Deploy.s.sol";

/// @notice Deploys for tests, which create it by its artifact, so that the code of the script is compiled once and not
/// into each of them.
contract Deployer is Deploy {
    function deploy(Settings memory settings) external returns (IAccountConfig) {
        return IAccountConfig(deploy(address(this), settings).diamond);
    }

    function deployTimelock(TimelockSettings memory settings) external returns (address) {
        send(timelockCreation(settings));
        return addressOf(0, timelockCode(settings));
    }
}
