// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IAccountWrites } from "../../contracts/interfaces/IAccountWrites.sol";
import { IConfigFacet } from "../../contracts/interfaces/IConfigFacet.sol";
import { IErrors } from "../../contracts/interfaces/IErrors.sol";
import { ISignedWrites } from "../../contracts/interfaces/ISignedWrites.sol";
import { AttackTest } from "../utils/AttackTest.sol";

/// @notice Rule 23: an api payer without the account key converts, retires and rotates nothing.
contract ConsentAttackTest is AttackTest {
    uint256 private constant NEW = uint256(keccak256("key of the thief"));

    function setUp() public override {
        super.setUp();
        by(owner).setConsentRequired(true);
    }

    function _invalid(address holder) private pure returns (bytes memory) {
        return abi.encodeWithSelector(ISignedWrites.InvalidSignature.selector, holder);
    }

    /// @notice Every use of a consent by an api payer, and each is refused.
    function _refuseAll(uint256 hash, bytes memory consent, bytes memory refusal) private {
        refused(
            payer,
            abi.encodeCall(IAccountWrites.rotateAccountKey, (hash, NEW, thief, DEADLINE, consent)),
            refusal
        );
        refused(
            payer, abi.encodeCall(IAccountWrites.retireManagedAccount, (hash, DEADLINE, consent)), refusal
        );
        refused(
            payer,
            abi.encodeCall(IAccountWrites.convertWithConsent, (hash, thief, DEADLINE, consent)),
            refusal
        );
    }

    function test_PayerWithoutTheKey() external blocked {
        bytes32 before = fingerprint(MANAGED);
        bytes[4] memory forged = [
            bytes(""),
            new bytes(65),
            signature("payer", typedDigest(keccak256(rotation(MANAGED, NEW, thief)))),
            signature("thief", typedDigest(keccak256(retirement(MANAGED))))
        ];
        for (uint256 i; i < forged.length; ++i) {
            _refuseAll(MANAGED, forged[i], _invalid(accountKeyAddress));
        }
        address[2] memory callers = [payer, owner];
        for (uint256 i; i < 2; ++i) {
            bytes memory required = abi.encodeWithSelector(IErrors.ConsentRequired.selector, MANAGED);
            refused(
                callers[i],
                abi.encodeCall(IAccountWrites.convertToChainSecuredAccount, (MANAGED, thief)),
                required
            );
            refused(callers[i], abi.encodeCall(IAccountWrites.retireAccount, (MANAGED)), required);
        }
        vm.assertEq(fingerprint(MANAGED), before);
    }

    /// The holder consented to something else: to another write, account, target, deadline, chain or contract.
    function test_ConsentToSomethingElse() external blocked {
        bytes[7] memory contents = [
            rotation(MANAGED, NEW, stranger),
            rotation(MANAGED, UNKNOWN, thief),
            rotation(UNKNOWN, NEW, thief),
            retirement(UNKNOWN),
            conversion(MANAGED, stranger),
            conversion(UNKNOWN, thief),
            abi.encode(keccak256("RetireAccount(uint256 apiKeyHash,uint256 deadline)"), MANAGED, DEADLINE)
        ];
        for (uint256 i; i < contents.length; ++i) {
            _refuseAll(MANAGED, consentOf(MANAGED, contents[i]), _invalid(accountKeyAddress));
        }
        bytes memory consent = consentOf(MANAGED, retirement(MANAGED));
        refused(
            payer,
            abi.encodeCall(IAccountWrites.retireManagedAccount, (MANAGED, DEADLINE + 1, consent)),
            _invalid(accountKeyAddress)
        );
        uint256 chainId = block.chainid;
        vm.chainId(chainId + 1);
        _refuseAll(MANAGED, consent, _invalid(accountKeyAddress));
        vm.chainId(chainId);
        address other = address(deploy({ newOwner: owner, apiPayers: list(payer), adminApiPayer: payer }));
        bytes32 digest = keccak256(
            abi.encodePacked(hex"1901", domainSeparator(chainId, other), keccak256(retirement(MANAGED)))
        );
        _refuseAll(MANAGED, signature("account key address", digest), _invalid(accountKeyAddress));
    }

    function test_LastSecondOfTheDeadline() external {
        bytes memory consent = consentOf(MANAGED, retirement(MANAGED));
        vm.warp(DEADLINE + 1);
        _refuseAll(
            MANAGED, consent, abi.encodeWithSelector(ISignedWrites.SignatureExpired.selector, DEADLINE)
        );
        vm.warp(DEADLINE);
        by(payer).retireManagedAccount(MANAGED, DEADLINE, consent);
        vm.assertEq(accountConfig.allApiKeyHashesToMaster(MANAGED), 0);
    }

    /// A leaked key that was replaced consents to nothing, and its earlier consents have ended.
    function test_ConsentOfTheReplacedKey() external {
        bytes memory early = consentOf(MANAGED, conversion(MANAGED, thief));
        rotate(MANAGED, UNKNOWN);
        bytes memory none = abi.encodeWithSelector(IErrors.AccountDoesNotExist.selector, MANAGED);
        refused(
            payer, abi.encodeCall(IAccountWrites.convertWithConsent, (MANAGED, thief, DEADLINE, early)), none
        );
        bytes memory leaked =
            signature("account key address", typedDigest(keccak256(conversion(UNKNOWN, thief))));
        refused(
            payer,
            abi.encodeCall(IAccountWrites.convertWithConsent, (UNKNOWN, thief, DEADLINE, leaked)),
            _invalid(addressOfKey(UNKNOWN))
        );
        bytes memory consent = consentOf(UNKNOWN, conversion(UNKNOWN, newAdmin));
        by(payer).convertWithConsent(UNKNOWN, newAdmin, DEADLINE, consent);
        vm.assertEq(accountConfig.allApiKeyHashesToMaster(identity(newAdmin)), MANAGED);
    }

    /// A consent happens once, and does not count in the account that it made.
    function test_RepeatedConsent() external {
        bytes memory consent = consentOf(MANAGED, conversion(MANAGED, newAdmin));
        by(payer).convertWithConsent(MANAGED, newAdmin, DEADLINE, consent);
        _refuseAll(MANAGED, consent, abi.encodeWithSelector(IErrors.AlreadyChainSecured.selector, MANAGED));
    }

    /// With the consent of the holder, strangers still write nothing: the api payer executes it.
    function test_StrangerWithAConsent() external {
        address[3] memory callers = [stranger, accountKeyAddress, thief];
        bytes memory consent = consentOf(MANAGED, retirement(MANAGED));
        for (uint256 i; i < callers.length; ++i) {
            expectNoAccess(MANAGED, callers[i]);
            by(callers[i]).retireManagedAccount(MANAGED, DEADLINE, consent);
            expectRevert(IErrors.OnlyApiPayerOrOwner.selector, callers[i]);
            by(callers[i]).convertWithConsent(MANAGED, thief, DEADLINE, consent);
            expectNoAccess(MANAGED, callers[i]);
            by(callers[i]).rotateAccountKey(MANAGED, NEW, thief, DEADLINE, consent);
        }
    }

    function test_SetConsentRequired() external {
        vm.assertTrue(accountConfig.consentRequired());
        expectEvent();
        emit IConfigFacet.ConsentRequiredSet(false);
        by(owner).setConsentRequired(false);
        assertEvents(1);
        vm.assertFalse(accountConfig.consentRequired());
        by(payer).convertToChainSecuredAccount(MANAGED, newAdmin);
    }

    function test_RevertWhen_NewAdminIsZeroOrTaken() external {
        expectRevert(IErrors.AdminWalletIsZero.selector);
        by(payer).convertWithConsent(MANAGED, address(0), DEADLINE, "");
        bytes memory consent = consentOf(MANAGED, conversion(MANAGED, admin));
        expectRevert(IErrors.AccountAlreadyExists.selector, SECURED);
        by(payer).convertWithConsent(MANAGED, admin, DEADLINE, consent);
        expectRevert(IErrors.NotMasterAccount.selector, key);
        by(payer).convertWithConsent(key, newAdmin, DEADLINE, "");
        expectRevert(IErrors.NotMasterAccount.selector, key);
        by(payer).retireManagedAccount(key, DEADLINE, "");
        expectRevert(IErrors.AlreadyChainSecured.selector, SECURED);
        by(payer).retireManagedAccount(SECURED, DEADLINE, "");
    }
}
