// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IAccountWrites } from "../../contracts/interfaces/IAccountWrites.sol";
import { IConfigFacet } from "../../contracts/interfaces/IConfigFacet.sol";
import { IDiamond } from "../../contracts/interfaces/IDiamond.sol";
import { IDiamondCutFacet } from "../../contracts/interfaces/IDiamondCutFacet.sol";
import { IErrors } from "../../contracts/interfaces/IErrors.sol";
import { IGroupWrites } from "../../contracts/interfaces/IGroupWrites.sol";
import { IUsageKeyWrites } from "../../contracts/interfaces/IUsageKeyWrites.sol";
import { IViewsFacet } from "../../contracts/interfaces/IViewsFacet.sol";
import { IWalletWrites } from "../../contracts/interfaces/IWalletWrites.sol";
import { IWritesFacet } from "../../contracts/interfaces/IWritesFacet.sol";
import { DelegateCaller } from "../mocks/Attackers.sol";
import { AttackTest } from "../utils/AttackTest.sol";

/// @notice Attacks on the entry points: multicall, facets called without the diamond, routes, malformed calldata.
contract CallAttackTest is AttackTest {
    /// keccak256(abi.encode(uint256(keccak256("latchkey.storage.Diamond")) - 1)) & ~0xff, and the owner's offset.
    uint256 private constant DIAMOND_SLOT =
        0x1acff6456f999971f5e7b614ca71701f5224830234e67035ab5618ba1a87ba00;
    uint256 private constant OWNER_OFFSET = 2;

    function _noAccess(uint256 hash, address caller) private pure returns (bytes memory) {
        return abi.encodeWithSelector(IErrors.NoAccountAccess.selector, hash, caller);
    }

    function _multicall(bytes memory call) private pure returns (bytes memory) {
        bytes[] memory calls = new bytes[](1);
        calls[0] = call;
        return abi.encodeCall(IWritesFacet.multicall, (calls));
    }

    function _addGroup(uint256 hash) private pure returns (bytes memory) {
        return abi.encodeCall(IGroupWrites.addGroup, (hash, NAME, DESCRIPTION, list(0), list(address(0))));
    }

    // ------------------------------------------------------------------------------------------------ multicall

    /// At any depth, a call in a multicall comes from the sender, never from the diamond.
    function test_MulticallActsAsSomebodyElse() external blockedInBothModes {
        bytes memory call = _addGroup(account);
        bytes memory open = abi.encodeCall(IAccountWrites.newChainSecuredAccount, (NAME, DESCRIPTION));
        bytes memory payers = abi.encodeCall(IConfigFacet.setApiPayers, (list(stranger)));
        for (uint256 depth; depth < 5; ++depth) {
            refused(stranger, call, _noAccess(account, stranger));
            refused(stranger, payers, abi.encodeWithSelector(IDiamond.OnlyOwner.selector, stranger));
            uint256 snapshot = vm.snapshotState();
            by(stranger);
            (bool ok,) = address(accountConfig).call(open);
            vm.assertTrue(ok);
            vm.assertEq(accountConfig.getAccountWalletAddress(identity(stranger)), stranger);
            vm.assertEq(accountConfig.allApiKeyHashesToMaster(identity(address(accountConfig))), 0);
            vm.revertToState(snapshot);
            (call, open, payers) = (_multicall(call), _multicall(open), _multicall(payers));
        }
    }

    /// One call gives no rights to the next: the sender opens an account, then tries to write another one.
    function test_MulticallCarriesRightsOver() external blocked {
        bytes[] memory calls = new bytes[](3);
        calls[0] = _addGroup(lair);
        calls[1] = _addGroup(lairKey);
        calls[2] = _addGroup(account);
        bytes32 before = fingerprint(lair);
        if (attacker == writer) {
            // The api payer writes both for different holders: the hash decides, not the sender.
            calls[2] = _addGroup(SECURED);
            refused(attacker, abi.encodeCall(IWritesFacet.multicall, (calls)), _noAccess(SECURED, attacker));
        } else {
            refused(attacker, abi.encodeCall(IWritesFacet.multicall, (calls)), _noAccess(account, attacker));
        }
        vm.assertEq(fingerprint(lair), before);
    }

    /// An endless multicall of itself uses only its sender's gas.
    function test_MulticallBomb() external blockedInBothModes {
        bytes memory bomb = _addGroup(lair);
        for (uint256 i; i < 5; ++i) {
            bytes[] memory calls = new bytes[](4);
            for (uint256 j; j < 4; ++j) {
                calls[j] = bomb;
            }
            bomb = abi.encodeCall(IWritesFacet.multicall, (calls));
        }
        bytes32 before = fingerprint(lair);
        by(attacker);
        (bool ok,) = address(accountConfig).call{ gas: 10_000_000 }(bomb);
        vm.assertFalse(ok);
        vm.assertEq(fingerprint(lair), before);
    }

    // --------------------------------------------------------------------------------- facets without the diamond

    /// A facet by itself has no owner, no payer and no account, and no account reads the storage of a facet.
    function test_FacetsCalledDirectly() external blockedInBothModes {
        bytes32 before = fingerprint();
        uint256 snapshot = vm.snapshotState();
        address[] memory facets = accountConfig.facetAddresses();
        bytes[7] memory calls = [
            abi.encodeCall(IAccountWrites.newChainSecuredAccount, (NAME, DESCRIPTION)),
            abi.encodeCall(IConfigFacet.setApiPayers, (list(thief))),
            abi.encodeCall(IConfigFacet.setConfigOperator, (thief)),
            abi.encodeCall(IConfigFacet.setPricing, (1, 1)),
            abi.encodeCall(IDiamondCutFacet.diamondCut, (new IDiamond.FacetCut[](0), thief, "")),
            abi.encodeCall(IDiamondCutFacet.transferOwnership, (thief)),
            abi.encodeCall(IDiamondCutFacet.acceptOwnership, ())
        ];
        uint256 succeeded;
        for (uint256 i; i < facets.length; ++i) {
            for (uint256 j; j < calls.length; ++j) {
                vm.prank(thief);
                (bool ok,) = facets[i].call(calls[j]);
                if (ok) ++succeeded;
                vm.prank(thief);
                (ok,) = facets[i].call(_multicall(calls[j]));
                if (ok) ++succeeded;
                vm.prank(thief);
                (ok,) = facets[i].call(_addGroup(account));
                vm.assertFalse(ok, "a facet knows an account of the diamond");
            }
        }
        // An account in the storage of the writes facet. After the multicall it exists already.
        vm.assertEq(succeeded, 1);
        vm.assertEq(fingerprint(), before);
        refused(
            stranger,
            abi.encodeCall(IConfigFacet.setApiPayers, (list(thief))),
            abi.encodeWithSelector(IDiamond.OnlyOwner.selector, stranger)
        );
        vm.revertToState(snapshot);
    }

    /// In another contract a facet's code reads and changes only the storage of that contract.
    function test_FacetsRunInAStrangersStorage() external blockedInBothModes {
        bytes32 before = fingerprint();
        uint256 snapshot = vm.snapshotState();
        vm.startPrank(thief);
        DelegateCaller proxy = new DelegateCaller();
        proxy.plant(bytes32(DIAMOND_SLOT + OWNER_OFFSET), bytes32(uint256(uint160(thief))));
        address config = accountConfig.facetAddress(IConfigFacet.setApiPayers.selector);
        (bool ok,) = proxy.delegate(config, abi.encodeCall(IConfigFacet.setApiPayers, (list(thief))));
        vm.assertTrue(ok, "the thief is owner in his own storage");
        address cut = accountConfig.facetAddress(IDiamondCutFacet.diamondCut.selector);
        (ok,) = proxy.delegate(cut, abi.encodeCall(IDiamondCutFacet.transferOwnership, (thief)));
        vm.assertTrue(ok);
        // The diamond's own code has no route there.
        (ok,) = proxy.delegate(address(accountConfig), abi.encodeCall(IDiamondCutFacet.owner, ()));
        vm.assertFalse(ok);
        vm.stopPrank();
        vm.assertEq(fingerprint(), before);
        vm.revertToState(snapshot);
    }

    /// A served selector moves to another facet only with Replace, even for the owner.
    function test_SelectorCollision() external blockedInBothModes {
        bytes32 before = fingerprint();
        address facet = address(new DelegateCaller());
        bytes4[] memory selectors = selectorsOf("IAccountConfig");
        for (uint256 i; i < selectors.length; ++i) {
            IDiamond.FacetCut[] memory cuts = new IDiamond.FacetCut[](1);
            cuts[0].facetAddress = facet;
            cuts[0].functionSelectors = new bytes4[](2);
            cuts[0].functionSelectors[0] = DelegateCaller.delegate.selector;
            cuts[0].functionSelectors[1] = selectors[i];
            refused(
                owner,
                abi.encodeCall(IDiamondCutFacet.diamondCut, (cuts, address(0), "")),
                abi.encodeWithSelector(
                    IDiamond.SelectorAlreadyRouted.selector,
                    selectors[i],
                    accountConfig.facetAddress(selectors[i])
                )
            );
        }
        vm.assertEq(accountConfig.facetAddress(DelegateCaller.delegate.selector), address(0));
        vm.assertEq(fingerprint(), before);
    }

    // ------------------------------------------------------------------------------------------ malformed calldata

    /// @notice `data` with bits of the argument at `index` set.
    function _dirty(bytes memory data, uint256 index, uint256 bits)
        private
        pure
        returns (bytes memory dirty)
    {
        dirty = bytes.concat(data);
        // memory-safe: writes within the bytes that were copied here.
        assembly ("memory-safe") {
            let word := add(add(dirty, 36), mul(index, 32))
            mstore(word, or(mload(word), bits))
        }
    }

    /// An address with upper bits would be one wallet for the check and another for the storage.
    function test_DirtyUpperBits() external blockedInBothModes {
        uint256[4] memory dirt = [uint256(1) << 160, uint256(1) << 255, uint256(1) << 192, uint256(1) << 248];
        bytes[7] memory calls = [
            abi.encodeCall(
                IWalletWrites.registerWalletDerivation, (account, noWallet, pathOf(9), NAME, NAME)
            ),
            abi.encodeCall(IWalletWrites.addPkpToGroup, (account, GROUP, looseWallet)),
            abi.encodeCall(IWalletWrites.removePkpFromGroup, (account, GROUP, wallet)),
            abi.encodeCall(IWalletWrites.removeWalletDerivation, (account, wallet)),
            abi.encodeCall(IViewsFacet.canUseWalletInAction, (key, ACTION, wallet)),
            abi.encodeCall(IViewsFacet.getWalletDerivation, (account, wallet)),
            // Here the last word is the wallet in the list.
            abi.encodeCall(IGroupWrites.addGroup, (account, "", "", list(), list(wallet)))
        ];
        uint256[7] memory index = [uint256(1), 2, 2, 1, 2, 1, 9];
        for (uint256 i; i < calls.length; ++i) {
            uint256 snapshot = vm.snapshotState();
            by(writer);
            (bool ok,) = address(accountConfig).call(calls[i]);
            vm.assertTrue(ok, "the clean call is right");
            vm.revertToState(snapshot);
            for (uint256 j; j < dirt.length; ++j) {
                refused(writer, _dirty(calls[i], index[i], dirt[j]), "");
                refused(writer, _multicall(_dirty(calls[i], index[i], dirt[j])), "");
            }
        }
        UsageKey memory k = almightyKey(UNKNOWN);
        for (uint256 flag = 6; flag < 9; ++flag) {
            refused(writer, _dirty(encodeSetKey(k), flag, 2), "");
            refused(writer, _dirty(encodeSetKey(k), flag, 1 << 255), "");
        }
    }

    /// A call that is cut off anywhere is refused: no list is shorter than its length, no argument is padded with zeros.
    function test_TruncatedCalldata() external blockedInBothModes {
        UsageKey memory k = newKey(key);
        k.manageIPFSIdsInGroups = list(EMPTY_GROUP);
        k.executeInGroups = list(GROUP, EMPTY_GROUP);
        bytes memory data = encodeSetKey(k);
        for (uint256 length = data.length - 1; length > 3; --length) {
            // memory-safe: shortens the bytes that were made here.
            assembly ("memory-safe") {
                mstore(data, length)
            }
            refused(writer, data, "");
        }
    }

    /// A list with a huge length only costs its sender the gas of the revert.
    function test_OverlongArrays() external blockedInBothModes {
        uint256[4] memory lengths = [uint256(3), 1 << 32, 1 << 64, type(uint256).max];
        UsageKey memory k = newKey(key);
        k.executeInGroups = list(GROUP, EMPTY_GROUP);
        bytes memory setKey_ = encodeSetKey(k);
        bytes[] memory calls = new bytes[](1);
        calls[0] = _addGroup(account);
        bytes memory many = abi.encodeCall(IWritesFacet.multicall, (calls));
        for (uint256 i; i < lengths.length; ++i) {
            // The length of the last list is three words before the end, that of `calls` in the second word.
            uint256 index = setKey_.length / 32 - 3;
            uint256 gas = gasleft();
            refused(writer, _dirty(setKey_, index, lengths[i]), "");
            refused(writer, _dirty(many, 1, lengths[i] << 8), "");
            vm.assertLt(gas - gasleft(), 200_000);
        }
    }

    /// One encoded list for all four: the key gets the permissions of the arguments, and the event carries the same.
    function test_OverlappingArrays() external inBothModes {
        UsageKey memory k = newKey(UNKNOWN);
        (k.name, k.description) = ("", "");
        k.executeInGroups = list(GROUP);
        bytes memory data = encodeSetKey(k);
        uint256 tail = data.length - 4 - 64;
        for (uint256 i = 9; i < 13; ++i) {
            // memory-safe: writes within the bytes that were made here.
            assembly ("memory-safe") {
                mstore(add(add(data, 36), mul(i, 32)), tail)
            }
        }
        by(writer);
        (bool ok,) = address(accountConfig).call(data);
        vm.assertTrue(ok);
        k.manageIPFSIdsInGroups = list(GROUP);
        k.addPkpToGroups = list(GROUP);
        k.removePkpFromGroups = list(GROUP);
        assertKey(k);
        vm.assertEq(
            vm.getRecordedLogs()[0].data,
            abi.encode(
                k.expiration,
                k.balance,
                k.name,
                k.description,
                IUsageKeyWrites.UsageApiKeyPermissions(
                    false, false, false, list(GROUP), list(GROUP), list(GROUP), list(GROUP)
                )
            )
        );
    }

    /// Bytes after the arguments are neither stored nor emitted.
    function test_TrailingCalldata() external inBothModes {
        UsageKey memory k = newKey(UNKNOWN);
        k.executeInGroups = list(GROUP);
        by(writer);
        (bool ok,) =
            address(accountConfig).call(bytes.concat(encodeSetKey(k), new bytes(1000), bytes20(thief)));
        vm.assertTrue(ok);
        assertKey(k);
        vm.assertTrue(vm.getRecordedLogs()[0].data.length < 1000);
    }

    /// No call can bring ETH, so there is none to steal. ETH that is forced in stays there forever.
    function test_EthIsSentOrForcedIn() external blockedInBothModes {
        vm.deal(thief, 10 ether);
        bytes4[] memory selectors = selectorsOf("IAccountConfig");
        for (uint256 i; i < selectors.length; ++i) {
            _refusesEth(bytes.concat(selectors[i], new bytes(1000)));
        }
        _refusesEth("");
        _refusesEth(hex"12345678");
        vm.deal(address(accountConfig), 1 ether);
        address adminWallet = account == MANAGED ? accountKeyAddress : admin;
        vm.assertEq(accountConfig.getAccountWalletAddress(account), adminWallet);
    }

    function _refusesEth(bytes memory data) private {
        vm.prank(thief);
        (bool ok, bytes memory result) = address(accountConfig).call{ value: 1 }(data);
        vm.assertFalse(ok);
        vm.assertEq(result, "");
    }
}
