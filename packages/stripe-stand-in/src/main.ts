/** Runs the stand-in for Stripe as a process of the local stack. Its settings are environment variables. */
import { runService } from '@latchkey/service/run-service';
import { defineSettings, integer, list } from '@latchkey/service/settings';
import { z } from 'zod';
import { startStripe } from './index.ts';

const settings = defineSettings({
  schema: z.object({
    PORT: integer(0, 65_535, 0),
    STRIPE_SECRET_KEY: z.string().min(1),
    STRIPE_PUBLISHABLE_KEY: z.string().min(1),
    /** When absent, events are not delivered. */
    WEBHOOK_URL: z.url().optional(),
    /** `whsec_…`, comma-separated. */
    WEBHOOK_SECRETS: z.string().transform(list).optional(),
    STATE_FILE: z.string().optional(),
  }),
  configFrom: (env) => ({
    port: env.PORT,
    secretKey: env.STRIPE_SECRET_KEY,
    publishableKey: env.STRIPE_PUBLISHABLE_KEY,
    ...(env.WEBHOOK_URL !== undefined && {
      webhook: { url: env.WEBHOOK_URL, secrets: env.WEBHOOK_SECRETS ?? [] },
    }),
    ...(env.STATE_FILE !== undefined && { file: env.STATE_FILE }),
  }),
});

await runService('stripe-stand-in', async () => {
  const stripe = await startStripe(settings.load());
  console.log(`ready ${stripe.url}`);
  return stripe;
});
