// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IAccountWrites } from "../../interfaces/IAccountWrites.sol";
import { IErrors } from "../../interfaces/IErrors.sol";
import { AccountWord, Ref } from "../../libraries/AccountConfigStorage.sol";
import { LibAccounts } from "../../libraries/LibAccounts.sol";
import { LibLimits } from "../../libraries/LibLimits.sol";

/// @notice Opens accounts and hands them over, see IAccountWrites.
abstract contract AccountWrites is IAccountWrites {
    /// @inheritdoc IAccountWrites
    function newChainSecuredAccount(string calldata name, string calldata description) external {
        LibLimits.labels(name, description);
        address wallet = LibAccounts.sender();
        uint256 masterHash = LibAccounts.claimIdentity(wallet);
        LibAccounts.create({ masterHash: masterHash, namespace: 1, admin: wallet, managed: false });
        emit AccountCreated(masterHash, wallet, false, name, description);
    }

    /// @inheritdoc IAccountWrites
    function newAccount(
        uint256 apiKeyHash,
        bool managed,
        string calldata name,
        string calldata description,
        address adminWalletAddress
    ) external {
        LibAccounts.requireApiPayer();
        LibLimits.labels(name, description);
        if (!managed) revert IErrors.NewAccountNotManaged(apiKeyHash);
        if (apiKeyHash == 0) revert IErrors.AccountHashIsZero();
        if (adminWalletAddress == address(0)) revert IErrors.AdminWalletIsZero();
        LibAccounts.requireUnused(apiKeyHash);
        LibAccounts.create({ masterHash: apiKeyHash, namespace: 0, admin: adminWalletAddress, managed: true });
        emit AccountCreated(apiKeyHash, adminWalletAddress, true, name, description);
    }

    /// @inheritdoc IAccountWrites
    function convertToChainSecuredAccount(uint256 apiKeyHash, address newAdminWalletAddress) external {
        LibAccounts.requireApiPayerOrOwner();
        if (newAdminWalletAddress == address(0)) {
            revert IErrors.AdminWalletIsZero();
        }
        (uint256 masterHash, Ref ref, AccountWord header) = LibAccounts.resolveMaster(apiKeyHash);
        if (!LibAccounts.isManaged(header)) {
            revert IErrors.AlreadyChainSecured(apiKeyHash);
        }
        LibAccounts.countConversion();
        LibAccounts.convert(masterHash, ref, header, newAdminWalletAddress);
        emit AccountConvertedToChainSecured(masterHash, LibAccounts.adminOf(header), newAdminWalletAddress);
    }

    /// @inheritdoc IAccountWrites
    function transferChainSecuredAccountOwnership(uint256 apiKeyHash, address newAdminWalletAddress)
        external
    {
        if (newAdminWalletAddress == address(0)) {
            revert IErrors.AdminWalletIsZero();
        }
        (uint256 masterHash, Ref ref, AccountWord header) = LibAccounts.resolveMaster(apiKeyHash);
        if (LibAccounts.isManaged(header)) {
            revert IErrors.InvalidRequest("the account is managed: convert it instead");
        }
        header = LibAccounts.enter(apiKeyHash, masterHash, ref, header);
        address admin = LibAccounts.adminOf(header);
        if (newAdminWalletAddress == admin) {
            revert IErrors.AlreadyAdminWallet(apiKeyHash, newAdminWalletAddress);
        }
        LibAccounts.transfer(masterHash, ref, header, newAdminWalletAddress);
        emit ChainSecuredAccountOwnershipTransferred(masterHash, admin, newAdminWalletAddress);
    }

    /// @inheritdoc IAccountWrites
    function rotateAccountKey(uint256 apiKeyHash, uint256 newApiKeyHash) external {
        if (newApiKeyHash == 0) revert IErrors.AccountHashIsZero();
        (uint256 masterHash, Ref ref, AccountWord header) = LibAccounts.resolveMaster(apiKeyHash);
        if (!LibAccounts.isManaged(header)) revert IErrors.AlreadyChainSecured(apiKeyHash);
        LibAccounts.requireCaller(apiKeyHash, header);
        LibAccounts.requireUnused(newApiKeyHash);
        LibAccounts.rotate({
            hash: apiKeyHash, newHash: newApiKeyHash, masterHash: masterHash, ref: ref, header: header
        });
        emit AccountKeyRotated(masterHash, apiKeyHash, newApiKeyHash);
    }

    /// @inheritdoc IAccountWrites
    function retireAccount(uint256 apiKeyHash) external {
        (uint256 masterHash, Ref ref, AccountWord header) = LibAccounts.resolveMaster(apiKeyHash);
        // Without an acceptance: a wallet can retire an account that was transferred to it, and still open its own.
        LibAccounts.requireCaller(apiKeyHash, header);
        LibAccounts.retire(masterHash, ref, header);
        emit AccountRetired(masterHash);
    }
}
