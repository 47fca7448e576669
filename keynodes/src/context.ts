import { randomBytes } from 'node:crypto';
import { followHeads } from '@latchkey/chain/heads';
import {
  type BadRequestLimit,
  createAddressLimit,
  createBadRequestLimit,
  type Opened,
  type RateLimit,
} from '@latchkey/http';
import {
  APPROVED_NODES_CONFIGURATION,
  createIdentity,
  type Evidence,
  GROUP_CONFIGURATION,
  type Identity,
} from '@latchkey/key-protocol';
import { LOCAL_CHAIN_ID } from '@latchkey/protocol';
import { readDeployment } from '@latchkey/service/deployment';
import type { HealthCheck } from '@latchkey/service/health';
import { createLogger } from '@latchkey/service/logger';
import { passphraseKey } from '@latchkey/service/passphrase-key';
import { openPrivateDirectory } from '@latchkey/service/private-directory';
import { sharedFor } from '@latchkey/service/shared-for';
import type { Logger } from 'pino';
import { Registry } from 'prom-client';
import { type AttestedRunners, createAttestedRunners } from './attested-runners.ts';
import type { Config } from './config.ts';
import { askChain, openEndpoint } from './contract.ts';
import type { ApprovalReader } from './dealing/approvals.ts';
import { auditPromotions } from './dealing/audit-promotions.ts';
import { createAcceptedCommands } from './dealing/commands.ts';
import { type ConsentView, createConsent } from './dealing/consent.ts';
import { createDealings, type Dealings, type DealingsOptions } from './dealing/dealings.ts';
import { agree, createDecisions } from './decisions.ts';
import { requireGroupSize } from './group-size.ts';
import { createNodeHealth, type NodePart } from './health.ts';
import { lockDirectory } from './lock.ts';
import {
  createReleaseCounter,
  registerApprovalMetrics,
  registerBlockMetrics,
  registerPinMetrics,
  registerStoreMetrics,
} from './metrics.ts';
import { type NodeStore, openNodeStore } from './node-store.ts';
import { createPeers } from './peers.ts';
import { createPermissions } from './permissions.ts';
import { decideByPinned, readAgreed } from './pins/pinned-decisions.ts';
import { watchPins } from './pins/watch-pins.ts';
import { createQuoteVerifier } from './quotes.ts';
import { createReleaseLimits } from './release-limits.ts';
import { openReleaseLog, type ReleaseLog } from './release-log.ts';
import { createReleases, type Releases } from './releases.ts';
import { createSeenRequests } from './seen-requests.ts';
import { createShares, type Shares } from './shares.ts';
import { createSigning } from './signing.ts';
import { connectTee, type Tee } from './tee.ts';

const ANSWER_LIFETIME_MS = 1_000;
const DAY_MS = 86_400_000;
const PRUNE_MS = 5_000;
/** Limit per address: a quote takes the processor milliseconds, and cannot be cached because the client chooses the nonce. */
const QUOTES_PER_MINUTE = 60;

/** Dependencies of the handlers. Each handler picks the ones that it uses. */
export type Context = {
  config: Config;
  log: Logger;
  metrics: Registry;
  identity: Identity;
  store: NodeStore;
  release: Releases;
  badPostLimit: BadRequestLimit;
  releaseLog: ReleaseLog;
  dealings: Dealings;
  /**
   * Returns the share of the group that the contract publishes, undefined when this node has none. Asks the chain once per
   * second at most.
   */
  publishedShare: () => ReturnType<Shares['ofPublished']>;
  /** Returns what the node does with the group that the contract approves. Asks the chain once per second at most. */
  approval: () => Promise<ConsentView>;
  /** Returns a quote of the enclave for a nonce, absent outside of one. */
  attest: ((nonce: string) => Promise<Evidence>) | undefined;
  quoteLimit: RateLimit;
  /** Present when runners need quotes. */
  attestedRunners: AttestedRunners | undefined;
  /** Health of each part. Cached for one second. */
  checkHealth: HealthCheck<NodePart>;
};

/** Opens the resources of the node. Rejects when the store does not open or the contract is not deployed. */
export async function openContext(config: Config): Promise<Opened<Context>> {
  const log = createLogger({ name: 'keynode', level: config.logLevel });
  openPrivateDirectory(config.dataDir, (message, fields) => log.warn(fields, message));
  await using resources = new AsyncDisposableStack();
  resources.use(lockDirectory(config.dataDir));
  const tee = config.dstackSocket === undefined ? undefined : connectTee(config.dstackSocket);
  const metrics = new Registry();
  const store = await openStore(config, tee);
  registerStoreMetrics(metrics, store);
  const identity = createIdentity(store.read().identity);
  const shares = auditPromotions(createShares(store), store, log);
  const chain = openChain(config, metrics, log, resources);
  const { peers, attestedRunners } = openAttestation(config, log);
  const badPostLimit = openBadPostLimit(config);
  const seen = createSeenRequests(Date.now());
  const releaseLog = openLog(config, resources);
  const release = createReleases({
    shares,
    seen,
    releaseLog,
    log,
    permissions: chain.permissions,
    signing: createSigning(),
    limits: createReleaseLimits(config.releaseLimits),
    // Read per request: quotes expire.
    get runners() {
      return attestedRunners?.identities() ?? config.runnerKeys;
    },
    relayers: config.relayerKeys,
    countUnknown: badPostLimit.count,
    count: createReleaseCounter(metrics),
  });
  const publishedShare = async () => shares.ofPublished(await askChain(chain.publishedGroup()));
  const { approval, consent, published } = chain;
  registerApprovalMetrics(metrics, approval);
  const dealing = { config, store, identity, consent, published, peers, log, promote: publishedShare };
  const publishedGroup = sharedFor(ANSWER_LIFETIME_MS, chain.publishedGroup);
  // At the first start, this pins the code.
  const asked = chain.publishedGroup().catch((err: unknown) => log.error({ err }, 'failed to ask the chain'));
  resources.defer(async () => void (await asked));
  logIdentity(identity, tee, config.chainId, log);
  const context = {
    config,
    log,
    metrics,
    identity,
    store,
    release,
    releaseLog,
    badPostLimit,
    dealings: openDealings(dealing),
    checkHealth: createNodeHealth({ publishedGroup, shares, seen }),
    approval,
    publishedShare: sharedFor(ANSWER_LIFETIME_MS, publishedShare),
    attest: tee && ((nonce: string) => tee.quote(identity.publicKey, nonce)),
    quoteLimit: openQuoteLimit(),
    attestedRunners,
  };
  return { context, resources: resources.move() };
}

const openBadPostLimit = ({ badPostsPerMinute }: Config) =>
  createBadRequestLimit({
    name: 'bad-posts',
    points: badPostsPerMinute,
    message: 'Too many malformed requests, or requests that no known party has signed, from this address.',
  });

const openQuoteLimit = () =>
  createAddressLimit({
    name: 'quotes',
    points: QUOTES_PER_MINUTE,
    message: 'Too many requests for quotes from this address.',
  });

function logIdentity(
  { publicKey }: Pick<Identity, 'publicKey'>,
  tee: Tee | undefined,
  chainId: number,
  log: Logger,
): void {
  log.info({ public_key: publicKey }, 'opened the identity of this node');
  if (tee) log.info('this node runs in a TEE, which seals its share and attests it');
  else
    log[chainId === LOCAL_CHAIN_ID ? 'info' : 'warn'](
      'this node runs outside a TEE: a passphrase seals its share, and nothing attests its code',
    );
}

async function openStore(config: Config, tee: Tee | undefined): Promise<NodeStore> {
  const { passphrase, previousPassphrase } = config.secrets;
  const [first, ...others] = [
    ...(tee ? [tee.sealingKey] : []),
    ...[passphrase, previousPassphrase].flatMap((text) => (text ? [passphraseKey(text)] : [])),
  ];
  if (!first) throw new Error('no passphrase');
  const store = await openNodeStore(config.dataDir, [first, ...others], { isEnclave: tee !== undefined });
  requireGroupSize(store.read(), config.chainId);
  return store;
}

/** The parts that ask the chain. */
function openChain(config: Config, metrics: Registry, log: Logger, resources: AsyncDisposableStack) {
  const { chainId, maxBlockAgeSec: maxAgeSec, minTimelockDelaySec: minDelaySec, dataDir: directory } = config;
  const { rpcUrls, wsUrls } = config.secrets;
  const { address } = readDeployment(config.deploymentsDir, chainId);
  const endpoints = rpcUrls.map((url) => openEndpoint(url, { address, chainId }));
  const onLost = (err: unknown) =>
    log.warn({ err }, 'the chain announces no blocks: the node asks it for the latest block for every key');
  const heads = wsUrls.length === 0 ? undefined : resources.use(followHeads(wsUrls, { chainId, onLost }));
  const onBlock = registerBlockMetrics(metrics);
  const reader = readAgreed(endpoints.map((endpoint) => endpoint.pins));
  const pins = watchPins({ reader, directory, chainId, minDelaySec, log });
  registerPinMetrics(metrics, pins);
  const decide = decideByPinned(createDecisions({ endpoints, heads, maxAgeSec, onBlock }), pins);
  const configured = (...names: string[]) =>
    decide((views) => Promise.all(names.map((name) => views.nodeConfigurationValue([name]))));
  const approvals: ApprovalReader = {
    lastChangeSec: (...of) => agree(endpoints.map((endpoint) => endpoint.approvals.lastChangeSec(...of))),
  };
  const consent = createConsent({ directory, approvals, waitSec: config.approvalWaitSec });
  return {
    permissions: createPermissions({ decide, heads, maxAgeSec }),
    publishedGroup: async (): Promise<string> => (await configured(GROUP_CONFIGURATION)).value[0] ?? '',
    published: async () => {
      const { value } = await askChain(configured(GROUP_CONFIGURATION, APPROVED_NODES_CONFIGURATION));
      const [group = '', approved = ''] = value;
      return { group, approved };
    },
    approval: sharedFor(ANSWER_LIFETIME_MS, async () => {
      const { block, value } = await askChain(configured(APPROVED_NODES_CONFIGURATION));
      return consent.view(block, value[0] ?? '');
    }),
    consent: {
      ...consent,
      require: async (approved: string) => consent.require((await askChain(configured())).block, approved),
    },
  };
}

function openLog(config: Config, resources: AsyncDisposableStack): ReleaseLog {
  const releaseLog = openReleaseLog(config.dataDir);
  resources.defer(releaseLog.close);
  const prune = () => releaseLog.prune(Date.now() - config.releaseLogDays * DAY_MS);
  const pruning = setInterval(prune, PRUNE_MS);
  resources.defer(() => clearInterval(pruning));
  return releaseLog;
}

function openDealings({
  config: { chainId, operatorKey: operator },
  ...options
}: Omit<DealingsOptions, 'chainId' | 'boot' | 'commands'> & { config: Config }): Dealings {
  const boot = randomBytes(16).toString('hex');
  const commands = createAcceptedCommands({ operator, node: options.identity.publicKey, boot });
  return createDealings({ ...options, chainId, boot, commands });
}

function openAttestation({ attestation }: Config, log: Logger) {
  if (!attestation) return { peers: undefined, attestedRunners: undefined };
  const verifyQuote = createQuoteVerifier(attestation);
  const { peerComposeHashes, runnerComposeHashes: composeHashes } = attestation;
  return {
    peers: createPeers(verifyQuote, peerComposeHashes),
    attestedRunners: composeHashes && createAttestedRunners({ verifyQuote, composeHashes, log }),
  };
}
