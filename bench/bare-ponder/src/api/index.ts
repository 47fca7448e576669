import { db } from 'ponder:api';
import { groups } from 'ponder:schema';
import { Hono } from 'hono';
import { count, eq } from 'ponder';

const app = new Hono();

app.get('/groups/:masterHash', async (c) => {
  const [row] = await db
    .select({ total: count() })
    .from(groups)
    .where(eq(groups.masterHash, BigInt(c.req.param('masterHash'))));
  c.header('X-Total-Count', String(row?.total ?? 0));
  return c.json([]);
});

export default app;
