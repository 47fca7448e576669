// Forked process: answers a number of accounts with the memory before and after they have passed.
import { answer } from '@latchkey/testing/forked';
import { measureHeap } from '@latchkey/testing/heap';
import { openPassings } from '../test/accounts-passing.ts';

answer((rows: number) => measureHeap(openPassings(), rows));
