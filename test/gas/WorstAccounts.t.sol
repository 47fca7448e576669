// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IAccountWrites } from "../../contracts/interfaces/IAccountWrites.sol";
import { ISignedWrites } from "../../contracts/interfaces/ISignedWrites.sol";
import { GasTest } from "./GasTest.sol";

/// @notice The worst case of each write that opens, hands over or ends an account: every combination of former keys or owners of the
/// account, and of what others put under the identity of the wallet that it goes to. Rows of snapshots/gas-worst.json.
/// forge-config: default.isolate = true
contract WorstAccounts is GasTest {
    /// @notice Contents that another account put under the identity of the wallet that the account goes to.
    enum Under {
        Nothing,
        Account,
        UsageKey,
        WaitingAccount
    }

    /// @notice The worst costs. In memory, because a snapshot of the state includes the storage of the test.
    struct Worst {
        uint256 count;
        string[] names;
        uint256[] gas;
    }

    uint256 private constant FIRST_KEY = uint256(keccak256("first key"));
    uint256 private constant SECOND_KEY = uint256(keccak256("second key"));
    uint256 private constant THIRD_KEY = uint256(keccak256("third key"));
    uint256 private constant MOST_OWNERS = 3;
    uint256 private minted;

    function setUp() public override {
        super.setUp();
        by(owner).setConversionLimit(5);
        by(payer).newAccount(FIRST_KEY, true, LABEL, TEXT, addressOfKey(FIRST_KEY));
        (account, writer) = (FIRST_KEY, payer);
        _mint();
    }

    function _mint() private {
        by(writer)
            .registerWalletDerivation(account, walletAt(++minted), pathOf(1 << 64 | minted), LABEL, TEXT);
    }

    function _put(Under under) private {
        uint256 hash = identity(newAdmin);
        if (under == Under.Account) by(payer).newAccount(hash, true, LABEL, TEXT, addressOfKey(hash));
        if (under == Under.WaitingAccount) {
            by(admin).transferChainSecuredAccountOwnership(SECURED, newAdmin);
        }
        if (under == Under.UsageKey) {
            UsageKey memory k = newKey(hash);
            k.accountApiKeyHash = MANAGED;
            setKeyAs(payer, k);
        }
    }

    /// @notice Keeps the cost of a call that is then undone.
    function _measure(Worst memory worst, string memory name, address caller, bytes memory data) private {
        uint256 snapshot = vm.snapshotState();
        uint256 gas = send(caller, data);
        vm.revertToState(snapshot);
        uint256 i;
        while (i < worst.count && keccak256(bytes(worst.names[i])) != keccak256(bytes(name))) ++i;
        if (i == worst.count) worst.names[worst.count++] = name;
        if (gas > worst.gas[i]) worst.gas[i] = gas;
    }

    function _openings(Worst memory worst) private {
        _measure(
            worst,
            "newAccount",
            payer,
            abi.encodeCall(IAccountWrites.newAccount, (UNKNOWN, true, LABEL, TEXT, newAdmin))
        );
        _measure(
            worst,
            "newChainSecuredAccount",
            newAdmin,
            abi.encodeCall(IAccountWrites.newChainSecuredAccount, (LABEL, TEXT))
        );
    }

    function _managed(Worst memory worst) private {
        uint256 hash = account;
        _measure(
            worst,
            "convertToChainSecuredAccount",
            payer,
            abi.encodeCall(IAccountWrites.convertToChainSecuredAccount, (hash, newAdmin))
        );
        bytes memory consent = consentOf(hash, conversion(hash, newAdmin));
        _measure(
            worst,
            "convertWithConsent",
            payer,
            abi.encodeCall(IAccountWrites.convertWithConsent, (hash, newAdmin, DEADLINE, consent))
        );
        address newKey_ = addressOfKey(THIRD_KEY);
        consent = consentOf(hash, rotation(hash, THIRD_KEY, newKey_));
        _measure(
            worst,
            "rotateAccountKey",
            payer,
            abi.encodeCall(IAccountWrites.rotateAccountKey, (hash, THIRD_KEY, newKey_, DEADLINE, consent))
        );
        _measure(
            worst,
            "retireManagedAccount",
            payer,
            abi.encodeCall(
                IAccountWrites.retireManagedAccount, (hash, DEADLINE, consentOf(hash, retirement(hash)))
            )
        );
    }

    /// @notice Hands the account to one more wallet, which accepts it and mints.
    function _handOver(uint256 number) private {
        address next = actor(string.concat("owner ", vm.toString(number)));
        if (number == 0) by(payer).convertToChainSecuredAccount(account, next);
        else by(writer).transferChainSecuredAccountOwnership(account, next);
        by(next).acceptAccount(account);
        (account, writer, mintedFor) = (identity(next), next, next);
        _mint();
    }

    function _secured(Worst memory worst) private {
        uint256 hash = account;
        bytes memory transfer =
            abi.encodeCall(IAccountWrites.transferChainSecuredAccountOwnership, (hash, newAdmin));
        _measure(worst, "transferChainSecuredAccountOwnership", writer, transfer);
        bytes memory retirement_ = abi.encodeCall(IAccountWrites.retireAccount, (hash));
        _measure(worst, "retireAccount", writer, retirement_);
        uint256 snapshot = vm.snapshotState();
        by(writer).transferChainSecuredAccountOwnership(hash, newAdmin);
        // The new owner must name the account by a hash that is not of one of its wallets.
        hash = FIRST_KEY;
        _measure(worst, "retireAccount", newAdmin, abi.encodeCall(IAccountWrites.retireAccount, (hash)));
        bytes memory acceptance = abi.encodeCall(IAccountWrites.acceptAccount, (hash));
        _measure(worst, "acceptAccount", newAdmin, acceptance);
        bytes memory cancellation = abi.encodeCall(IAccountWrites.cancelTransfer, (hash));
        _measure(worst, "cancelTransfer", writer, cancellation);
        _measure(worst, "cancelTransfer", newAdmin, cancellation);
        _measure(worst, "cancelNonce", newAdmin, abi.encodeCall(ISignedWrites.cancelNonce, (hash, 1)));
        bytes[] memory calls = new bytes[](1);
        calls[0] = acceptance;
        bytes32 digest = accountConfig.hashSignedWrites(hash, newAdmin, calls, 1, DEADLINE);
        bytes memory signed = signature(privateKeys[newAdmin], digest);
        _measure(
            worst,
            "executeSigned of acceptAccount",
            stranger,
            abi.encodeCall(ISignedWrites.executeSigned, (hash, newAdmin, calls, 1, DEADLINE, signed))
        );
        vm.revertToState(snapshot);
    }

    function test_NoCaseCostsMoreThanTheWorst() external {
        Worst memory worst = Worst(0, new string[](16), new uint256[](16));
        for (uint256 under; under <= uint256(type(Under).max); ++under) {
            uint256 snapshot = vm.snapshotState();
            _put(Under(under));
            _openings(worst);
            _managed(worst);
            uint256 beforeRotation = vm.snapshotState();
            rotate(FIRST_KEY, SECOND_KEY);
            account = SECOND_KEY;
            _managed(worst);
            vm.revertToState(beforeRotation);
            for (uint256 owners; owners < MOST_OWNERS; ++owners) {
                _handOver(owners);
                _secured(worst);
            }
            vm.revertToState(snapshot);
        }
        for (uint256 i; i < worst.count; ++i) {
            keep("gas-worst", worst.names[i], worst.gas[i]);
        }
    }
}
