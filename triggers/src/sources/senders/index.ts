/** All senders. To add one, write its definition and name its scheme here. */
import { z } from 'zod';
import { alchemy } from './alchemy.ts';
import { bitbucket } from './bitbucket.ts';
import { discord } from './discord.ts';
import { basicAuth, ed25519, hmac, sharedSecret } from './generic.ts';
import { github } from './github.ts';
import { gitlab } from './gitlab.ts';
import { hubspot } from './hubspot.ts';
import { linear } from './linear.ts';
import { meta } from './meta.ts';
import { microsoftGraph } from './microsoft-graph.ts';
import { paddle } from './paddle.ts';
import { paypal } from './paypal.ts';
import { quicknode } from './quicknode.ts';
import { keys, type Sender } from './sender.ts';
import { shopify } from './shopify.ts';
import { slack } from './slack.ts';
import { square } from './square.ts';
import { standardWebhooks, svix } from './standard-webhooks.ts';
import { stripe } from './stripe.ts';
import { telegram } from './telegram.ts';
import { twilio } from './twilio.ts';
import { typeform } from './typeform.ts';
import { zoom } from './zoom.ts';

export type Senders = Readonly<Record<string, Sender>>;

/** Senders by `scheme`. */
export const senders: Senders = {
  alchemy,
  basic_auth: basicAuth,
  bitbucket,
  discord,
  ed25519,
  github,
  gitlab,
  hmac,
  hubspot,
  linear,
  meta,
  microsoft_graph: microsoftGraph,
  paddle,
  paypal,
  quicknode,
  shared_secret: sharedSecret,
  shopify,
  slack,
  square,
  standard_webhooks: standardWebhooks,
  stripe,
  svix,
  telegram,
  twilio,
  typeform,
  zoom,
};

export const keyFieldOf = ({ keyField = 'secret' }: Sender) => keyField;

const schemaOf = ([scheme, sender]: [string, Sender]) =>
  z.strictObject({ scheme: z.literal(scheme), [keyFieldOf(sender)]: keys, ...sender.fields });
const [first, ...others] = Object.entries(senders).map(schemaOf);
if (!first) throw new Error('no senders');

/** Schema of `verification`. */
export const verification = z.discriminatedUnion('scheme', [first, ...others]);
