/**
 * Relays the messages of a dealing between its nodes, round by round. All messages of a round are delivered before the first
 * node closes it, so that an interruption leaves no node without them.
 */
import { type DealingMessage, isDealingMessage, type Participant } from '@latchkey/key-protocol';
import { describeFault, type Fault, rounds } from '@latchkey/threshold';
import type { DealingView } from '../dealing/view.ts';
import { CommandError, UnreachableError } from './errors.ts';
import type { NodeClient } from './node-client.ts';
import { type Proposal, type Seen, setupOf } from './plan.ts';

type View = NonNullable<DealingView['dealing']>;
type Member = {
  client: NodeClient;
  participant: Participant;
  view: View;
  /** The dealer no longer answers, and the new group does not need it. */
  isLost: boolean;
};

export type Outcome = { parameters: string; transcriptHash: string };
type Print = (line: string) => void;

/** Resolves to the group that all its nodes have confirmed. Rejects with a CommandError that names the nodes otherwise. */
export async function driveDealing(proposal: Proposal, nodes: Seen[], print: Print): Promise<Outcome> {
  const { session } = setupOf(proposal.setup);
  const members = await propose(proposal, nodes, print);
  const reported = new Set<string>();
  for (let open = openRound(members); open !== 'done'; open = openRound(members)) {
    const behind = members.filter(({ view, isLost }) => !isLost && view.round === open);
    if (behind.length === members.filter(({ isLost }) => !isLost).length)
      await exchange(members, session, open, print);
    await each(behind, { do: 'close', session, round: open }, print);
    print(`round ${rounds.indexOf(open) + 1} of ${rounds.length} closed: ${open}`);
    reportFaults(members, reported, print);
  }
  return outcomeOf(members);
}

async function propose(proposal: Proposal, nodes: Seen[], print: Print): Promise<Member[]> {
  const { session } = setupOf(proposal.setup);
  await showQuotes(proposal, nodes, print);
  const members: Member[] = [];
  for (const participant of proposal.participants) {
    const node = nodes.find(({ view }) => view.public_key === participant.identity);
    if (!node) {
      if (participant.receiver === null) continue;
      throw new CommandError(
        `the unfinished dealing needs the node with the key ${participant.identity}: start it, or add --replace`,
      );
    }
    const { client } = node;
    const isKnown = node.view.dealing?.session === session;
    const { dealing } = await client.command(isKnown ? { do: 'show' } : { do: 'propose', ...proposal });
    if (dealing?.session !== session) throw new CommandError(`${client.url} has not joined the dealing`);
    members.push({ client, participant, view: dealing, isLost: false });
  }
  print(`${members.length} nodes take part in the dealing ${session.slice(0, 8)}`);
  return members;
}

/** Shows each node that has not accepted the proposal the quotes of the others. */
async function showQuotes({ setup, participants }: Proposal, nodes: Seen[], print: Print): Promise<void> {
  const { session } = setupOf(setup);
  const asking = nodes.filter(({ view }) => view.dealing?.session !== session);
  const receivers = participants.filter(({ receiver }) => receiver !== null);
  if (asking.length === 0) return;
  for (const { identity } of receivers) {
    const evidence = await nodes.find(({ view }) => view.public_key === identity)?.client.evidence(session);
    if (!evidence) continue;
    for (const { client, view } of asking)
      if (view.public_key !== identity) await client.command({ do: 'attest', session, identity, evidence });
    print(`showed the quote of ${identity.slice(0, 8)} to the other nodes`);
  }
}

type OpenRound = (typeof rounds)[number];

/** Returns the earliest open round. */
function openRound(members: Member[]): OpenRound | 'done' {
  const open = members.flatMap(({ view, isLost }) =>
    isLost || view.round === null || view.round === 'done' ? [] : [rounds.indexOf(view.round)],
  );
  return open.length === 0 ? 'done' : (rounds[Math.min(...open)] ?? 'done');
}

async function exchange(members: Member[], session: string, round: OpenRound, print: Print): Promise<void> {
  const messages = members.flatMap((member) => messagesOf(member, session, print));
  const answering = members.filter(({ isLost }) => !isLost);
  for (const member of answering) {
    const { receiver, identity } = member.participant;
    const deliveries = messages.filter(
      (message) => message.from !== identity && (message.receiver === 0 || message.receiver === receiver),
    );
    await ask(member, { do: 'deliver', session, round, messages: deliveries }, print);
    for (const { from, reason } of member.view.refused)
      print(`${member.client.url} refuses a message of ${nameOf(members, from)}: ${reason}`);
  }
  const absent = answering.flatMap(({ view }) => (view.round === round ? view.missing : []));
  if (absent.length === 0) return;
  const isDealt = round !== 'complaints' && round !== 'confirmation';
  const names = [...new Set(absent)].map((identifier) => {
    const found = members.find(
      ({ participant }) => participant[isDealt ? 'dealer' : 'receiver'] === identifier,
    );
    return found?.client.url ?? `node ${identifier}`;
  });
  print(`no ${round} message of ${names.join(', ')}`);
  if (round === 'subshares' || round === 'confirmation')
    throw new CommandError(
      `the dealing cannot go on without ${names.join(', ')}: repeat the command to continue, or repeat it without them and with --replace`,
    );
}

/** Returns the messages of a member that it has signed. */
function messagesOf({ client, participant, view, isLost }: Member, session: string, print: Print) {
  if (isLost) return [];
  return view.messages.filter((message: DealingMessage) => {
    const isOwn = message.from === participant.identity && isDealingMessage(session, message);
    if (!isOwn) print(`${client.url} returns a message that it has not signed`);
    return isOwn;
  });
}

type Action = Parameters<NodeClient['command']>[0];

async function each(members: Member[], action: Action, print: Print): Promise<void> {
  for (const member of members) if (!member.isLost) await ask(member, action, print);
}

/** Goes on without a dealer that does not answer, unless it is a node of the new group. */
async function ask(member: Member, action: Action, print: Print): Promise<void> {
  try {
    const { dealing } = await member.client.command(action);
    if (!dealing)
      throw new CommandError(
        `${member.client.url} has given up the dealing: repeat the command with --replace`,
      );
    member.view = dealing;
  } catch (error) {
    if (!(error instanceof UnreachableError)) throw error;
    if (member.participant.receiver !== null)
      throw new CommandError(
        `${error.message}: start it and repeat the command, which continues. If it is lost, reshare without it and with --replace`,
      );
    member.isLost = true;
    print(`${error.message}: going on without it`);
  }
}

function reportFaults(members: Member[], reported: Set<string>, print: Print): void {
  for (const { view, client } of members) {
    const named: [Fault, string][] = [
      ...view.faults.map((fault): [Fault, string] => [fault, '']),
      ...view.observations.map((fault): [Fault, string] => [fault, ` (seen by ${client.url})`]),
    ];
    for (const [fault, by] of named) {
      const line = `FAULT of ${placeOf(members, fault)}: ${describeFault(fault)}${by}`;
      if (!reported.has(line)) print(line);
      reported.add(line);
    }
  }
}

function placeOf(members: Member[], { role, identifier }: Fault): string {
  const found = members.find(
    ({ participant }) => participant[role === 'receiver' ? 'receiver' : 'dealer'] === identifier,
  );
  return found?.client.url ?? 'a node that does not answer';
}

const nameOf = (members: Member[], identity: string): string =>
  members.find(({ participant }) => participant.identity === identity)?.client.url ?? identity;

function outcomeOf(members: Member[]): Outcome {
  const receivers = members.filter(({ participant }) => participant.receiver !== null);
  const [first] = receivers;
  const unconfirmed = receivers.filter(({ view }) => !view.result);
  if (!first?.view.result || unconfirmed.length > 0) {
    const urls = unconfirmed.map(({ client }) => client.url).join(', ');
    throw new CommandError(
      `the dealing has failed at ${urls}, see the faults above; the previous shares stay in use. Repeat the command without the faulty nodes`,
    );
  }
  const { parameters, transcript_hash: transcriptHash } = first.view.result;
  const other = receivers.find(
    ({ view }) => view.result?.parameters !== parameters || view.result.transcript_hash !== transcriptHash,
  );
  if (other)
    throw new CommandError(
      `${first.client.url} and ${other.client.url} have different results: do not publish them`,
    );
  return { parameters, transcriptHash };
}
