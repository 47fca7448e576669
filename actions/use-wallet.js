/** Signs and sends with a wallet what the caller asks. Permit it to keys that may do all that the wallet can. It takes the requests of policies, and also `bytes` and `public_key`. */
export async function main({ kind, ...request }) {
  const { pkpId } = request;
  switch (kind) {
    case 'message':
      return { signature: await Svc.Actions.signMessage(request) };
    case 'typed_data':
      return { signature: await Svc.Actions.signTypedData(request) };
    case 'sign_transaction':
      return { transaction: await Svc.Actions.signTransaction(request) };
    case 'send_transaction':
      return Svc.Actions.sendTransaction({ ...request.transaction, pkpId });
    case 'authorization': {
      const { RLP, hexConcat, hexlify, keccak256 } = ethers.utils;
      const number = (value) => (value === 0 ? '0x' : hexlify(value));
      const { chainId, contract, nonce } = request;
      const hash = keccak256(hexConcat(['0x05', RLP.encode([number(chainId), contract, number(nonce)])]));
      return { signature: await Svc.Actions.signHash({ pkpId, hash }) };
    }
    case 'hash':
      return { signature: await Svc.Actions.signHash(request) };
    case 'bytes':
      return { signature: await Svc.Actions.sign(request) };
    case 'public_key':
      return { publicKey: await Svc.Actions.getPublicKey(request) };
    default:
      throw new TypeError(`kind is unknown: ${kind}`);
  }
}
