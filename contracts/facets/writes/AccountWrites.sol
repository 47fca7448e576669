// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IAccountConfig } from "../../interfaces/IAccountConfig.sol";
import { AccountConfigStorage as S } from "../../libraries/AccountConfigStorage.sol";
import { LibAccounts } from "../../libraries/LibAccounts.sol";
import { LibLimits } from "../../libraries/LibLimits.sol";

/// @notice Opening accounts and handing them over, see IAccountConfig.
abstract contract AccountWrites {
    function newChainSecuredAccount(string calldata name, string calldata description) external {
        LibLimits.labels(name, description);
        uint256 masterHash = LibAccounts.claimIdentity(msg.sender);
        LibAccounts.create({ masterHash: masterHash, namespace: 1, admin: msg.sender, managed: false });
        emit IAccountConfig.AccountCreated(masterHash, msg.sender, false, name, description);
    }

    function newAccount(
        uint256 apiKeyHash,
        bool managed,
        string calldata name,
        string calldata description,
        address adminWalletAddress
    ) external {
        LibAccounts.requireApiPayer();
        LibLimits.labels(name, description);
        if (!managed) revert IAccountConfig.InvalidRequest("a payer opens managed accounts only");
        if (apiKeyHash == 0) revert IAccountConfig.InvalidRequest("account hash is zero");
        if (adminWalletAddress == address(0)) revert IAccountConfig.InvalidRequest("admin wallet is zero");
        if (!LibAccounts.isFree(S.load().entries[apiKeyHash].word)) {
            revert IAccountConfig.AccountAlreadyExists(apiKeyHash);
        }
        LibAccounts.create({ masterHash: apiKeyHash, namespace: 0, admin: adminWalletAddress, managed: true });
        emit IAccountConfig.AccountCreated(apiKeyHash, adminWalletAddress, true, name, description);
    }

    function convertToChainSecuredAccount(uint256 apiKeyHash, address newAdminWalletAddress) external {
        LibAccounts.requireApiPayerOrOwner();
        if (newAdminWalletAddress == address(0)) {
            revert IAccountConfig.InvalidRequest("admin wallet is zero");
        }
        (uint256 masterHash, uint256 ref, uint256 header) = LibAccounts.resolveMaster(apiKeyHash);
        if (!LibAccounts.isManaged(header)) {
            revert IAccountConfig.InvalidRequest("the account is ChainSecured already");
        }
        LibAccounts.setAdmin(masterHash, ref, header, newAdminWalletAddress);
        emit IAccountConfig.AccountConvertedToChainSecured(
            masterHash, LibAccounts.adminOf(header), newAdminWalletAddress
        );
    }

    function transferChainSecuredAccountOwnership(uint256 apiKeyHash, address newAdminWalletAddress)
        external
    {
        if (newAdminWalletAddress == address(0)) {
            revert IAccountConfig.InvalidRequest("admin wallet is zero");
        }
        (uint256 masterHash, uint256 ref, uint256 header) = LibAccounts.resolveMaster(apiKeyHash);
        if (LibAccounts.isManaged(header)) {
            revert IAccountConfig.InvalidRequest("the account is managed: convert it instead");
        }
        LibAccounts.requireCaller(apiKeyHash, header);
        address admin = LibAccounts.adminOf(header);
        if (newAdminWalletAddress == admin) {
            revert IAccountConfig.InvalidRequest("the wallet is the admin wallet already");
        }
        LibAccounts.setAdmin(masterHash, ref, header, newAdminWalletAddress);
        emit IAccountConfig.ChainSecuredAccountOwnershipTransferred(masterHash, admin, newAdminWalletAddress);
    }
}
