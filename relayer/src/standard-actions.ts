/** Code of the standard actions of the repository. `actions/cids.json` has their CIDs. */
import { readFileSync } from 'node:fs';

const read = (name: string): string =>
  readFileSync(new URL(`../../actions/${name}`, import.meta.url), 'utf8');

export const sendTransactionCode = read('send-transaction.js');
