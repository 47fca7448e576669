// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { AccountConfigStorage as S } from "./AccountConfigStorage.sol";
import { Ref } from "./Ref.sol";

/// @title LibMinters
/// @notice The wallets that an account's paths were minted for.
///
/// A path is minted for the writer of its account at that time: the admin wallet, or 0 while the account is managed.
/// Writers change rarely, so an account stores its former ones, each with the last index of its wallets:
/// minter 160 | last index 32 | number of entries 32 (in entry 0 only).
/// A path that an account registers again under a later writer is an exception, and stored with its wallet.
library LibMinters {
    uint256 private constant LAST_SHIFT = 160;
    uint256 private constant COUNT_SHIFT = 192;

    /// @notice Stores the writer of an account before it changes.
    /// @param minter The admin wallet, 0 for a managed account.
    /// @param wallets The number of wallet indices that the account has given out.
    function record(Ref ref, address minter, uint256 wallets) internal {
        if (wallets == 0) return;
        S.Word storage first = S.load().minters[ref.above(0)];
        uint256 count = first.word >> COUNT_SHIFT;
        uint256 entry = uint160(minter) | (wallets << LAST_SHIFT);
        if (count == 0) {
            first.word = entry | (1 << COUNT_SHIFT);
        } else if (_lastOf(ref, count - 1) != wallets) {
            S.load().minters[ref.above(count)].word = entry;
            first.word += 1 << COUNT_SHIFT;
        }
    }

    /// @notice Returns the writer under which the wallet of an index was registered.
    /// @param current The present writer.
    function minterOf(Ref ref, uint256 index, address current) internal view returns (address) {
        uint256 low;
        uint256 high = S.load().minters[ref.above(0)].word >> COUNT_SHIFT;
        uint256 count = high;
        while (low < high) {
            uint256 middle = (low + high) >> 1;
            if (_lastOf(ref, middle) < index) low = middle + 1;
            else high = middle;
        }
        // The cast drops the fields above the address.
        return low == count ? current : address(uint160(S.load().minters[ref.above(low)].word));
    }

    function _lastOf(Ref ref, uint256 number) private view returns (uint256) {
        return uint32(S.load().minters[ref.above(number)].word >> LAST_SHIFT);
    }
}
