/** Process: archives and removes, and kills itself after a step. Arguments: the database, the directory, the number of the step. */
import { archive } from '../src/billing/archives/archive.ts';
import { openDatabase } from '../src/db/database.ts';
import { deployment, signer } from './old-ledger.ts';

const [, , url = '', directory = '', step] = process.argv;
const { db, close } = await openDatabase({ url, poolSize: 2 });
let done = 0;
const onStep = () => {
  if (done++ === Number(step)) process.kill(process.pid, 'SIGKILL');
};
await archive(db, { directory, deployment, signer, isRemoving: true, onStep });
await close();
