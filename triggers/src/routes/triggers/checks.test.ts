import { randomBytes } from 'node:crypto';
import { cidOf } from '@latchkey/protocol';
import { startChain } from '@latchkey/testing/chain';
import { disposeAfterAll } from '@latchkey/testing/dispose-after-all';
import { beforeEach, describe, expect, test } from 'vitest';
import { startService } from '../../../test/service.ts';

const cid = 'QmT78zSuBmuS4z925WZfrqQ1qHaJ56DQaTfyMUF7F8ff5o';
const code = 'const main = () => 1';
const fine = { permitted: true, explanation: '', code_stored: true };
const newKey = () => randomBytes(32).toString('base64');
const hook = { name: 'hook', kind: 'webhook', action_code: code, usage_api_key: newKey() };

let token: string;
const chain = disposeAfterAll(await startChain());
const service = disposeAfterAll(await startService({ SERVICE_RPC_URL: chain.url }));
beforeEach(async () => {
  Object.assign(service.relayer, { explanation: fine, explained: [] });
  ({ token } = await service.newAgent());
});

const ask = (method: string, path: string, body?: unknown) => service.ask(method, path, token, body);
const create = async (fields: object = {}) => {
  const { status, body } = await ask('POST', '/api/triggers', { ...hook, ...fields });
  expect([status, body]).toEqual([200, expect.anything()]);
  return body;
};
const warningOf = (code: string, text: string) => [{ code, message: expect.stringContaining(text) }];
const { explanation, unknown } = {
  explanation: { ...fine, permitted: false, explanation: 'No group permits it.' },
  unknown: { ...fine, code_stored: false },
};

describe('code that does not parse', () => {
  const reply = {
    status: 400,
    body: { error: 'bad_request', message: expect.stringContaining('body.action_code: line 2, column 3: ') },
  };

  test('POST returns 400 with line and column and creates nothing', async () => {
    expect(await ask('POST', '/api/triggers', { ...hook, action_code: 'let a;\n  ;)' })).toMatchObject({
      ...reply,
      body: { ...reply.body, message: expect.stringContaining('line 2, column 4') },
    });
    expect((await ask('GET', '/api/triggers')).body.triggers).toEqual([]);
  });

  test('PATCH returns 400 with line and column and changes nothing', async () => {
    const { id, warnings: _, ...made } = await create();
    expect(await ask('PATCH', `/api/triggers/${id}`, { action_code: 'let a;\n  )' })).toMatchObject(reply);
    expect((await ask('GET', `/api/triggers/${id}`)).body).toEqual({ id, ...made });
  });

  test('nesting that the parser does not survive is not_checked', async () => {
    expect((await create({ action_code: '('.repeat(900_000) })).warnings).toEqual(
      warningOf('not_checked', 'action_code'),
    );
  });
});

describe('POST /api/triggers', () => {
  test('returns no warnings when all is well, and asks for the CID of the code', async () => {
    expect((await create()).warnings).toEqual([]);
    expect(service.relayer.explained).toEqual([await cidOf(code)]);
    service.relayer.explanation = unknown;
    expect((await create()).warnings).toEqual([]);
  });

  test('warns of a usage key that the relayer does not know', async () => {
    const usage_api_key = newKey();
    service.relayer.unknownKeys.add(usage_api_key);
    expect((await create({ usage_api_key })).warnings).toEqual(
      warningOf('usage_key_unknown', 'usage_api_key'),
    );
  });

  test('warns of a usage key that is not permitted, with the explanation of the relayer', async () => {
    service.relayer.explanation = explanation;
    expect((await create()).warnings).toEqual(warningOf('not_permitted', 'No group permits it.'));
  });

  test('warns of a CID whose code the relayer does not store', async () => {
    service.relayer.explanation = unknown;
    const action = { action_code: undefined, action_cid: cid };
    expect((await create(action)).warnings).toEqual(warningOf('cid_unknown', 'action_cid'));
    expect(service.relayer.explained).toEqual([cid]);
  });

  test('warns of a chain event without a contract', async () => {
    const config = { chain: 'service', event_signature: 'Transfer(address,address,uint256)' };
    const of = (contract_address: string) =>
      create({ kind: 'chain_event', config: { ...config, contract_address } });
    expect((await of(`0x${'11'.repeat(20)}`)).warnings).toEqual(
      warningOf('contract_without_code', `0x${'11'.repeat(20)}`),
    );
    const factory = { address: `0x${'22'.repeat(20)}`, event: 'Made(address)', parameter: 'arg0' };
    const { warnings } = await create({ kind: 'chain_event', config: { ...config, factory } });
    expect(warnings).toEqual(warningOf('contract_without_code', factory.address));
    // The deterministic deployment proxy of anvil.
    expect((await of('0x4e59b44847b379578588920cA78FbF26c0B4956C')).warnings).toEqual([]);
  });

  test('warns of what it did not check when the relayer does not answer in time', async () => {
    service.relayer.explanation = undefined;
    const startMs = performance.now();
    expect((await create()).warnings).toEqual(warningOf('not_checked', 'permission'));
    expect(performance.now() - startMs).toBeLessThan(8_000);
  });
});

describe('PATCH /api/triggers/:id', () => {
  test('checks only what changes', async () => {
    const { id } = await create();
    service.relayer.explained = [];
    service.relayer.explanation = explanation;
    const patch = async (body: object) => (await ask('PATCH', `/api/triggers/${id}`, body)).body.warnings;
    expect(await patch({ name: 'other', enabled: false, default_params: { a: 1 } })).toEqual([]);
    expect(service.relayer.explained).toEqual([]);
    expect(await patch({ usage_api_key: newKey() })).toEqual(warningOf('not_permitted', ''));
    expect(await patch({ action_cid: cid })).toEqual(warningOf('not_permitted', ''));
    expect(await patch({ action_code: code })).toEqual(warningOf('not_permitted', ''));
    expect(service.relayer.explained).toEqual([await cidOf(code), cid, await cidOf(code)]);
  });
});
