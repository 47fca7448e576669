/** The stand-in for Stripe as a process of the local stack, until SIGTERM. Its settings are environment variables. */
import { once } from 'node:events';
import { z } from 'zod';
import { startStripe } from './index.ts';

const settings = z
  .object({
    PORT: z.coerce.number().int().min(0).max(65_535).default(0),
    STRIPE_SECRET_KEY: z.string().min(1),
    STRIPE_PUBLISHABLE_KEY: z.string().min(1),
    /** Absent: events are listed, and delivered nowhere. */
    WEBHOOK_URL: z.url().optional(),
    /** `whsec_…`, comma-separated. */
    WEBHOOK_SECRETS: z.string().default(''),
    STATE_FILE: z.string().optional(),
  })
  .parse(process.env);

const secrets = settings.WEBHOOK_SECRETS.split(',').filter((secret) => secret !== '');
await using stripe = await startStripe({
  port: settings.PORT,
  secretKey: settings.STRIPE_SECRET_KEY,
  publishableKey: settings.STRIPE_PUBLISHABLE_KEY,
  webhooks: settings.WEBHOOK_URL === undefined ? [] : [{ url: settings.WEBHOOK_URL, secrets }],
  ...(settings.STATE_FILE === undefined ? {} : { file: settings.STATE_FILE }),
});
console.log(`ready ${stripe.url}`);
await Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')]);
