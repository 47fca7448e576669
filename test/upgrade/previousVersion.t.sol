// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IAccountWrites } from "../../contracts/interfaces/IAccountWrites.sol";
import { IConfigFacet } from "../../contracts/interfaces/IConfigFacet.sol";
import { IDiamond } from "../../contracts/interfaces/IDiamond.sol";
import { IErrors } from "../../contracts/interfaces/IErrors.sol";
import { ISignedWrites } from "../../contracts/interfaces/ISignedWrites.sol";
import { IViewsFacet } from "../../contracts/interfaces/IViewsFacet.sol";
import { Deploy } from "../../script/Deploy.s.sol";
import { ITimelock } from "../utils/ITimelock.sol";
import { Population } from "./Population.sol";
import { Upgrader } from "./Upgrader.sol";

/// @notice A diamond of the previous version, with accounts of every history, is upgraded to this version by its timelock. The tests
/// list what differs afterwards; every other answer and the effect of every other write is the same.
///
/// snapshots/previous-version.json has the facets of that version. UPGRADE_ACCOUNTS is the number of accounts.
contract PreviousVersionTest is Population {
    string private constant PREVIOUS = "snapshots/previous-version.json";
    uint256 private constant DELAY = 2 days;

    /// The functions that only the previous version has.
    string[] private removed = [
        "cancelNonce(uint256)",
        "conversionsToday()",
        "executeSigned(uint256,bytes[],uint256,uint256,bytes)",
        "hashSignedWrites(uint256,bytes[],uint256,uint256)",
        "isNonceUsed(address,uint256)",
        "rotateAccountKey(uint256,uint256)"
    ];
    /// The functions that only this version has. The views among them have no answer before.
    bytes4[] private added = [
        IAccountWrites.acceptAccount.selector,
        IAccountWrites.cancelTransfer.selector,
        IAccountWrites.convertWithConsent.selector,
        IAccountWrites.retireManagedAccount.selector,
        IAccountWrites.rotateAccountKey.selector,
        IConfigFacet.consentRequired.selector,
        IConfigFacet.conversionsToday.selector,
        IConfigFacet.setConsentRequired.selector,
        ISignedWrites.cancelNonce.selector,
        ISignedWrites.executeSigned.selector,
        ISignedWrites.hashSignedWrites.selector,
        ISignedWrites.isNonceUsed.selector,
        IViewsFacet.accountState.selector
    ];

    /// The views whose answers are void: members of groups and grants of keys have another layout, so a diamond with groups
    /// in use is not upgraded.
    bytes4[] private changed = [
        IViewsFacet.canExecuteAction.selector,
        IViewsFacet.canExecuteActionAndUseWallet.selector,
        IViewsFacet.explainExecution.selector,
        IViewsFacet.listActionsInGroup.selector,
        IViewsFacet.listApiKeys.selector,
        IViewsFacet.listGroupContents.selector
    ];

    ITimelock private timelock;
    bytes4[] private selectorsBefore;

    // -------------------------------------------------------------------------------------- the version before

    function chooseVersion() internal override {
        string memory json = vm.readFile(PREVIOUS);
        for (uint256 i; vm.keyExistsJson(json, _path(i, "")); ++i) {
            bytes memory code = vm.parseJsonBytes(json, _path(i, ".code"));
            address facet;
            // memory-safe: reads the code.
            assembly ("memory-safe") {
                facet := create(0, add(code, 32), mload(code))
            }
            string[] memory signatures = abi.decode(vm.parseJson(json, _path(i, ".signatures")), (string[]));
            bytes4[] memory selectors = new bytes4[](signatures.length);
            for (uint256 j; j < selectors.length; ++j) {
                selectors[j] = selectorOf(signatures[j]);
                selectorsBefore.push(selectors[j]);
            }
            _route(selectors, facet, IDiamond.FacetCutAction.Replace);
            _route(selectors, facet, IDiamond.FacetCutAction.Add);
        }
        _route(added, address(0), IDiamond.FacetCutAction.Remove);
        _assertRoutes(selectorsBefore, added);
    }

    function _path(uint256 i, string memory field) private pure returns (string memory) {
        return string.concat(".facets[", vm.toString(i), "]", field);
    }

    /// @notice Cuts those of the selectors for which the action is possible.
    function _route(bytes4[] memory selectors, address facet, IDiamond.FacetCutAction action) private {
        bytes4[] memory chosen = new bytes4[](selectors.length);
        uint256 count;
        for (uint256 i; i < selectors.length; ++i) {
            address current = accountConfig.facetAddress(selectors[i]);
            bool isNew = current == address(0) || current == facet;
            if (current != facet && isNew == (action == IDiamond.FacetCutAction.Add)) {
                chosen[count++] = selectors[i];
            }
        }
        if (count == 0) return;
        // memory-safe: shortens an array that was allocated here.
        assembly ("memory-safe") {
            mstore(chosen, count)
        }
        IDiamond.FacetCut[] memory cuts = new IDiamond.FacetCut[](1);
        cuts[0] = IDiamond.FacetCut(facet, action, chosen);
        by(owner).diamondCut(cuts, address(0), "");
    }

    /// @notice The diamond routes all selectors of `some` and none of `none`.
    function _assertRoutes(bytes4[] memory some, bytes4[] memory none) private view {
        for (uint256 i; i < some.length; ++i) {
            vm.assertNotEq(accountConfig.facetAddress(some[i]), address(0));
        }
        for (uint256 i; i < none.length; ++i) {
            vm.assertEq(accountConfig.facetAddress(none[i]), address(0));
        }
    }

    function cancelNonceCall() internal pure override returns (bytes memory) {
        return abi.encodeWithSignature("cancelNonce(uint256)", 0);
    }

    function rotateCall(uint256 hash, uint256 newHash) internal pure override returns (bytes memory) {
        return abi.encodeWithSignature("rotateAccountKey(uint256,uint256)", hash, newHash);
    }

    function retireCall(uint256 hash) internal pure override returns (bytes memory) {
        return abi.encodeCall(IAccountWrites.retireAccount, (hash));
    }

    // --------------------------------------------------------------------------------------------- the upgrade

    function setUp() public override {
        super.setUp();
        Deploy.TimelockSettings memory settings =
            Deploy.TimelockSettings({ minDelay: DELAY, proposers: list(owner), executors: list(owner) });
        timelock = ITimelock(deployer().deployTimelock(settings));
        by(owner).transferOwnership(address(timelock));
        _throughTimelock(abi.encodeCall(accountConfig.acceptOwnership, ()));
    }

    function _throughTimelock(bytes memory data) private {
        vm.prank(owner);
        timelock.schedule(address(accountConfig), 0, data, 0, 0, DELAY);
        vm.warp(block.timestamp + DELAY);
        vm.prank(owner);
        timelock.execute(address(accountConfig), 0, data, 0, 0);
    }

    function _upgrade() private {
        _throughTimelock(Upgrader(create("Upgrader", "")).prepare(address(accountConfig)));
        bytes4[] memory gone = new bytes4[](removed.length);
        for (uint256 i; i < gone.length; ++i) {
            gone[i] = selectorOf(removed[i]);
        }
        string[] memory signatures = functionsOf("IAccountConfig").signatures;
        bytes4[] memory selectors = new bytes4[](signatures.length);
        for (uint256 i; i < selectors.length; ++i) {
            selectors[i] = selectorOf(signatures[i]);
        }
        _assertRoutes(selectors, gone);
        // The interface has no other new functions, and no others are gone.
        vm.assertEq(selectors.length, selectorsBefore.length - gone.length + added.length);
    }

    function _assertAnswers(bytes32[] memory answers, bytes32[] memory expected) private view {
        for (uint256 i; i < views.length; ++i) {
            if (_isIn(added, views[i]) || _isIn(changed, views[i])) continue;
            vm.assertEq(answers[i], expected[i], vm.toString(bytes32(views[i])));
        }
    }

    function _isIn(bytes4[] storage selectors, bytes4 selector) private view returns (bool) {
        for (uint256 i; i < selectors.length; ++i) {
            if (selectors[i] == selector) return true;
        }
        return false;
    }

    // -------------------------------------------------------------------------------------------------- equal

    function test_AnswersAndWritesAreTheSame() external {
        bytes32[] memory answers = askAll();
        uint256 snapshot = vm.snapshotState();
        writeSome();
        bytes32[] memory afterWrites = askAll();
        vm.revertToState(snapshot);
        _upgrade();
        _assertAnswers(askAll(), answers);
        writeSome();
        _assertAnswers(askAll(), afterWrites);
    }

    // ------------------------------------------------------------------------------------------------- different

    /// The identity of a wallet that has not accepted an account named the account, and names nothing now.
    function test_IdentitiesOfWaitingAccountsNameNothing() external {
        uint256 count;
        for (uint256 i; i < accounts; ++i) {
            if (!isWaiting(i)) continue;
            (uint256 master, address admin_,) = waiting(i);
            vm.assertEq(accountConfig.allApiKeyHashesToMaster(identity(admin_)), master);
            ++count;
        }
        vm.assertLt(0, count);
        _upgrade();
        for (uint256 i; i < accounts; ++i) {
            if (!isWaiting(i)) continue;
            (uint256 master, address admin_, address giver) = waiting(i);
            vm.assertEq(accountConfig.allApiKeyHashesToMaster(identity(admin_)), 0);
            IViewsFacet.AccountState memory state = accountConfig.accountState(identity(admin_));
            vm.assertTrue(state.state == IViewsFacet.HashState.Waiting);
            vm.assertEq(state.masterApiKeyHash, master);
            vm.assertFalse(state.accepted);
            // The version before did not record who gave it.
            vm.assertEq(state.giver, address(0));
            expectRevert(IErrors.NoPendingTransfer.selector, master);
            by(giver).cancelTransfer(master);
            expectRevert(IErrors.AccountNotAccepted.selector, identity(admin_));
            by(admin_).removeAllUsageApiKeys(identity(admin_));
            by(admin_).acceptAccount(master);
            vm.assertEq(accountConfig.allApiKeyHashesToMaster(identity(admin_)), master);
        }
    }

    /// Two accounts that wait for one wallet: its identity named none of them, and the last one can be accepted.
    function test_IdentityOfTwoWaitingAccounts() external {
        by(newAdmin).newChainSecuredAccount(NAME, DESCRIPTION);
        by(newAdmin).transferChainSecuredAccountOwnership(identity(newAdmin), stranger);
        by(admin).transferChainSecuredAccountOwnership(SECURED, stranger);
        vm.assertEq(accountConfig.allApiKeyHashesToMaster(identity(stranger)), 0);
        _upgrade();
        IViewsFacet.AccountState memory state = accountConfig.accountState(identity(stranger));
        vm.assertTrue(state.state == IViewsFacet.HashState.Waiting);
        vm.assertEq(state.masterApiKeyHash, SECURED);
        by(stranger).acceptAccount(identity(newAdmin));
        vm.assertEq(accountConfig.allApiKeyHashesToMaster(identity(stranger)), identity(newAdmin));
    }

    /// The digest of a signed write names its signer now, so no earlier signature is valid and no earlier nonce counts.
    function test_NoncesStartAgain() external {
        vm.assertTrue(_isNonceUsedBefore(admin, 0));
        bytes[] memory calls = new bytes[](1);
        calls[0] = abi.encodeCall(IAccountWrites.retireAccount, (SECURED));
        (, bytes memory digest) = address(accountConfig)
            .staticcall(
                abi.encodeWithSignature(
                    "hashSignedWrites(uint256,bytes[],uint256,uint256)", SECURED, calls, 7, type(uint256).max
                )
            );
        bytes memory signed = signature("admin", bytes32(digest));
        _upgrade();
        vm.assertFalse(accountConfig.isNonceUsed(SECURED, 0));
        expectRevert(ISignedWrites.InvalidSignature.selector, admin);
        accountConfig.executeSigned(SECURED, admin, calls, 7, type(uint256).max, signed);
    }

    function _isNonceUsedBefore(address signer, uint256 nonce) private view returns (bool) {
        bytes memory data = abi.encodeWithSignature("isNonceUsed(address,uint256)", signer, nonce);
        (, bytes memory result) = address(accountConfig).staticcall(data);
        return abi.decode(result, (bool));
    }

    /// An account key that was rotated before the upgrade left the address of the first key, which consents from now on.
    function test_FirstKeyConsentsForAccountsThatWereRotated() external {
        vm.prank(payer);
        (bool ok,) = address(accountConfig).call(rotateCall(MANAGED, UNKNOWN));
        vm.assertTrue(ok);
        _upgrade();
        vm.assertEq(accountConfig.getAccountWalletAddress(UNKNOWN), accountKeyAddress);
        uint256 deadline = block.timestamp;
        bytes32 typeHash = keccak256("RetireManagedAccount(uint256 apiKeyHash,uint256 deadline)");
        bytes32 digest = typedDigest(keccak256(abi.encode(typeHash, UNKNOWN, deadline)));
        by(payer).retireManagedAccount(UNKNOWN, deadline, signature("account key address", digest));
        vm.assertEq(accountConfig.allApiKeyHashesToMaster(UNKNOWN), 0);
    }

    /// Conversions count per caller, from the upgrade on.
    function test_ConversionsOfTheDayStartAgain() external {
        by(payer).convertToChainSecuredAccount(MANAGED, newAdmin);
        _upgrade();
        vm.assertEq(accountConfig.conversionsToday(payer), 0);
        vm.assertEq(accountConfig.conversionLimit(), 1_000_000);
        vm.assertFalse(accountConfig.consentRequired());
    }
}
