/**
 * `/_control/disputes`: opens a dispute over HTTP with the secret key. `/3d_secure/:id`: the page of the payer's bank,
 * with the client secret of a payment intent or a setup intent.
 */
import express, { type Express, type Request } from 'express';
import { z } from 'zod';
import { authenticate, type Keys, secretKeyRequired } from './api.ts';
import type { Control } from './control.ts';
import { resourceMissing } from './errors.ts';
import { readParams } from './params.ts';
import { find, type State } from './state.ts';

const dispute = z.strictObject({
  of: z.string(),
  amount: z.int().exactOptional(),
  isInquiry: z.boolean().exactOptional(),
});
const authentication = z.strictObject({ outcome: z.enum(['failed', 'succeeded']) });

export function serveControl(
  app: Express,
  { state, control, ...keys }: Keys & { state: State; control: Control },
): void {
  app.post('/_control/disputes', express.json(), async (req, res) => {
    if (authenticate(keys, req.get('Authorization')) !== 'secret') throw secretKeyRequired();
    res.json(await control.openDispute(readParams(dispute, req.body ?? {})));
  });

  const findIntent = (req: Request<{ id: string }>) => {
    const { id } = req.params;
    const intent = state.paymentIntents.get(id) ?? state.setupIntents.get(id);
    if (!intent || intent.client_secret !== req.query.client_secret)
      throw resourceMissing('payment_intent', req.params.id);
    return intent;
  };
  app.get('/receipts/:id', (req, res) => {
    res
      .type('text')
      .send(
        `Receipt of ${find(state.paymentIntents, 'receipt', req.params.id.replace('ch_', 'pi_')).amount} cents`,
      );
  });
  app.get('/3d_secure/:id', (req, res) => {
    const intent = findIntent(req);
    res.type('html').send(bankPage(intent.object === 'payment_intent' ? intent.amount : 0));
  });
  app.post('/3d_secure/:id', express.urlencoded(), async (req: Request<{ id: string }>, res) => {
    const { outcome } = readParams(authentication, req.body ?? {});
    const found = findIntent(req);
    const end = found.object === 'payment_intent' ? control.authenticate : control.authenticateSetup;
    const { id, status } = await end(found.id, outcome === 'succeeded');
    res.json({ id, status });
  });
}

function bankPage(cents: number): string {
  return `<!doctype html>
<html lang="en"><title>3-D Secure</title>
<h1>Your bank asks</h1>
<p>Do you pay ${cents} cents?</p>
<form method="post">
<button name="outcome" value="succeeded">Complete</button>
<button name="outcome" value="failed">Fail</button>
</form></html>
`;
}
