import { setImmediate as turn } from 'node:timers/promises';
import { ActionError } from '@latchkey/runner-protocol';
import { describe, expect, test, vi } from 'vitest';
import { callChain, callKey } from '../testing.ts';
import { type ActionRequestsOptions, createActionRequests } from './action-requests.ts';
import { type CallMessage, type FetchMessage, type ImportMessage, ProtocolViolation } from './protocol.ts';

const none = new Uint8Array();
const call = (id: number): CallMessage => ({ type: 'call', id, operation: 'getActionPublicKey', args: {} });
const fetchMessage = (id: number): FetchMessage => ({
  type: 'fetch',
  id,
  url: 'http://host/',
  method: 'GET',
  headers: [],
  redirect: 'follow',
  body: 'none',
});

function requestsWith(options: Partial<ActionRequestsOptions> = {}) {
  const ended = new AbortController();
  const send = vi.fn(async () => {});
  const fail = vi.fn();
  const onHostError = vi.fn();
  const { take } = createActionRequests({
    callKey,
    callChain,
    limits: { maxKeyCalls: 3, maxKeyOperations: 2, maxTransactions: 1, maxFetches: 8, maxFetchBytes: 1_000 },
    load: () => Promise.reject(new ActionError('ImportError', 'no CDN')),
    fetch: () => Promise.reject(new ActionError('TypeError', 'no network')),
    send,
    fail,
    ended: ended.signal,
    onHostError,
    ...options,
  });
  return { take, send, fail, onHostError, ended };
}

describe('a key operation', () => {
  test('returns its result', async () => {
    const { take, send } = requestsWith({
      callKey: async (operation) => `${operation} 0x01`,
    });
    take({ ...call(1), operation: 'getActionPrivateKey' }, none);
    await turn();
    expect(send.mock.calls).toEqual([
      [{ type: 'reply', id: 1, ok: true, value: 'getActionPrivateKey 0x01' }, undefined],
    ]);
  });

  test('returns an ActionError with its name and message', async () => {
    const { take, send, onHostError } = requestsWith();
    take(call(1), none);
    await turn();
    expect(send.mock.calls).toEqual([
      [
        {
          type: 'reply',
          id: 1,
          ok: false,
          name: 'WalletNotPermittedError',
          message: expect.stringContaining('getActionPublicKey'),
        },
      ],
    ]);
    expect(onHostError).not.toHaveBeenCalled();
  });

  test('that fails on the host returns an InternalError without detail, and is reported', async () => {
    const failure = new Error('secret');
    const { take, send, onHostError } = requestsWith({
      callKey: () => Promise.reject(failure),
    });
    take({ ...call(1), operation: 'getActionPrivateKey' }, none);
    await turn();
    expect(send.mock.calls).toEqual([[expect.objectContaining({ ok: false, name: 'InternalError' })]]);
    expect(JSON.stringify(send.mock.calls)).not.toContain('secret');
    expect(onHostError.mock.calls).toEqual([[failure]]);
  });

  test('above the limit ends the run', () => {
    const { take, fail } = requestsWith();
    for (const id of [1, 2, 3]) take(call(id), none);
    expect(fail).not.toHaveBeenCalled();
    take(call(4), none);
    expect(fail.mock.calls).toEqual([[expect.objectContaining({ name: 'KeyLimitError' })]]);
  });

  test('a long field does not hide the others', () => {
    const { take, fail } = requestsWith();
    const pkpId = 'x'.repeat(1_000);
    for (const [i, ipfsId] of ['a', 'b', 'c'].entries())
      take({ ...call(i + 1), args: { pkpId, ipfsId } }, none);
    expect(fail.mock.calls).toEqual([[expect.objectContaining({ name: 'KeyLimitError' })]]);
  });

  test('on more wallets than the limit ends the run', () => {
    const { take, fail } = requestsWith();
    for (const [i, ipfsId] of ['a', 'b'].entries()) take({ ...call(i + 1), args: { ipfsId } }, none);
    expect(fail).not.toHaveBeenCalled();
    take({ ...call(3), args: { ipfsId: 'c' } }, none);
    expect(fail.mock.calls).toEqual([[expect.objectContaining({ name: 'KeyLimitError' })]]);
  });

  test('is not answered after the end of the run', async () => {
    const { take, send, ended } = requestsWith();
    take(call(1), none);
    ended.abort();
    await turn();
    expect(send).not.toHaveBeenCalled();
  });
});

describe('requireApproval', () => {
  const asked = {
    summary: 'Pay alice',
    hash: `0x${'12'.repeat(32)}`,
    approvers: ['0x00000000000000000000000000000000000000AA'],
    threshold: 1,
    expires: Math.floor(Date.now() / 1_000) + 60,
  };
  const approval = (id: number, args: unknown = asked): CallMessage => ({
    type: 'call',
    id,
    operation: 'requireApproval',
    args,
  });
  const many = { maxKeyCalls: 20, maxKeyOperations: 0 };
  const limits = { ...many, maxTransactions: 1, maxFetches: 8, maxFetchBytes: 1_000 };

  test('ends the run without a proof, with what the action asked for', async () => {
    for (const findApproval of [undefined, () => undefined]) {
      const { take, fail } = requestsWith({ findApproval, limits });
      take(approval(1), none);
      await turn();
      expect(fail.mock.calls).toEqual([
        [
          expect.objectContaining({
            name: 'ApprovalRequiredError',
            request: { ...asked, contractApprovers: [], passkeyApprovers: [] },
          }),
        ],
      ]);
    }
  });

  test('returns the proof, and does not count as a key operation', async () => {
    const proof = { id: 'an id', expires: asked.expires, signatures: [] };
    const { take, send, fail } = requestsWith({ findApproval: () => proof, limits });
    take(approval(1), none);
    await turn();
    expect(send.mock.calls).toEqual([
      [{ type: 'reply', id: 1, ok: true, value: JSON.stringify(proof) }, undefined],
    ]);
    expect(fail).not.toHaveBeenCalled();
  });

  test.each([
    ['is not an object', 5],
    ['summary is empty', { ...asked, summary: '' }],
    ['expires is not in Unix seconds', { ...asked, expires: 1e15 }],
    ['expires is in the past', { ...asked, expires: 1 }],
  ])('rejects with a TypeError: %s', async (_, args) => {
    const { take, send, fail } = requestsWith({ limits });
    take(approval(1, args), none);
    await turn();
    expect(send.mock.calls).toEqual([[expect.objectContaining({ ok: false, name: 'TypeError' })]]);
    expect(fail).not.toHaveBeenCalled();
  });

  test('ends the run when it is called more than ten times', () => {
    const proof = { id: 'an id', expires: asked.expires, signatures: [] };
    const { take, fail } = requestsWith({ findApproval: () => proof, limits });
    for (let id = 1; id <= 10; id++) take(approval(id), none);
    expect(fail).not.toHaveBeenCalled();
    take(approval(11), none);
    expect(fail.mock.calls).toEqual([[expect.objectContaining({ name: 'ApprovalLimitError' })]]);
  });
});

describe('a protocol violation', () => {
  test('is an id that is not larger than earlier ids', () => {
    const { take } = requestsWith();
    take(call(5), none);
    for (const id of [5, 4]) expect(() => take(fetchMessage(id), none)).toThrow(ProtocolViolation);
  });
});

describe('an import', () => {
  const imported = (id: number, specifier = 'one@1.0.0'): ImportMessage => ({
    type: 'import',
    id,
    specifier,
    referrer: null,
  });
  const moduleOf = async (url: string) => ({ url, hash: 'sha384-', source: Buffer.from(`// ${url}`) });

  test('returns the text of a module once', async () => {
    const { take, send } = requestsWith({ load: moduleOf });
    take(imported(1), none);
    await turn();
    take(imported(2), none);
    await turn();
    const reply = { type: 'reply', ok: true, value: { url: 'one@1.0.0', hash: 'sha384-' } };
    expect(send.mock.calls).toEqual([
      [{ ...reply, id: 1 }, Buffer.from('// one@1.0.0')],
      [{ ...reply, id: 2 }, undefined],
    ]);
  });

  test('loads no more modules after the limit', async () => {
    const load = vi.fn(moduleOf);
    const { take, send } = requestsWith({ load });
    for (let id = 1; id <= 200; id++) take(imported(id, `m@1.0.${id}`), none);
    await vi.waitFor(() => expect(send).toHaveBeenCalledTimes(200));
    expect(load.mock.calls.length).toBeLessThanOrEqual(103); // three concurrently
    const message = 'the action imports more than 100 modules';
    expect(send).toHaveBeenLastCalledWith({
      type: 'reply',
      id: 200,
      ok: false,
      name: 'ImportError',
      message,
    });
  });

  test('is a violation after ten thousand', () => {
    const { take } = requestsWith({ load: moduleOf });
    for (let id = 1; id <= 10_000; id++) take(imported(id), none);
    expect(() => take(imported(10_001), none)).toThrow(ProtocolViolation);
  });
});
