import { type LatchkeyAccount, toLatchkeyAccount, type WalletParameters } from '@latchkey/viem';
import {
  AbstractSigner,
  type Authorization,
  type AuthorizationRequest,
  copyRequest,
  getAddress,
  getNumber,
  hexlify,
  type Provider,
  resolveAddress,
  Signature,
  Transaction,
  type TransactionLike,
  type TransactionRequest,
  type TypedDataDomain,
  TypedDataEncoder,
  type TypedDataField,
} from 'ethers';
import { type Hex, parseTransaction, type TransactionSerialized } from 'viem';

export { useWalletCid, WalletRequestError } from '@latchkey/viem';
export type { WalletParameters };

/** A wallet as a signer of ethers 6. Its functions reject with a `WalletRequestError` when the action does not sign. */
export class LatchkeySigner extends AbstractSigner {
  readonly address: string;
  readonly #parameters: WalletParameters;
  readonly #account: LatchkeyAccount;

  constructor(parameters: WalletParameters, provider: Provider | null = null) {
    super(provider);
    this.#parameters = parameters;
    this.#account = toLatchkeyAccount(parameters);
    this.address = this.#account.address;
  }

  async getAddress(): Promise<string> {
    return this.address;
  }

  connect(provider: Provider | null): LatchkeySigner {
    return new LatchkeySigner(this.#parameters, provider);
  }

  async signMessage(message: string | Uint8Array): Promise<string> {
    return this.#account.signMessage({
      message: typeof message === 'string' ? message : { raw: hexlify(message) as Hex },
    });
  }

  async signTypedData(
    domain: TypedDataDomain,
    types: Record<string, TypedDataField[]>,
    value: Record<string, unknown>,
  ): Promise<string> {
    const resolved = await TypedDataEncoder.resolveNames(domain, types, value, (name) => this.#resolve(name));
    return this.#account.signTypedData(TypedDataEncoder.getPayload(resolved.domain, types, resolved.value));
  }

  async #resolve(name: string): Promise<string> {
    const address = await this.provider?.resolveName(name);
    if (!address) throw new Error(`the name ${name} has no address`);
    return address;
  }

  async signTransaction(request: TransactionRequest): Promise<string> {
    const { to, from, ...fields } = copyRequest(request);
    if (from && getAddress(await resolveAddress(from, this.provider)) !== this.address)
      throw new TypeError(`from is ${from}, and the wallet is ${this.address}`);
    const resolved = to ? await resolveAddress(to, this.provider) : null;
    const transaction = Transaction.from({ ...fields, to: resolved } as TransactionLike<string>);
    transaction.signature = Signature.from(await this.#sign(transaction));
    return transaction.serialized;
  }

  /** The account signs by the fields where it can. viem has no numbers above 2^53. */
  async #sign(transaction: Transaction): Promise<string> {
    if (transaction.chainId > BigInt(Number.MAX_SAFE_INTEGER))
      return this.#account.sign({ hash: transaction.unsignedHash as Hex });
    const unsigned = parseTransaction(transaction.unsignedSerialized as TransactionSerialized);
    const signed = await this.#account.signTransaction(unsigned as never);
    return (Transaction.from(signed).signature as Signature).serialized;
  }

  override async authorize(request: AuthorizationRequest): Promise<Authorization> {
    const { address, nonce, chainId } = await this.populateAuthorization(request);
    const contract = (await resolveAddress(address, this.provider)) as Hex;
    const chain = BigInt(chainId ?? 0);
    const signed = await this.#account.signAuthorization({
      address: contract,
      // A number of viem above 2^53 is a bigint at run time.
      chainId: (chain > BigInt(Number.MAX_SAFE_INTEGER) ? chain : Number(chain)) as number,
      nonce: getNumber(nonce ?? 0),
    });
    const { r, s, yParity } = signed;
    return {
      address: getAddress(contract),
      nonce: BigInt(nonce ?? 0),
      chainId: chain,
      signature: Signature.from({ r, s, yParity: yParity as 0 | 1 }),
    };
  }
}
