import type { AuthorizationRequest } from '@latchkey/policy/evaluator';

/** Signs that the account of the wallet gets the code of a contract (EIP-7702). */
export async function signAuthorization({ wallet, chainId, contract, nonce }: AuthorizationRequest) {
  const { RLP, hexConcat, hexlify, keccak256 } = ethers.utils;
  const number = (value: number) => (value === 0 ? '0x' : hexlify(value));
  const hash = keccak256(hexConcat(['0x05', RLP.encode([number(chainId), contract, number(nonce)])]));
  return { signature: await Svc.Actions.signHash({ pkpId: wallet, hash }) };
}
