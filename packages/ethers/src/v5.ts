import { type LatchkeyAccount, toLatchkeyAccount, type WalletParameters } from '@latchkey/viem';
import {
  type BytesLike,
  type providers,
  Signer,
  type TypedDataDomain,
  type TypedDataField,
  type UnsignedTransaction,
  utils,
} from 'ethers5';
import { type Hex, parseTransaction, type TransactionSerialized } from 'viem';

export { useWalletCid, WalletRequestError } from '@latchkey/viem';
export type { WalletParameters };

/** A wallet as a signer of ethers 5. Its functions reject with a `WalletRequestError` when the action does not sign. */
export class LatchkeySigner extends Signer {
  readonly address: string;
  readonly #parameters: WalletParameters;
  readonly #account: LatchkeyAccount;

  constructor(parameters: WalletParameters, provider?: providers.Provider) {
    super();
    this.#parameters = parameters;
    this.#account = toLatchkeyAccount(parameters);
    this.address = this.#account.address;
    if (provider) utils.defineReadOnly(this, 'provider', provider);
  }

  async getAddress(): Promise<string> {
    return this.address;
  }

  connect(provider: providers.Provider): LatchkeySigner {
    return new LatchkeySigner(this.#parameters, provider);
  }

  async signMessage(message: BytesLike | string): Promise<string> {
    return this.#account.signMessage({
      message: typeof message === 'string' ? message : { raw: utils.hexlify(message) as Hex },
    });
  }

  /** The name that ethers 5 gives it. */
  async _signTypedData(
    domain: TypedDataDomain,
    types: Record<string, TypedDataField[]>,
    value: Record<string, unknown>,
  ): Promise<string> {
    const { _TypedDataEncoder: encoder } = utils;
    const resolved = await encoder.resolveNames(domain, types, value, (name) => this.resolveName(name));
    return this.#account.signTypedData(encoder.getPayload(resolved.domain, types, resolved.value));
  }

  async signTransaction(request: utils.Deferrable<providers.TransactionRequest>): Promise<string> {
    const { from, ...fields } = await utils.resolveProperties(request);
    if (from !== undefined && utils.getAddress(from) !== this.address)
      throw new TypeError(`from is ${from}, and the wallet is ${this.address}`);
    const unsigned = utils.serializeTransaction(fields as UnsignedTransaction) as TransactionSerialized;
    return this.#account.signTransaction(parseTransaction(unsigned) as never);
  }
}
