import { type Context, Hono } from 'hono';
import { cors } from 'hono/cors';
import { HTTPException } from 'hono/http-exception';
import { listChanges } from './list-changes.ts';
import {
  findAccount,
  isGroupLive,
  type List,
  listActions,
  listApiKeys,
  listApiPayers,
  listGroups,
  listWallets,
  registeredActions,
} from './lists.ts';
import { type Page, parseChangesPage, parseGroupId, parseHash, parseHashes, parsePage } from './params.ts';

const app = new Hono();

// CORS: any origin. The chain's data is public.
app.use(cors({ exposeHeaders: ['X-Total-Count', 'X-Block-Number'] }));

function send(c: Context, { total, items }: List) {
  c.header('X-Total-Count', total.toString());
  return c.json(items);
}

async function sendOfGroup(
  c: Context,
  list: (masterHash: bigint, page: Page, groupId?: bigint) => Promise<List>,
) {
  const masterHash = parseHash(c, 'masterHash');
  const page = parsePage(c);
  const groupId = parseGroupId(c);
  const found = await list(masterHash, page, groupId);
  // A group that is not live has no members.
  if (groupId !== undefined && found.total === 0 && !(await isGroupLive(masterHash, groupId))) {
    throw new HTTPException(404, { message: 'The account has no group with this id.' });
  }
  return send(c, found);
}

// An unknown account has empty lists, because the relayer has already authorised the caller.
app.get('/accounts/:masterHash/api-keys', async (c) =>
  send(c, await listApiKeys(parseHash(c, 'masterHash'), parsePage(c))),
);
app.get('/accounts/:masterHash/groups', async (c) =>
  send(c, await listGroups(parseHash(c, 'masterHash'), parsePage(c))),
);
app.get('/accounts/:masterHash/actions', (c) => sendOfGroup(c, listActions));
app.get('/accounts/:masterHash/wallets', (c) => sendOfGroup(c, listWallets));

app.get('/accounts/:masterHash/changes', async (c) =>
  c.json(await listChanges(parseHash(c, 'masterHash'), parseChangesPage(c))),
);

/** By account key, master hash or alias. */
app.get('/accounts/:hash', async (c) => {
  const account = await findAccount(parseHash(c, 'hash'));
  if (account === undefined) throw new HTTPException(404, { message: 'No account has this hash.' });
  return c.json(account);
});

app.get('/registered-actions', async (c) => c.json(await registeredActions(parseHashes(c))));

app.get('/api-payers', async (c) => c.json(await listApiPayers()));

app.notFound((c) => c.json({ error: 'not_found', message: 'There is no such list.' }, 404));

app.onError((error, c) => {
  if (!(error instanceof HTTPException)) throw error;
  return c.json(
    { error: error.status === 404 ? 'not_found' : 'bad_request', message: error.message },
    error.status,
  );
});

export default app;
