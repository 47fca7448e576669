import { Gauge, Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { listen } from './listen.ts';
import { metricsApp } from './metrics.ts';

test('metrics that cannot be read are left out, and their error is not shown', async () => {
  const registry = new Registry();
  const registers = [registry];
  const help = 'a value';
  new Gauge({ name: 'works', help, registers }).set(7);
  const collect = () => Promise.reject(new Error('select count(*) from secret_table'));
  new Gauge({ name: 'broken', help, registers, collect });
  new Gauge({ name: 'works_too', help, registers }).set(8);
  await using server = await listen(metricsApp(registry), 0, '127.0.0.1');
  const reply = await fetch(`${server.url}/metrics`);
  expect(reply.status).toBe(200);
  expect(reply.headers.get('content-type')).toMatch(/^text\/plain/);
  const lines = (await reply.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  expect(lines).toEqual([
    'works 7',
    'works_too 8',
    expect.stringMatching(/^latchkey_build_info\{version="\d+\.\d+\.\d+"\} 1$/),
  ]);
});
