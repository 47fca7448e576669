// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { Kinds } from "./Kinds.sol";
import { Ref, Refs } from "./Ref.sol";

/// @notice An account, 0 for no account: kind 2 | managed 1 | namespace 1 | admin 160 | keys 22 | first key 22 | actions 22 |
/// wallets 22 | claimed 1 | pending 1 | rotated 1.
type AccountWord is uint256;

using AccountWords for AccountWord global;

library AccountWords {
    uint256 internal constant MAX_KEYS = (1 << 22) - 1;

    uint256 private constant MANAGED = 1 << 2;
    uint256 private constant NAMESPACE_SHIFT = 3;
    uint256 private constant ADMIN_SHIFT = 4;
    uint256 private constant KEYS_SHIFT = 164;
    uint256 private constant FIRST_KEY_SHIFT = 186;
    uint256 private constant ITEMS_SHIFT = 208; // actions
    uint256 private constant ITEMS_BITS = 22; // wallets above the actions
    uint256 private constant ITEMS_MASK = (1 << ITEMS_BITS) - 1;
    uint256 private constant CLAIMED = 1 << 252;
    uint256 private constant PENDING = 1 << 253;
    uint256 private constant ROTATED = 1 << 254;

    /// @notice Returns a new account. A ChainSecured one has claimed its hash.
    function create(uint256 namespace, address admin_, bool managed) internal pure returns (AccountWord) {
        return AccountWord.wrap(
            Kinds.ACCOUNT | (managed ? MANAGED : CLAIMED) | (namespace << NAMESPACE_SHIFT)
                | (uint256(uint160(admin_)) << ADMIN_SHIFT)
        );
    }

    function exists(AccountWord header) internal pure returns (bool) {
        return AccountWord.unwrap(header) != 0;
    }

    /// @notice Returns the ref of an account by its master hash.
    function refOf(AccountWord header, uint256 masterHash) internal pure returns (Ref) {
        return Refs.create(masterHash, (AccountWord.unwrap(header) >> NAMESPACE_SHIFT) & 1);
    }

    function admin(AccountWord header) internal pure returns (address) {
        // The cast drops the fields above the address.
        return address(uint160(AccountWord.unwrap(header) >> ADMIN_SHIFT));
    }

    function isManaged(AccountWord header) internal pure returns (bool) {
        return AccountWord.unwrap(header) & MANAGED != 0;
    }

    /// @notice Returns the wallet that the account's paths are minted for: its admin wallet, 0 while it is managed.
    function minter(AccountWord header) internal pure returns (address) {
        return isManaged(header) ? address(0) : admin(header);
    }

    /// @notice Returns the number of usage-key indices that an account has given out.
    function keyCount(AccountWord header) internal pure returns (uint256) {
        return (AccountWord.unwrap(header) >> KEYS_SHIFT) & MAX_KEYS;
    }

    /// @notice Returns the lowest index that a usage key may have. removeAllUsageApiKeys moves it behind all keys.
    function firstKey(AccountWord header) internal pure returns (uint256) {
        return (AccountWord.unwrap(header) >> FIRST_KEY_SHIFT) & MAX_KEYS;
    }

    /// @notice Returns the number of indices of a kind of items that an account has given out.
    function itemCount(AccountWord header, uint256 kind) internal pure returns (uint256) {
        return (AccountWord.unwrap(header) >> (ITEMS_SHIFT + ITEMS_BITS * kind)) & ITEMS_MASK;
    }

    /// @notice True when the account's hash is the identity of a wallet that claimed it. No other account can take it.
    function isClaimed(AccountWord header) internal pure returns (bool) {
        return AccountWord.unwrap(header) & CLAIMED != 0;
    }

    /// @notice True when the admin wallet got the account by a transfer and has not accepted it yet.
    function isPending(AccountWord header) internal pure returns (bool) {
        return AccountWord.unwrap(header) & PENDING != 0;
    }

    /// @notice True when the account key was rotated: the master hash is the name of the account in events, and no credential.
    function isRotated(AccountWord header) internal pure returns (bool) {
        return AccountWord.unwrap(header) & ROTATED != 0;
    }

    function withAdmin(AccountWord header, address admin_) internal pure returns (AccountWord) {
        return AccountWord.wrap(
            AccountWord.unwrap(header) & ~(uint256(type(uint160).max) << ADMIN_SHIFT)
                | (uint256(uint160(admin_)) << ADMIN_SHIFT)
        );
    }

    /// @notice Gives out the next index of a usage key.
    function withKey(AccountWord header) internal pure returns (AccountWord) {
        return AccountWord.wrap(AccountWord.unwrap(header) + (1 << KEYS_SHIFT));
    }

    /// @notice Removes every usage key.
    function withoutKeys(AccountWord header) internal pure returns (AccountWord) {
        return AccountWord.wrap(
            AccountWord.unwrap(header) & ~(MAX_KEYS << FIRST_KEY_SHIFT)
                | (keyCount(header) << FIRST_KEY_SHIFT)
        );
    }

    /// @notice Gives out the next index of a kind of items.
    function withItem(AccountWord header, uint256 kind) internal pure returns (AccountWord) {
        return AccountWord.wrap(AccountWord.unwrap(header) + (1 << (ITEMS_SHIFT + ITEMS_BITS * kind)));
    }

    function unmanaged(AccountWord header) internal pure returns (AccountWord) {
        return AccountWord.wrap(AccountWord.unwrap(header) & ~MANAGED);
    }

    function pending(AccountWord header) internal pure returns (AccountWord) {
        return AccountWord.wrap(AccountWord.unwrap(header) | PENDING);
    }

    function settled(AccountWord header) internal pure returns (AccountWord) {
        return AccountWord.wrap(AccountWord.unwrap(header) & ~PENDING);
    }

    /// @notice The word of an account whose hash is the identity of its admin wallet, which has chosen it.
    function claimed(AccountWord header) internal pure returns (AccountWord) {
        return AccountWord.wrap(AccountWord.unwrap(header) & ~ROTATED | CLAIMED);
    }

    function rotated(AccountWord header) internal pure returns (AccountWord) {
        return AccountWord.wrap(AccountWord.unwrap(header) | ROTATED);
    }
}
