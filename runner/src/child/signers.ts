/** A signer for ethers and an account for viem, which sign by key functions: the private key does not come into this process. */
import { ethers, type providers, type TypedDataDomain, type TypedDataField } from 'ethers';

type Sign = (args: unknown) => Promise<string>;
export type SigningFunctions = Record<'signMessage' | 'signTypedData' | 'signTransaction' | 'signHash', Sign>;
type Named = { pkpId: string };
type Bytes = ArrayLike<number>;

/** A message of viem. */
type Message = string | { raw: string | Bytes };
type Serializer = (transaction: object, signature?: object) => string | Promise<string>;

/** Fields of a transaction that the key function `signTransaction` takes. */
const FIELDS =
  'type chainId nonce to value data gas gasPrice maxFeePerGas maxPriorityFeePerGas accessList'.split(' ');

const signMessage = (
  functions: SigningFunctions,
  pkpId: string,
  message: Message | Bytes,
): Promise<string> => {
  const bytes = typeof message === 'object' && 'raw' in message ? message.raw : message;
  const isText = typeof message === 'string';
  return functions.signMessage({ pkpId, message: isText ? bytes : { raw: ethers.utils.hexlify(bytes) } });
};

const defineSigner = (functions: SigningFunctions) =>
  class ActionSigner extends ethers.Signer {
    readonly address: string;
    declare readonly provider?: providers.Provider;
    constructor(address: string, provider?: providers.Provider) {
      super();
      this.address = address;
      ethers.utils.defineReadOnly(this, 'provider', provider as providers.Provider);
    }
    getAddress() {
      return Promise.resolve(this.address);
    }
    connect(provider: providers.Provider): ethers.Signer {
      return new ActionSigner(this.address, provider);
    }
    signMessage(message: string | Bytes) {
      return signMessage(functions, this.address, message);
    }
    async signTransaction(transaction: providers.TransactionRequest) {
      const { keccak256, serializeTransaction, resolveProperties, getAddress } = ethers.utils;
      const { from, ...fields } = await resolveProperties(transaction);
      if (from && getAddress(from) !== this.address)
        throw new TypeError(`the transaction is from ${from}, not ${this.address}`);
      const unsigned = fields as ethers.UnsignedTransaction;
      const hash = keccak256(serializeTransaction(unsigned));
      return serializeTransaction(unsigned, await functions.signHash({ pkpId: this.address, hash }));
    }
    async _signTypedData(
      domain: TypedDataDomain,
      types: Record<string, TypedDataField[]>,
      value: Record<string, unknown>,
    ) {
      const payload = ethers.utils._TypedDataEncoder.getPayload(domain, types, value);
      return functions.signTypedData({ pkpId: this.address, ...payload });
    }
  };

export const createSigners = (functions: SigningFunctions) => {
  /** Defined at its first use: most actions load no part of ethers. */
  let Signer: ReturnType<typeof defineSigner> | undefined;
  return {
    /** Returns a `Signer` of ethers. */
    getSigner({ pkpId, provider }: Named & { provider?: providers.Provider }): ethers.Signer {
      Signer ??= defineSigner(functions);
      return new Signer(ethers.utils.getAddress(pkpId), provider);
    },
    /** Returns an account for `createWalletClient` of viem. */
    getAccount({ pkpId }: Named) {
      const address = ethers.utils.getAddress(pkpId);
      return {
        address,
        type: 'local',
        source: 'custom',
        sign: ({ hash }: { hash: string }) => functions.signHash({ pkpId, hash }),
        signMessage: ({ message }: { message: Message }) => signMessage(functions, pkpId, message),
        signTypedData: ({ domain = {}, types, primaryType, message }: Record<string, unknown>) =>
          functions.signTypedData({ pkpId, domain, types, primaryType, message }),
        async signTransaction(fields: Record<string, unknown>, options?: { serializer?: Serializer }) {
          const { serializer } = options ?? {};
          if (!serializer) {
            const named = FIELDS.map((name) => [name, fields[name]]);
            return functions.signTransaction({ pkpId, transaction: Object.fromEntries(named) });
          }
          const hash = ethers.utils.keccak256(await serializer(fields));
          const { r, s, recoveryParam } = ethers.utils.splitSignature(
            await functions.signHash({ pkpId, hash }),
          );
          return serializer(fields, { r, s, yParity: recoveryParam });
        },
      };
    },
  };
};
