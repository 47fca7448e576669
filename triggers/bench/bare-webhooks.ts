// Forked process: the smallest durable server of webhooks. Receives its settings as a message, answers with its port.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import express from 'express';
import pg from 'pg';

export type BareSettings = {
  databaseUrl: string;
  poolSize: number;
  table: string;
  /** Parameters of a run of the service, so that each row has as many bytes. */
  input: Record<string, unknown>;
};

const [{ databaseUrl, poolSize, table, input }] = (await once(process, 'message')) as [BareSettings];
const pool = new pg.Pool({ connectionString: databaseUrl, max: poolSize });
const app = express();
app.post('/webhook', express.json(), async (req, res) => {
  await pool.query(
    `insert into ${table} (trigger_id, user_id, number, input, dedupe_key) values ($1, $2, 1, $3, $4)`,
    [randomUUID(), randomUUID(), JSON.stringify({ ...input, event: req.body }), randomUUID()],
  );
  res.sendStatus(202);
});
const server = app.listen(0, '127.0.0.1');
await once(server, 'listening');
process.send?.((server.address() as AddressInfo).port);
process.once('disconnect', () => process.exit());
