/** All senders, by `scheme`. */
import { z } from 'zod';
import { awsSns } from './aws-sns.ts';
import { basicAuth, ed25519, hash, hmac, publicKeySignature, sharedSecret } from './generic.ts';
import { gitlab } from './gitlab.ts';
import { hubspot } from './hubspot.ts';
import { microsoftGraph } from './microsoft-graph.ts';
import { paypal } from './paypal.ts';
import { plaid } from './plaid.ts';
import { toSender } from './scheme.ts';
import { keys, type Sender } from './sender.ts';
import { standardWebhooks, svix } from './standard-webhooks.ts';
import { table } from './table.ts';
import { tableOfMessages } from './table-of-messages.ts';
import { tableOfWork } from './table-of-work.ts';
import { tokenSenders } from './tokens.ts';
import { twilio } from './twilio.ts';

export type Senders = Readonly<Record<string, Sender>>;

const rows = Object.entries({ ...table, ...tableOfMessages, ...tableOfWork }).map(
  ([name, scheme]) => [name, toSender(scheme)] as const,
);

/** Sorted, so that the API description lists them in an order. */
export const senders: Senders = Object.fromEntries(
  [
    ...rows,
    ...Object.entries(tokenSenders),
    ...Object.entries({
      aws_sns: awsSns,
      basic_auth: basicAuth,
      ed25519,
      gitlab,
      hash,
      hmac,
      hubspot,
      microsoft_graph: microsoftGraph,
      paypal,
      plaid,
      public_key: publicKeySignature,
      shared_secret: sharedSecret,
      standard_webhooks: standardWebhooks,
      svix,
      twilio,
    }),
  ].toSorted(([a], [b]) => (a < b ? -1 : 1)),
);

export const keyFieldOf = ({ keyField = 'secret' }: Sender) => keyField;

const schemaOf = ([scheme, sender]: [string, Sender]) =>
  z.strictObject({
    scheme: z.literal(scheme),
    [keyFieldOf(sender)]: sender.isKeyOptional ? keys.optional() : keys,
    ...sender.fields,
  });
const [first, ...others] = Object.entries(senders).map(schemaOf);
if (!first) throw new Error('no senders');

/** Schema of `verification`. */
export const verification = z.discriminatedUnion('scheme', [first, ...others]);

/** Returns the senders for a form, sorted by their schemes. */
export const listSenders = () =>
  Object.entries(senders).map(([scheme, sender]) => ({
    scheme,
    key_field: keyFieldOf(sender),
    required_fields: Object.entries(sender.fields ?? {}).flatMap(([name, field]) =>
      z.safeParse(field, undefined).success ? [] : [name],
    ),
  }));
