import { describe, expect, test } from 'vitest';
import { decodeApprovedNodes, encodeApprovedNodes } from './approved-nodes.ts';
import {
  encryptionKeyOf,
  isDealingMessage,
  openSubshare,
  sealSubshare,
  signDealingMessage,
} from './dealing-message.ts';
import { createIdentity } from './identity.ts';
import { MAX_COMMAND_LIFETIME_MS, signCommand, signedCommand, verifyCommand } from './operator-command.ts';
import { isInvitation, sessionOf, signInvitation } from './participant.ts';

const NOW = 1_800_000_000_000;
const operator = createIdentity('01'.repeat(32));
const node = createIdentity('02'.repeat(32));
const other = createIdentity('03'.repeat(32));
const nonce = 'ab'.repeat(32);
const session = 'cd'.repeat(32);
const seed = '0d'.repeat(32);

describe('command of the operator', () => {
  const to = { node: node.publicKey, boot: '0e'.repeat(16) };
  const action = { do: 'close', session, round: 'commitments' } as const;
  const known = { operator: operator.publicKey, node: node.publicKey, nowMs: NOW };
  const signed = () =>
    signedCommand.parse(JSON.parse(JSON.stringify(signCommand(to, action, operator, NOW))));

  test('is accepted at its node, during its time', () => {
    const { expiresAt } = signed().command;
    expect(() => verifyCommand(signed(), known)).not.toThrow();
    expect(() => verifyCommand(signed(), { ...known, nowMs: expiresAt - 1 })).not.toThrow();
    expect(() => verifyCommand(signed(), { ...known, nowMs: expiresAt })).toThrow('the command has expired');
    const early = expiresAt - MAX_COMMAND_LIFETIME_MS - 1;
    expect(() => verifyCommand(signed(), { ...known, nowMs: early })).toThrow('compare the clocks');
  });

  test('is refused when it is changed, of another signer, or for another node', () => {
    const { command, signature } = signed();
    const refused = 'the signature of the operator does not hold';
    for (const change of [
      { action: { ...action, round: 'subshares' as const } },
      { id: '00'.repeat(16) },
      { boot: '00'.repeat(16) },
      { expiresAt: command.expiresAt + 1 },
    ])
      expect(() => verifyCommand({ command: { ...command, ...change }, signature }, known)).toThrow(refused);
    expect(() => verifyCommand(signCommand(to, action, other, NOW), known)).toThrow(refused);
    expect(() => verifyCommand(signed(), { ...known, node: other.publicKey })).toThrow('for another node');
  });
});

describe('participant', () => {
  const invitation = signInvitation(nonce, 'ef'.repeat(32), node);

  test('signs its keys for one dealing', () => {
    expect(isInvitation(nonce, invitation)).toBe(true);
    expect(isInvitation('00'.repeat(32), invitation)).toBe(false);
    expect(isInvitation(nonce, { ...invitation, encryption: '00'.repeat(32) })).toBe(false);
    expect(isInvitation(nonce, { ...invitation, identity: other.publicKey })).toBe(false);
  });

  test('every key and identifier changes the session', () => {
    const participant = { dealer: 1, receiver: 1, ...invitation };
    const sessions = [
      [participant],
      [{ ...participant, dealer: null }],
      [{ ...participant, receiver: 2 }],
      [{ ...participant, identity: other.publicKey }],
      [{ ...participant, encryption: '00'.repeat(32) }],
      [participant, participant],
    ].map((participants) => sessionOf(nonce, participants));
    expect(new Set([...sessions, sessionOf('00'.repeat(32), [participant])]).size).toBe(7);
  });
});

describe('message of a dealing', () => {
  const route = { session, from: node.publicKey, receiver: 2 };

  test('is of its sender, session and receiver only', () => {
    const message = signDealingMessage(session, { receiver: 0, payload: 'AAEC' }, node);
    expect(isDealingMessage(session, message)).toBe(true);
    expect(isDealingMessage('00'.repeat(32), message)).toBe(false);
    for (const change of [{ receiver: 1 }, { payload: 'AAED' }, { from: other.publicKey }])
      expect(isDealingMessage(session, { ...message, ...change })).toBe(false);
  });

  test('a subshare opens with the seed of its receiver, on its route only', async () => {
    const subshare = new Uint8Array(72).fill(7);
    const sealed = await sealSubshare(subshare, await encryptionKeyOf(seed), route);
    expect(await openSubshare(sealed, seed, route)).toEqual(subshare);
    await expect(openSubshare(sealed, '00'.repeat(32), route)).rejects.toThrow();
    for (const change of [{ session: nonce }, { from: other.publicKey }, { receiver: 3 }])
      await expect(openSubshare(sealed, seed, { ...route, ...change })).rejects.toThrow();
  });
});

describe('approved nodes', () => {
  test('have one text, whatever their order', () => {
    const identities = [other.publicKey, node.publicKey];
    const text = encodeApprovedNodes({ threshold: 2, identities });
    expect(encodeApprovedNodes({ threshold: 2, identities: identities.toReversed() })).toBe(text);
    expect(decodeApprovedNodes(text)).toEqual({ threshold: 2, identities: identities.sort() });
  });

  test('16 nodes fit into a value of the node configuration', () => {
    const identities = Array.from({ length: 16 }, (_, i) => i.toString(16).padStart(2, '0').repeat(32));
    expect(encodeApprovedNodes({ threshold: 16, identities }).length).toBe(742);
  });

  test('refuses every other text', () => {
    const text = encodeApprovedNodes({ threshold: 2, identities: [node.publicKey] });
    for (const wrong of [
      '',
      `${text};`,
      text.replace('=2', '=02'),
      `${text};${text.split(';')[2]}`,
      `${text}A`,
    ])
      expect(() => decodeApprovedNodes(wrong)).toThrow('malformed list of approved nodes');
  });
});
