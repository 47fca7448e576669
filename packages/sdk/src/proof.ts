/** Wallet proofs for the relayer: signed envelopes of typed data. */
import { buildTypedData, type PrimaryType } from '@latchkey/protocol';
import type { Hex } from 'viem';
import { signTypedData } from 'viem/actions';
import type { BareClient, Wallet } from './bare-client.ts';
import { loadContract, onChain } from './contract.ts';
import { createDeadline, type Deadline, unlessAborted } from './deadline.ts';
import type { Credential } from './http.ts';

/** How long one proof is reused: the relayer accepts it for 300 seconds; the difference allows for clock skew. */
const REUSED_MS = 240_000;

/** The wire form of a proof: an envelope that is valid for 300 seconds, and its signature. */
export async function prove(
  client: BareClient,
  wallet: Wallet,
  primaryType: PrimaryType,
  deadline: Deadline,
): Promise<{ typed_data: { [name: string]: unknown }; signature: Hex }> {
  const { chainId } = await loadContract(client, deadline);
  const typedData = buildTypedData({
    primaryType,
    address: wallet.account.address,
    chainId: BigInt(chainId),
    issuedAt: BigInt(Math.floor(Date.now() / 1_000)),
  });
  const signature = await onChain(
    () => signTypedData(wallet, { account: wallet.account, ...typedData } as never),
    deadline,
  );
  const { domain, message } = typedData;
  return {
    typed_data: {
      ...typedData,
      domain: { ...domain, chainId: String(domain.chainId) },
      message: { ...message, issuedAt: String(message.issuedAt) },
    },
    signature,
  };
}

/**
 * Returns the credential for the account's credit: the key, or a proof of the wallet, which is asked to sign at most
 * once in 240 seconds.
 */
export async function readCredential(client: BareClient, deadline: Deadline): Promise<Credential> {
  if (client.mode === 'api') return { key: client.internals.apiKey() };
  const { internals } = client;
  let auth = internals.walletAuth;
  if (!auth || auth.endsAtMs <= Date.now()) {
    // Not limited by the deadline of one call: other calls wait for the same signature.
    const asked = prove(client, internals.wallet, 'BillingAuth', createDeadline({}, REUSED_MS));
    const proof = asked.then((signed) => btoa(JSON.stringify(signed)));
    const fresh = { endsAtMs: Date.now() + REUSED_MS, header: () => proof };
    proof.catch(() => {
      if (internals.walletAuth === fresh) delete internals.walletAuth;
    });
    internals.walletAuth = auth = fresh;
  }
  return { walletAuth: await unlessAborted(auth.header(), deadline) };
}
