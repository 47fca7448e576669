/** Signatures of known wallets, valid and invalid ones. */
import { secp256k1 } from '@noble/curves/secp256k1.js';
import {
  type Address,
  bytesToHex,
  concatHex,
  getAddress,
  type Hex,
  hexToBigInt,
  hexToBytes,
  keccak256,
  numberToHex,
  slice,
  stringToHex,
} from 'viem';
import { privateKeyToAccount, sign } from 'viem/accounts';

/** A signature for the call that it is sent with. */
export interface Signed {
  signature: Hex;
  /** The wallet that signed; undefined for no signature of any wallet. */
  signer: Address | undefined;
}

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/** Returns the key of a wallet by its name. */
export function privateKeyOf(name: string): Hex {
  return keccak256(stringToHex(`differential ${name}`));
}

export const DIGESTS = [keccak256('0x01'), keccak256('0x02')];

const signers = new Map<string, Address>();
/** The same, for the contract wallet: it does not check the upper bound of s, and does not know the short form. */
const looseSigners = new Map<string, Address>();

/** Returns signatures by these wallets: valid ones in both lengths, and invalid ones derived from them. */
export async function makeSignatures(names: string[]): Promise<Hex[]> {
  const all: Hex[] = ['0x', '0x00', `0x${'00'.repeat(64)}`, `0x${'00'.repeat(65)}`];
  for (const name of names) {
    const privateKey = privateKeyOf(name);
    for (const hash of DIGESTS) {
      const { r, s, yParity = 0 } = await sign({ hash, privateKey });
      const long = concatHex([r, s, numberToHex(27 + yParity, { size: 1 })]);
      const compact = concatHex([r, numberToHex(hexToBigInt(s) | (BigInt(yParity) << 255n), { size: 32 })]);
      const highS = numberToHex(ORDER - hexToBigInt(s), { size: 32 });
      const malleable = concatHex([r, highS, numberToHex(28 - yParity, { size: 1 })]);
      const { address } = privateKeyToAccount(privateKey);
      for (const good of [long, compact]) signers.set(hash + good, address);
      for (const good of [long, malleable]) looseSigners.set(hash + good, address);
      all.push(long, compact, malleable, slice(long, 0, 63), concatHex([long, '0x00']));
    }
  }
  return all;
}

/** Returns the signature of a digest by the wallet of this name. */
export function signAs(name: string, digest: Hex): Hex {
  const options = { prehash: false, format: 'recovered' } as const;
  const signature = secp256k1.sign(hexToBytes(digest), hexToBytes(privateKeyOf(name)), options);
  return concatHex([bytesToHex(signature.slice(1)), numberToHex(27 + (signature[0] ?? 0), { size: 1 })]);
}

/** True when the wallet accepts the signature, one of those that were made. */
export function accepts(wallet: Address, digest: Hex, signature: Hex): boolean {
  if (wallet !== CONTRACT_WALLET) return signers.get(digest + signature) === wallet;
  return looseSigners.get(digest + signature) === CONTRACT_WALLET_OWNER;
}

/** Its signatures are valid for two wallets: for itself and for the contract wallet. */
export const CONTRACT_WALLET_OWNER = privateKeyToAccount(privateKeyOf('ada')).address;
/** isValidSignature by ecrecover, for signatures of 65 bytes. */
export const CONTRACT_WALLET_CODE = concatHex([
  // Digest, v, r and s in the order of ecrecover, then its call.
  '0x60206004600037600160a4603f3760406064604037602060806080600060015afa50',
  '0x60805173',
  CONTRACT_WALLET_OWNER,
  // Same owner, 65 bytes: returns the selector of isValidSignature.
  '0x1460443560411416631626ba7e0260e01b60005260206000f3',
]);
export const CONTRACT_WALLET = getAddress(slice(keccak256(CONTRACT_WALLET_CODE), 12));
