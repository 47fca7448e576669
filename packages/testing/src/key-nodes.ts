/** Three key nodes in this process, any two of which give a key. They permit everything without asking the contract. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type EvaluationPurpose,
  GROUP_CONFIGURATION,
  type KeyPurpose,
  type KeyStatement,
  keyRequest,
  partialSealerFor,
} from '@latchkey/key-protocol';
import { accountConfigAbi } from '@latchkey/protocol';
import {
  type KeyRequest as Evaluation,
  encodeGroupParameters,
  encodeInput,
  evaluate,
  evaluateUnproven,
} from '@latchkey/threshold';
import { range, split } from '@latchkey/threshold/testing';
import type { Address } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { type Chain, DEPLOYER_KEY } from './chain.ts';

export const { parameters: group, shares } = split(5n, 2, range(3));
export const groupParameters = encodeGroupParameters(group);
/** Settings of a runner that asks the nodes. */
export const runnerSettings = {
  KEY_GROUP: [group.groupPublicKey, 'ab'.repeat(32), `02${'cd'.repeat(32)}`].join(','),
  RUNNER_IDENTITY: '01'.repeat(32),
};

/**
 * Starts the nodes, and publishes their group in the contract. `relayer` and `runner` are settings of these services. A node in `frozen` (0
 * to 2) takes requests and answers none.
 */
export async function startKeyNodes({ client }: Chain, contract: Address) {
  const hash = await client.writeContract({
    address: contract,
    abi: accountConfigAbi,
    functionName: 'setNodeConfiguration',
    args: [GROUP_CONFIGURATION, groupParameters],
    account: privateKeyToAccount(DEPLOYER_KEY),
    chain: null,
  } as never);
  await client.waitForTransactionReceipt({ hash });
  const paths = new Map<string, bigint>();
  const frozen = new Set<number>();
  const servers = await Promise.all(
    shares.map((share, index) => serve(share, paths, () => frozen.has(index))),
  );
  const urls = servers.map((server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  return {
    frozen,
    relayer: { KEY_NODES: urls.join(','), RELAYER_IDENTITY: '02'.repeat(32) },
    runner: runnerSettings,
    [Symbol.dispose]() {
      for (const server of servers) {
        server.closeAllConnections();
        server.close();
      }
    },
  };
}

async function serve(
  share: (typeof shares)[number],
  paths: Map<string, bigint>,
  isFrozen: () => boolean,
): Promise<Server> {
  const release = async (request: IncomingMessage): Promise<object> => {
    const { statement } = keyRequest.parse(JSON.parse(Buffer.concat(await request.toArray()).toString()));
    return { ...(await answerOf(share, statement, paths)), epoch: 1 };
  };
  const server = createServer((request, response) => {
    if (isFrozen()) return;
    const reply = request.method === 'GET' ? Promise.resolve({ status: 'ok' }) : release(request);
    reply.then(
      (body) => response.end(JSON.stringify(body)),
      () => response.destroy(),
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

/** Resolves to the answers of every node to a statement. */
export const answersTo = (statement: KeyStatement, paths: Map<string, bigint>) =>
  Promise.all(shares.map((share) => answerOf(share, statement, paths)));

/** @param paths - Paths of wallets by address, as the contract has them. */
async function answerOf(
  share: (typeof shares)[number],
  { id, purpose, withProof, recipient }: KeyStatement,
  paths: Map<string, bigint>,
) {
  const { identifier } = share;
  const evaluation = evaluationOf(purpose, paths);
  const partial = (withProof ? evaluate : evaluateUnproven)(group, share, encodeInput(evaluation));
  const sealed = await (await partialSealerFor(recipient))(partial, id, identifier);
  const path = evaluation.kind === 'wallet' ? `0x${evaluation.path.toString(16)}` : null;
  return { identifier, partial: sealed, path };
}

function evaluationOf(purpose: KeyPurpose, paths: Map<string, bigint>): Evaluation {
  const asked = purpose as EvaluationPurpose;
  switch (asked.kind) {
    case 'wallet':
      return { kind: 'wallet', path: paths.get(asked.wallet) ?? 0n };
    case 'mint-wallet':
      return { kind: 'wallet', path: BigInt(asked.path) };
    case 'mint-usage-key':
      return { kind: 'usage-key', path: BigInt(asked.path) };
    case 'wallet-address':
      paths.set(`0x${asked.address}`, BigInt(asked.path));
      return { ...asked, path: BigInt(asked.path) };
    case 'action':
      return { kind: 'action', cid: asked.cid };
    case 'action-public-key':
      return asked;
  }
}
