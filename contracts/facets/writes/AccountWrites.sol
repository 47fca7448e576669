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
        if (S.load().entries[apiKeyHash] != 0) revert IAccountConfig.AccountAlreadyExists(apiKeyHash);
        LibAccounts.create({ masterHash: apiKeyHash, namespace: 0, admin: adminWalletAddress, managed: true });
        emit IAccountConfig.AccountCreated(apiKeyHash, adminWalletAddress, true, name, description);
    }

    function convertToChainSecuredAccount(uint256 apiKeyHash, address newAdminWalletAddress) external {
        LibAccounts.requireApiPayerOrOwner();
        if (newAdminWalletAddress == address(0)) {
            revert IAccountConfig.InvalidRequest("admin wallet is zero");
        }
        LibAccounts.Account memory account = LibAccounts.resolve(apiKeyHash);
        if (account.usageKey != 0) revert IAccountConfig.NotMasterAccount(apiKeyHash);
        if (!LibAccounts.isManaged(account.header)) {
            revert IAccountConfig.InvalidRequest("the account is ChainSecured already");
        }
        LibAccounts.setAdmin(account, newAdminWalletAddress);
        emit IAccountConfig.AccountConvertedToChainSecured(
            account.masterHash, LibAccounts.adminOf(account.header), newAdminWalletAddress
        );
    }

    function transferChainSecuredAccountOwnership(uint256 apiKeyHash, address newAdminWalletAddress)
        external
    {
        if (newAdminWalletAddress == address(0)) {
            revert IAccountConfig.InvalidRequest("admin wallet is zero");
        }
        LibAccounts.Account memory account = LibAccounts.resolve(apiKeyHash);
        if (account.usageKey != 0) revert IAccountConfig.NotMasterAccount(apiKeyHash);
        if (LibAccounts.isManaged(account.header)) {
            revert IAccountConfig.InvalidRequest("the account is managed: convert it instead");
        }
        LibAccounts.requireCaller(account);
        address admin = LibAccounts.adminOf(account.header);
        if (newAdminWalletAddress == admin) {
            revert IAccountConfig.InvalidRequest("the wallet is the admin wallet already");
        }
        LibAccounts.setAdmin(account, newAdminWalletAddress);
        emit IAccountConfig.ChainSecuredAccountOwnershipTransferred(
            account.masterHash, admin, newAdminWalletAddress
        );
    }
}
