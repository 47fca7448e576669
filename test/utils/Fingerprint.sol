// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IViewsFacet } from "../../contracts/interfaces/IViewsFacet.sol";
import { AccountConfigTest } from "./AccountConfigTest.sol";

/// @notice A hash of the answers of the views: equal before and after means that nothing has changed.
abstract contract Fingerprint is AccountConfigTest {
    /// @notice Covers an account: its identity, its contents and the permissions of every key.
    function fingerprint(uint256 hash) internal view returns (bytes32) {
        (uint256 keys, uint256 groups, uint256 pkps, uint256 actions) = accountConfig.listSizes(hash);
        return keccak256(
            abi.encode(
                _identity(hash), [keys, groups, pkps, actions], _groups(hash), _items(hash), _runs(hash)
            )
        );
    }

    function _identity(uint256 hash) private view returns (bytes32) {
        (uint256 master, address adminWallet, bool managed, bool isUsageKey, uint256 expiration) =
            accountConfig.resolve(hash);
        return keccak256(abi.encode(master, adminWallet, managed, isUsageKey, expiration));
    }

    function _groups(uint256 hash) private view returns (bytes32 digest) {
        uint256[] memory ids = accountConfig.listGroups(hash, 0, 1000);
        for (uint256 i; i < ids.length; ++i) {
            (uint256[] memory actions, address[] memory pkps) = accountConfig.listGroupContents(hash, ids[i]);
            digest = keccak256(abi.encode(digest, ids[i], actions, pkps));
        }
    }

    function _items(uint256 hash) private view returns (bytes32 digest) {
        IViewsFacet.Pkp[] memory pkps = accountConfig.listPkps(hash, 0, 1000);
        digest = keccak256(abi.encode(pkps, accountConfig.listActions(hash, 0, 1000)));
        for (uint256 i; i < pkps.length; ++i) {
            uint256 path = pkps[i].derivationPath;
            digest = keccak256(abi.encode(digest, accountConfig.getPathOwnerMaster(path)));
        }
    }

    function _runs(uint256 hash) private view returns (bytes32 digest) {
        IViewsFacet.UsageApiKey[] memory keys = accountConfig.listApiKeys(hash, 0, 20);
        uint256[] memory actions = accountConfig.listActions(hash, 0, 1000);
        IViewsFacet.Pkp[] memory pkps = accountConfig.listPkps(hash, 0, 1000);
        digest = keccak256(abi.encode(keys));
        for (uint256 i; i < keys.length; ++i) {
            for (uint256 j; j < actions.length; ++j) {
                for (uint256 k; k < pkps.length; ++k) {
                    IViewsFacet.Explanation memory e =
                        accountConfig.explainExecution(keys[i].usageApiKeyHash, actions[j], pkps[k].pkpId);
                    digest = keccak256(abi.encode(digest, e));
                }
            }
        }
    }

    /// @notice Covers the routes, the roles, the settings and the counters.
    function fingerprint() internal view returns (bytes32) {
        return keccak256(
            abi.encode(
                accountConfig.facets(),
                [accountConfig.owner(), accountConfig.pendingOwner(), accountConfig.adminApiPayerAccount()],
                [accountConfig.pricingOperator(), accountConfig.configOperator()],
                accountConfig.api_payers(),
                accountConfig.nodeConfigurationValues(),
                [accountConfig.accountCount(), accountConfig.pkpCount()]
            )
        );
    }
}
