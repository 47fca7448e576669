/** Decides about requests for keys, by the contract alone, and answers with the node's part of a key. */
import { clientNetwork, forbidden, HttpError, serviceUnavailable } from '@latchkey/http';
import {
  isOfRelayer,
  type KeyRequest,
  KeyRequestError,
  KeyRequestUnavailableError,
  type PartialSealer,
  partialSealerFor,
  verifyRequest,
} from '@latchkey/key-protocol';
import { createSparseLog } from '@latchkey/service/sparse-log';
import { type KeyRequest as Evaluation, encodeInput, evaluate, evaluateUnproven } from '@latchkey/threshold';
import type { Logger } from 'pino';
import type { ReleaseCounter } from './metrics.ts';
import type { Permissions } from './permissions.ts';
import type { ReleaseLimits } from './release-limits.ts';
import type { ReleaseLog } from './release-log.ts';
import type { SeenRequests } from './seen-requests.ts';
import type { LoadedShare, Shares } from './shares.ts';
import { audited, type Signing } from './signing.ts';

export type Release = {
  /** Identifier of this node in its group. */
  identifier: number;
  epoch: number;
  /** The partial evaluation, the signature share or the commitments, encrypted to the recipient of the statement. Base64. */
  partial: string;
  /** Derivation path of the wallet that the key is for, null for another key. */
  path: bigint | null;
};

export type ReleasesOptions = {
  permissions: Permissions;
  shares: Shares;
  seen: SeenRequests;
  limits: ReleaseLimits;
  /** Log of releases for the owners of wallets. It never has key material. */
  releaseLog: Pick<ReleaseLog, 'append'>;
  signing: Signing;
  /** Public keys of the parties that may ask. */
  runners: readonly string[];
  relayers: readonly string[];
  /** The audit log. It never has key material. */
  log: Logger;
  /** Called for a request from this address that no known relayer has signed. */
  countUnknown: (ip: string) => void;
  count: ReleaseCounter;
};

/** @param ip Client address. */
export type Releases = (request: KeyRequest, ip: string) => Promise<Release>;

export function createReleases(options: ReleasesOptions): Releases {
  const { log, count } = options;
  const sparse = createSparseLog();
  return async (request, ip) => {
    const { statement, runner, relayer, block } = request;
    const { id, purpose } = statement;
    const audit = { request: id, purpose: audited(purpose), run: statement.run, runner, relayer, block };
    try {
      const release = await decide(options, request, ip);
      count(purpose.kind, 'released');
      log.info({ ...audit, epoch: release.epoch }, 'released a part of a key');
      return release;
    } catch (error) {
      const reason = error instanceof KeyRequestError ? refusalOf(error) : error;
      const isRefused = reason instanceof HttpError && reason.code === 'forbidden';
      count(purpose.kind, isRefused ? 'refused' : 'unavailable');
      const { message } = reason as Error;
      const refused = { ...audit, client_address: ip, reason: message };
      const text = isRefused ? 'refused a key request' : 'failed to judge a key request';
      sparse(clientNetwork(ip), (times) =>
        log.warn({ ...refused, ...(times > 1 && { count: times }) }, text),
      );
      throw reason;
    }
  };
}

const refusalOf = (error: KeyRequestError): Error =>
  error instanceof KeyRequestUnavailableError ? unavailable(error.message) : forbidden(error.message);

/** The message is public: relayers log it. */
const unavailable = (message: string) => serviceUnavailable(message, { isPublic: true });

async function decide(options: ReleasesOptions, request: KeyRequest, ip: string): Promise<Release> {
  const { permissions, shares, seen, limits, releaseLog, runners, relayers, countUnknown } = options;
  const { statement, block } = request;
  const nowMs = Date.now();
  try {
    verifyRequest(request, { runners, relayers, group: statement.group, nowMs });
  } catch (error) {
    // A relayer is not counted for a runner without a quote or with a wrong clock: the limit would hit its other runners too.
    if (!isOfRelayer(request, { relayers, nowMs })) countUnknown(ip);
    throw error;
  }
  // Before any await, so that one of two equal concurrent requests is refused.
  const accepted = seen.accept(statement, nowMs);
  if (accepted === 'used') throw new KeyRequestError('the request was used before');
  if (accepted === 'unknown') throw unavailable('this node has just been started');

  await limits.takeRunner(request.runner);
  // Runs while the chain is asked. A malformed recipient key is the fault of the runner that signed it.
  const sealer = partialSealerFor(statement.recipient);
  sealer.catch(() => {});
  const { block: latest, published, evaluation } = await permissions(statement.purpose, BigInt(block));
  const loaded = await shares.ofPublished(published);
  if (!loaded) throw unavailable('this node has no share of the published group');
  if (loaded.parameters.groupPublicKey !== statement.group)
    throw new KeyRequestUnavailableError('the request is for another group of key nodes');
  if (latest < block) throw unavailable(`this node has block ${latest}, the request needs ${block}`);
  // A node that is behind does not know yet what is permitted.
  if (evaluation instanceof KeyRequestError) throw evaluation;
  if (evaluation) await limits.takePermitted(statement.purpose, evaluation);
  const seal = await sealer;
  const released = await answer(loaded, statement.id, partFor(options, loaded, request, evaluation), seal);
  if (evaluation) releaseLog.append(request, { evaluation, block: latest });
  return released;
}

/** SECRET. The answer of the node before its encryption, and the path of the wallet that it is for. */
type Part = { bytes: Uint8Array; path: bigint | null };

function partFor(
  { signing }: ReleasesOptions,
  loaded: LoadedShare,
  { statement, runner }: KeyRequest,
  evaluation: Evaluation | null,
): Part {
  const { purpose, withProof } = statement;
  if (purpose.kind === 'nonces')
    return { bytes: signing.issue(loaded, runner, purpose, Date.now()), path: null };
  if (!evaluation) throw new Error(`no evaluation for ${purpose.kind}`);
  const path = evaluation.kind === 'wallet' ? evaluation.path : null;
  if (purpose.kind === 'sign')
    return { bytes: signing.sign(loaded, runner, purpose, path ?? 0n, Date.now()), path };
  const { parameters, share } = loaded;
  const input = encodeInput(evaluation);
  const evaluateShare = withProof ? evaluate : evaluateUnproven;
  return { bytes: evaluateShare(parameters, share, input), path };
}

async function answer(
  { share: { epoch, identifier } }: LoadedShare,
  id: string,
  { bytes, path }: Part,
  seal: PartialSealer,
): Promise<Release> {
  try {
    return { identifier, epoch, partial: await seal(bytes, id, identifier), path };
  } finally {
    bytes.fill(0);
  }
}
