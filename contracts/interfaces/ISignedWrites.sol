// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title ISignedWrites
/// @notice Writes of ChainSecured accounts that the admin wallet signs (EIP-712) and anyone submits. Conventions: see
/// IAccountConfig.
///
/// Domain: name "Service ChainSecured", version "1", the chain id, the address of the diamond.
///
/// A single write is signed as a struct with the name of the function in upper camel case, the parameters of the function,
/// then `address signer`, `uint256 nonce` and `uint256 deadline`:
///     RemoveGroup(uint256 apiKeyHash,uint256 groupId,address signer,uint256 nonce,uint256 deadline)
/// Several writes are signed as a struct of such structs without signer, nonce and deadline:
///     Writes(RemoveGroup write1,AddAction write2,address signer,uint256 nonce,uint256 deadline)AddAction(…)RemoveGroup(…)
///
/// Signable: every write that takes the hash of an account and is not for api payers, and newChainSecuredAccount. The
/// arguments must have their canonical ABI encoding, so that the signed bytes are those that run.
///
/// A nonce belongs to an account and is used once, whoever its admin is then. Nonces that a wallet uses before it has chosen an
/// account, and in accounts that wait for it, are used for it in every account. The digest names the signer, because one signature
/// can be valid for two wallets, such as a key and the contract wallet that it owns.
interface ISignedWrites {
    /// @notice Signed writes of an account were executed. It follows the events of the writes.
    /// @param masterApiKeyHash The account before the writes; the wallet identity when the first write opened it.
    /// @param digest The EIP-712 digest that `signer` signed.
    event SignedWritesExecuted(
        uint256 indexed masterApiKeyHash, address indexed signer, uint256 indexed nonce, bytes32 digest
    );
    event NonceCancelled(uint256 indexed masterApiKeyHash, address indexed signer, uint256 indexed nonce);

    /// @notice The arguments of the call do not have their canonical ABI encoding.
    error MalformedCall(uint256 index);
    /// @notice The call has another account hash than the batch.
    error CallOfAnotherAccount(uint256 index, uint256 apiKeyHash);
    /// @notice The function cannot be signed.
    error NotSignable(uint256 index, bytes4 selector);
    /// @notice The batch has no calls, or more than `maximum`.
    error SignedCallsOutOfRange(uint256 count, uint256 maximum);
    error SignatureExpired(uint256 deadline);
    /// @notice `signer` has not signed these writes with this nonce and this deadline.
    error InvalidSignature(address signer);
    error NonceAlreadyUsed(uint256 apiKeyHash, uint256 nonce);
    /// @notice The account is managed: api payers write it.
    error AccountIsManaged(uint256 apiKeyHash);

    /// @notice Executes writes that the admin wallet of an account signed, as that wallet, all or nothing. Any caller. Reverts
    /// with the first revert data of a write. A write after one that ends the signer's authority is refused like any other.
    /// The signature is ECDSA, or ERC-1271 as in isValidAccountSignature. `apiKeyHash` is the master hash or another name of the
    /// account, or the identity of a signer that has no account: its first write is then newChainSecuredAccount or cancelNonce.
    /// The wallet that transferred an account signs a batch that begins with cancelTransfer.
    /// Reverts, in this order: deadline, number of calls, a call (NotSignable, MalformedCall, CallOfAnotherAccount), account
    /// (AccountDoesNotExist, AccountIsManaged, NoAccountAccess), signature, nonce.
    /// @param signer The wallet that signed.
    /// @param calls 1 to 16 calls of this contract, with `apiKeyHash` as their first argument, except for
    /// newChainSecuredAccount.
    /// @param nonce Any unused number of the account. Numbers that differ in their lower 8 bits only share a word of storage.
    /// @param deadline The last second in which the signature is valid.
    /// @return results The return data of each call.
    function executeSigned(
        uint256 apiKeyHash,
        address signer,
        bytes[] calldata calls,
        uint256 nonce,
        uint256 deadline,
        bytes calldata signature
    ) external returns (bytes[] memory results);

    /// @notice Marks a nonce of an account as used, which voids every signature with it. Callers: the admin wallet, also of an
    /// account that waits for it, which this does not accept; a wallet without an account, with its identity. NoAccountAccess,
    /// NonceAlreadyUsed.
    function cancelNonce(uint256 apiKeyHash, uint256 cancelledNonce) external;

    /// @param apiKeyHash A name of the account, or the identity of a wallet without one.
    function isNonceUsed(uint256 apiKeyHash, uint256 nonce) external view returns (bool);

    /// @notice Returns the EIP-712 digest that `signer` signs for executeSigned.
    function hashSignedWrites(
        uint256 apiKeyHash,
        address signer,
        bytes[] calldata calls,
        uint256 nonce,
        uint256 deadline
    ) external view returns (bytes32 digest);

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
