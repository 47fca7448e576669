/** Process: takes parts of one limit as fast as it can, and prints the statements. Arguments: the database, the number of the process, and how often. */
import { createTakeAllowance } from '../src/allowances/allowances.ts';
import { openDatabase } from '../src/db/database.ts';
import { contended, deployment } from './contended-allowance.ts';

const [, , url = '', process_ = '0', times = '0'] = process.argv;
const { db, close } = await openDatabase({ url, poolSize: 4 });
const take = createTakeAllowance({ db, deployment, signHash: () => '0x' });
const work = Array.from({ length: Number(times) }, async (_, number) => {
  const runId = `00000000-0000-4000-8000-${process_.padStart(12, '0')}`;
  const amount = String(1 + (number % 7));
  return take({ account: 1n, cid: contended.cid, runId }, number + 1, { ...contended.request, amount }).catch(
    (error: Error) => error.name,
  );
});
console.log(JSON.stringify(await Promise.all(work)));
await close();
