// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title ISignedWrites
/// @notice Writes of ChainSecured accounts that the admin wallet signs (EIP-712) and anyone submits. Conventions: see
/// IAccountConfig.
///
/// Domain: name "Service ChainSecured", version "1", the chain id, the address of the diamond.
///
/// A single write is signed as a struct with the name of the function in upper camel case, the parameters of the function,
/// then `uint256 nonce` and `uint256 deadline`:
///     RemoveGroup(uint256 apiKeyHash,uint256 groupId,uint256 nonce,uint256 deadline)
/// Several writes are signed as a struct of such structs without nonce and deadline:
///     Writes(RemoveGroup write1,AddAction write2,uint256 nonce,uint256 deadline)AddAction(…)RemoveGroup(…)
///
/// Signable: every write that takes the hash of an account and is not for api payers, and newChainSecuredAccount. The
/// arguments must have their canonical ABI encoding, so that the signed bytes are those that run.
interface ISignedWrites {
    /// @notice Signed writes of an account were executed. It follows the events of the writes.
    /// @param masterApiKeyHash The account before the writes; the wallet identity when the first write opened it.
    event SignedWritesExecuted(uint256 indexed masterApiKeyHash, address signer, uint256 nonce);
    event NonceCancelled(address indexed signer, uint256 nonce);

    /// @notice The arguments of the call do not have their canonical ABI encoding.
    error MalformedCall(uint256 index);
    /// @notice The call has another account hash than the batch.
    error CallOfAnotherAccount(uint256 index, uint256 apiKeyHash);
    /// @notice The function cannot be signed.
    error NotSignable(uint256 index, bytes4 selector);
    /// @notice The batch has no calls, or more than `maximum`.
    error SignedCallsOutOfRange(uint256 count, uint256 maximum);
    error SignatureExpired(uint256 deadline);
    /// @notice The signature is not that of `signer`, the current admin wallet, or names no wallet (`signer` 0).
    error InvalidSignature(address signer);
    error NonceAlreadyUsed(address signer, uint256 nonce);
    /// @notice The account is managed: api payers write it.
    error AccountIsManaged(uint256 apiKeyHash);

    /// @notice Executes writes that the admin wallet of an account signed, as that wallet, all or nothing. Any caller. Reverts
    /// with the first revert data of a write. A write after one that ends the signer's authority is refused like any other.
    /// The signature is ECDSA, or ERC-1271 as in isValidAccountSignature. When the first write is newChainSecuredAccount,
    /// `apiKeyHash` is the identity of the wallet, and only ECDSA is accepted: the address follows from the signature.
    /// Reverts, in this order: deadline, number of calls, a call (NotSignable, MalformedCall, CallOfAnotherAccount), account
    /// (AccountDoesNotExist, AccountIsManaged), signature, nonce.
    /// @param calls 1 to 16 calls of this contract, with `apiKeyHash` as their first argument, except for
    /// newChainSecuredAccount.
    /// @param nonce Any unused number of the wallet. Numbers that differ in their lower 8 bits only share a word of storage.
    /// @param deadline The last second in which the signature is valid.
    /// @return results The return data of each call.
    function executeSigned(
        uint256 apiKeyHash,
        bytes[] calldata calls,
        uint256 nonce,
        uint256 deadline,
        bytes calldata signature
    ) external returns (bytes[] memory results);

    /// @notice Marks a nonce of the caller as used, which voids every signature with it.
    function cancelNonce(uint256 nonce) external;

    function isNonceUsed(address signer, uint256 nonce) external view returns (bool);

    /// @notice Returns the EIP-712 digest that the wallet signs for executeSigned.
    function hashSignedWrites(uint256 apiKeyHash, bytes[] calldata calls, uint256 nonce, uint256 deadline)
        external
        view
        returns (bytes32 digest);

    /// @notice ERC-5267.
    function eip712Domain()
        external
        view
        returns (
            bytes1 fields,
            string memory name,
            string memory version,
            uint256 chainId,
            address verifyingContract,
            bytes32 salt,
            uint256[] memory extensions
        );
}
