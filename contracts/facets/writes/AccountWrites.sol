// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IAccountWrites } from "../../interfaces/IAccountWrites.sol";
import { IErrors } from "../../interfaces/IErrors.sol";
import { LibAccountWrites } from "../../libraries/LibAccountWrites.sol";
import { LibAccounts } from "../../libraries/LibAccounts.sol";
import { LibAuthority } from "../../libraries/LibAuthority.sol";
import { LibConsent } from "../../libraries/LibConsent.sol";
import { LibIdentities } from "../../libraries/LibIdentities.sol";
import { LibLimits } from "../../libraries/LibLimits.sol";
import { LibRoles } from "../../libraries/LibRoles.sol";
import { AccountConfigStorage as S } from "../../storage/AccountConfigStorage.sol";
import { AccountWord } from "../../storage/AccountWord.sol";
import { Ref } from "../../storage/Ref.sol";

/// @notice Opens accounts and hands them over, see IAccountWrites.
abstract contract AccountWrites is IAccountWrites {
    /// @inheritdoc IAccountWrites
    function newChainSecuredAccount(string calldata name, string calldata description) external {
        LibLimits.labels(name, description);
        address wallet = LibAuthority.sender();
        uint256 masterHash = LibIdentities.claim(wallet);
        LibAccountWrites.create({ masterHash: masterHash, namespace: 1, admin: wallet, managed: false });
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
        LibRoles.requireApiPayer();
        LibLimits.labels(name, description);
        if (!managed) revert IErrors.NewAccountNotManaged(apiKeyHash);
        if (apiKeyHash == 0) revert IErrors.AccountHashIsZero();
        if (adminWalletAddress == address(0)) revert IErrors.AdminWalletIsZero();
        LibAccounts.requireUnused(apiKeyHash);
        LibAccountWrites.create({
            masterHash: apiKeyHash, namespace: 0, admin: adminWalletAddress, managed: true
        });
        emit AccountCreated(apiKeyHash, adminWalletAddress, true, name, description);
    }

    /// @inheritdoc IAccountWrites
    function convertToChainSecuredAccount(uint256 apiKeyHash, address newAdminWalletAddress) external {
        (uint256 masterHash, Ref ref, AccountWord header) =
            _requireConvertible(apiKeyHash, newAdminWalletAddress);
        if (S.load().consentRequired) revert IErrors.ConsentRequired(apiKeyHash);
        LibRoles.countConversion();
        _convert(masterHash, ref, header, newAdminWalletAddress);
    }

    /// @inheritdoc IAccountWrites
    function convertWithConsent(
        uint256 apiKeyHash,
        address newAdminWalletAddress,
        uint256 deadline,
        bytes calldata consent
    ) external {
        (uint256 masterHash, Ref ref, AccountWord header) =
            _requireConvertible(apiKeyHash, newAdminWalletAddress);
        bytes32 content =
            keccak256(abi.encode(LibConsent.CONVERT, apiKeyHash, newAdminWalletAddress, deadline));
        LibConsent.requireConsent(header, content, deadline, consent);
        _convert(masterHash, ref, header, newAdminWalletAddress);
    }

    function _requireConvertible(uint256 apiKeyHash, address newAdminWalletAddress)
        private
        view
        returns (uint256 masterHash, Ref ref, AccountWord header)
    {
        LibRoles.requireApiPayerOrOwner();
        if (newAdminWalletAddress == address(0)) revert IErrors.AdminWalletIsZero();
        return _resolveManaged(apiKeyHash);
    }

    function _resolveManaged(uint256 apiKeyHash)
        private
        view
        returns (uint256 masterHash, Ref ref, AccountWord header)
    {
        (masterHash, ref, header) = LibAccounts.resolveMaster(apiKeyHash);
        if (!header.isManaged()) revert IErrors.AlreadyChainSecured(apiKeyHash);
    }

    function _convert(uint256 masterHash, Ref ref, AccountWord header, address newAdminWalletAddress)
        private
    {
        LibIdentities.convert(masterHash, ref, header, newAdminWalletAddress);
        emit AccountConvertedToChainSecured(masterHash, header.admin(), newAdminWalletAddress);
    }

    /// @inheritdoc IAccountWrites
    function transferChainSecuredAccountOwnership(uint256 apiKeyHash, address newAdminWalletAddress)
        external
    {
        if (newAdminWalletAddress == address(0)) {
            revert IErrors.AdminWalletIsZero();
        }
        (uint256 masterHash, Ref ref, AccountWord header) = LibAccounts.resolveMaster(apiKeyHash);
        if (header.isManaged()) {
            revert IErrors.InvalidRequest("the account is managed: convert it instead");
        }
        header = LibAuthority.enter(apiKeyHash, masterHash, ref, header);
        address admin = header.admin();
        if (newAdminWalletAddress == admin) {
            revert IErrors.AlreadyAdminWallet(apiKeyHash, newAdminWalletAddress);
        }
        LibIdentities.transfer(masterHash, ref, header, newAdminWalletAddress);
        emit ChainSecuredAccountOwnershipTransferred(masterHash, admin, newAdminWalletAddress);
    }

    /// @inheritdoc IAccountWrites
    function acceptAccount(uint256 apiKeyHash) external {
        (uint256 masterHash, Ref ref, AccountWord header) = LibAccounts.resolveMaster(apiKeyHash);
        LibAuthority.requireCaller(apiKeyHash, header);
        if (header.isPending()) LibIdentities.accept(masterHash, ref, header);
    }

    /// @inheritdoc IAccountWrites
    function cancelTransfer(uint256 apiKeyHash) external {
        (uint256 masterHash, Ref ref, AccountWord header) = LibAccounts.resolveMaster(apiKeyHash);
        address giver = LibIdentities.giverOf(ref, header);
        if (giver == address(0)) revert IErrors.NoPendingTransfer(apiKeyHash);
        if (LibAuthority.sender() != giver) LibAuthority.requireCaller(apiKeyHash, header);
        LibIdentities.cancelTransfer(masterHash, ref, header, giver);
        emit AccountTransferCancelled(masterHash, header.admin(), giver);
    }

    /// @inheritdoc IAccountWrites
    function rotateAccountKey(
        uint256 apiKeyHash,
        uint256 newApiKeyHash,
        address newAdminWalletAddress,
        uint256 deadline,
        bytes calldata consent
    ) external {
        if (newApiKeyHash == 0) revert IErrors.AccountHashIsZero();
        if (newAdminWalletAddress == address(0)) revert IErrors.AdminWalletIsZero();
        (uint256 masterHash, Ref ref, AccountWord header) = _resolveManaged(apiKeyHash);
        LibAuthority.requireCaller(apiKeyHash, header);
        LibAccounts.requireUnused(newApiKeyHash);
        bytes32 content = keccak256(
            abi.encode(LibConsent.ROTATE, apiKeyHash, newApiKeyHash, newAdminWalletAddress, deadline)
        );
        LibConsent.requireConsent(header, content, deadline, consent);
        LibAccountWrites.rotate({
            hash: apiKeyHash,
            newHash: newApiKeyHash,
            masterHash: masterHash,
            ref: ref,
            header: header.withAdmin(newAdminWalletAddress)
        });
        emit AccountKeyRotated(masterHash, apiKeyHash, newApiKeyHash, newAdminWalletAddress);
    }

    /// @inheritdoc IAccountWrites
    function retireAccount(uint256 apiKeyHash) external {
        (uint256 masterHash, Ref ref, AccountWord header) = LibAccounts.resolveMaster(apiKeyHash);
        if (header.isManaged()) revert IErrors.ConsentRequired(apiKeyHash);
        // Without an acceptance: a wallet can retire an account that was transferred to it, and still open its own.
        LibAuthority.requireCaller(apiKeyHash, header);
        if (header.isPending()) LibAuthority.requireNamed(apiKeyHash, header);
        _retire(masterHash, ref, header);
    }

    /// @inheritdoc IAccountWrites
    function retireManagedAccount(uint256 apiKeyHash, uint256 deadline, bytes calldata consent) external {
        (uint256 masterHash, Ref ref, AccountWord header) = _resolveManaged(apiKeyHash);
        LibAuthority.requireCaller(apiKeyHash, header);
        bytes32 content = keccak256(abi.encode(LibConsent.RETIRE, apiKeyHash, deadline));
        LibConsent.requireConsent(header, content, deadline, consent);
        _retire(masterHash, ref, header);
    }

    function _retire(uint256 masterHash, Ref ref, AccountWord header) private {
        LibAccountWrites.retire(masterHash, ref, header);
        emit AccountRetired(masterHash);
    }
}
