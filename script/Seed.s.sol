// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IAccountConfig } from "../contracts/interfaces/IAccountConfig.sol";
import { Plan } from "./Plan.sol";

/// @notice Opens a ChainSecured demo account for the sender: an action and a wallet in one group, and a usage key that
/// can execute there. One transaction, or none when the sender has an account. Local and test chains only.
contract Seed is Plan {
    uint256 private constant LOCAL = 31_337;
    uint256 private constant BASE_SEPOLIA = 84_532;

    error NotATestChain(uint256 chainId);

    function run(address diamond, address sender, uint256 actionHash, uint256 usageApiKeyHash)
        external
        returns (Report memory report)
    {
        report = plan(IAccountConfig(diamond), sender, actionHash, usageApiKeyHash);
        broadcast(sender, report.calls);
    }

    function plan(IAccountConfig diamond, address sender, uint256 actionHash, uint256 usageApiKeyHash)
        internal
        view
        returns (Report memory report)
    {
        if (block.chainid != LOCAL && block.chainid != BASE_SEPOLIA) revert NotATestChain(block.chainid);
        report.diamond = address(diamond);
        uint256 account = uint256(keccak256(abi.encodePacked(sender)));
        if (diamond.allApiKeyHashesToMaster(account) != 0) return report;
        report.calls = new Call[](1);
        report.calls[0] = Call(
            "multicall: account, action, wallet, group, usage key",
            address(diamond),
            abi.encodeCall(
                diamond.multicall, (_writes(diamond, account, sender, actionHash, usageApiKeyHash))
            )
        );
    }

    /// The wallet is an address without a private key: it can be permitted, but not sign.
    function _writes(
        IAccountConfig diamond,
        uint256 account,
        address sender,
        uint256 actionHash,
        uint256 usageApiKeyHash
    ) private pure returns (bytes[] memory calls) {
        address wallet = address(uint160(uint256(keccak256(abi.encode("wallet", sender)))));
        uint256 path = (uint256(uint160(sender)) << 96) | uint96(uint256(keccak256("path")));
        uint256[] memory none = new uint256[](0);
        uint256[] memory actions = new uint256[](1);
        actions[0] = actionHash;
        address[] memory wallets = new address[](1);
        wallets[0] = wallet;
        // The first group of an account.
        uint256[] memory groups = new uint256[](1);
        groups[0] = 1;
        calls = new bytes[](5);
        calls[0] = abi.encodeCall(diamond.newChainSecuredAccount, ("Demo account", ""));
        calls[1] = abi.encodeCall(diamond.addAction, (account, "Hello", "", actionHash));
        calls[2] =
            abi.encodeCall(diamond.registerWalletDerivation, (account, wallet, path, "Demo wallet", ""));
        calls[3] = abi.encodeCall(diamond.addGroup, (account, "Demo group", "", actions, wallets));
        calls[4] = abi.encodeCall(
            diamond.setUsageApiKey,
            (account, usageApiKeyHash, 0, 0, "Demo key", "", false, false, false, none, none, none, groups)
        );
    }
}
