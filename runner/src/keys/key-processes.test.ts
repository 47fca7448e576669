import { expect, onTestFinished, test } from 'vitest';
import { openKeyProcesses } from './key-processes.ts';
import type { FromKeyProcess } from './key-protocol.ts';
import { group } from './testing.ts';

const COUNT = Number(process.env.FORKS ?? 12);

/** Returns the statement of a new process. */
async function statementOf({ take }: Awaited<ReturnType<typeof openKeyProcesses>>) {
  const taken = await take();
  const asked = Promise.withResolvers<Extract<FromKeyProcess, { type: 'ask' }>>();
  taken.onMessage = (message) => {
    if (message.type === 'ask') asked.resolve(message);
  };
  taken.send({
    type: 'task',
    group: group.parameters.groupPublicKey,
    task: { kind: 'mint', purpose: { kind: 'mint-wallet', path: '0x1' } },
  });
  const { statement } = await asked.promise;
  taken.kill();
  await taken.exited;
  return statement;
}

test('no two processes make the same key pair or id', { timeout: 30_000 + COUNT * 1_000 }, async () => {
  const processes = await openKeyProcesses(2);
  onTestFinished(processes.close);
  const values: string[] = [];
  for (let i = 0; i < COUNT; i++) {
    const { id, recipient } = await statementOf(processes);
    values.push(id, recipient);
  }
  expect(new Set(values).size).toBe(2 * COUNT);
});

test('ends its processes when it is closed', async () => {
  const processes = await openKeyProcesses(1);
  const taken = await processes.take();
  await processes.close();
  await taken.exited;
});
