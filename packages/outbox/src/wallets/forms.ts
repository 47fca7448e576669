/** The signed forms that a run returns: each must be exactly what was asked. */
import { recoverSigner } from '@latchkey/service/secp256k1';
import {
  type Address,
  concat,
  type Hex,
  isAddressEqual,
  keccak256,
  parseTransaction,
  serializeTransaction,
  type TransactionSerializableEIP1559,
} from 'viem';
import type { Ladder } from './ladder.ts';

/** Nodes refuse a signature with a higher s. */
const HIGHEST_S = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;

/** The forms that a run signs, all with the nonce. */
export type ToSign = Ladder & { nonce: number; gas: bigint; cancelGas: bigint };
export type SignedForms = { forms: readonly Hex[]; cancel: Hex };

/** The run refused to sign, took too long, or returned something else than it was asked. */
export class UnsignedError extends Error {
  override readonly name = 'UnsignedError';
}

type WalletCall = { chainId: number; wallet: Address; to: Address | null; value: bigint; data: Hex };

/** Rejects with `UnsignedError` unless the forms are what was asked, signed by the wallet. */
export function checkForms(call: WalletCall, toSign: ToSign, signed: SignedForms): void {
  const { chainId, wallet, to, value, data } = call;
  const { nonce, gas, forms, cancel, cancelGas } = toSign;
  const common = { type: 'eip1559', chainId, nonce } as const;
  if (signed.forms.length !== forms.length)
    throw new UnsignedError(`the run returned ${signed.forms.length} forms instead of ${forms.length}`);
  for (const [index, fees] of forms.entries()) {
    const receiver = to === null ? {} : { to };
    checkForm(wallet, { ...common, ...receiver, value, data, gas, ...fees }, signed.forms[index]);
  }
  checkForm(
    wallet,
    { ...common, to: wallet, value: 0n, data: '0x', gas: cancelGas, ...cancel },
    signed.cancel,
  );
}

function checkForm(wallet: Address, asked: TransactionSerializableEIP1559, raw: Hex | undefined): void {
  const unsigned = serializeTransaction(asked);
  const signer = raw === undefined ? undefined : signerOf(asked, unsigned, raw);
  if (signer === undefined) throw new UnsignedError('the run returned another transaction than it was asked');
  if (!isAddressEqual(signer, wallet))
    throw new UnsignedError(
      `the run returned a transaction that is signed by ${signer} instead of ${wallet}`,
    );
}

/** Returns the signer when `raw` is the transaction that was asked, byte by byte. */
function signerOf(asked: TransactionSerializableEIP1559, unsigned: Hex, raw: Hex): Address | undefined {
  try {
    // A signature and its lengths have less than 100 bytes.
    if (raw.length > unsigned.length + 200) return undefined;
    const { r, s, yParity } = parseTransaction(raw);
    if (!r || !s || yParity === undefined || BigInt(s) > HIGHEST_S) return undefined;
    if (serializeTransaction(asked, { r, s, yParity }) !== raw) return undefined;
    const word = (hex: Hex): Hex => `0x${hex.slice(2).padStart(64, '0')}`;
    return recoverSigner(keccak256(unsigned), concat([word(r), word(s), yParity === 0 ? '0x1b' : '0x1c']));
  } catch {
    return undefined;
  }
}
