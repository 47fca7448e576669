/** Finds the dealing that an interrupted command has started. */
import { encodeGroupParameters } from '@latchkey/threshold';
import type { DealingView } from '../dealing/view.ts';
import { CommandError } from './errors.ts';
import { type Kind, type Proposal, type Seen, setupOf } from './plan.ts';

type Wanted = { kind: Kind; nodes: Seen[]; from: Seen[]; threshold: number | undefined; published: string };

const hasFailed = ({ dealing }: DealingView): boolean => dealing?.round === 'done' && !dealing.result;

/**
 * Returns the unfinished dealing of the nodes, undefined when there is none to continue. Throws a CommandError when it is not
 * the wanted one.
 */
export function findUnfinished(wanted: Wanted): Proposal | undefined {
  const all = [...wanted.nodes, ...wanted.from];
  const failed = new Set(
    all.filter(({ view }) => hasFailed(view)).map(({ view }) => view.dealing?.session ?? null),
  );
  const open = all.filter(({ view }) => view.dealing?.session && !failed.has(view.dealing.session));
  const [first] = open;
  if (!first) return undefined;
  const proposal = proposalOf(first.view);
  const stranger = open.find(({ view }) => view.dealing?.session !== first.view.dealing?.session);
  const isWanted = isDealing(wanted, first.view, proposal);
  if (stranger || !isWanted) {
    const { client } = stranger ?? first;
    throw new CommandError(
      `${client.url} has another unfinished dealing: repeat the command that started it, or add --replace to give it up`,
    );
  }
  return proposal;
}

function isDealing(
  { kind, nodes, threshold, published }: Wanted,
  view: DealingView,
  { setup: hex, participants }: Proposal,
): boolean {
  const setup = setupOf(hex);
  const receivers = participants.filter(({ receiver }) => receiver !== null).map(({ identity }) => identity);
  const identities = nodes.map((node) => node.view.public_key);
  const previous = setup.previous ? encodeGroupParameters(setup.previous) : '';
  return (
    setup.kind === kind &&
    (threshold === undefined || setup.threshold === threshold) &&
    `${receivers.sort()}` === `${identities.sort()}` &&
    (previous === published || view.dealing?.result?.parameters === published)
  );
}

/** Returns whether a node's dealing must be replaced although it has not ended: it has failed on another node. */
export function hasFailedElsewhere({ view }: Seen, all: Seen[]): boolean {
  const session = view.dealing?.session;
  return all.some((other) => other.view.dealing?.session === session && hasFailed(other.view));
}

function proposalOf({ dealing }: DealingView): Proposal {
  if (!dealing?.setup) throw new CommandError('a node has no proposal');
  return { nonce: dealing.nonce, setup: dealing.setup, participants: dealing.participants };
}
