import { type AnyRoute, type Authenticator, mount } from '@latchkey/http';
import type { Express } from 'express';
import { authenticators, type Caller } from './auth/authenticators.ts';
import type { Context } from './context.ts';
import { apiInfo } from './openapi.ts';
import { prefix } from './routes/define-route.ts';
import { routes } from './routes/index.ts';
import { replyToError } from './routes/reply-to-error.ts';

/** The HTTP application over a context. */
export function createApp(context: Context): Express {
  const { config, idempotency, log, metrics, version } = context;
  return mount({
    routes: routes.map(withReplies) as unknown as typeof routes,
    context,
    authenticators: {
      key: withAuthReplies(authenticators.key),
      accountKey: withAuthReplies(authenticators.accountKey),
      keyOrWallet: withAuthReplies(authenticators.keyOrWallet),
      accountKeyOrWallet: withAuthReplies(authenticators.accountKeyOrWallet),
      usageKey: withAuthReplies(authenticators.usageKey),
      anyKeyText: authenticators.anyKeyText,
    },
    log,
    prefix,
    api: { ...apiInfo, version: version.version },
    awaitBlock: async (block, ip) => {
      try {
        await context.awaitBlock(block, ip);
      } catch (thrown) {
        throw replyToError(thrown, undefined);
      }
    },
    idempotency,
    trustProxy: config.trustProxy,
    metrics,
    bodies: config.bodies,
  });
}

type Handler = (context: unknown, input: { caller?: { hash: bigint } }) => unknown;

/** The route with its domain errors turned into replies. */
function withReplies(route: AnyRoute): AnyRoute {
  const inner = route.handle as unknown as Handler;
  const handle: Handler = async (context, input) => {
    try {
      return await inner(context, input);
    } catch (thrown) {
      throw replyToError(thrown, input.caller?.hash);
    }
  };
  return { ...route, handle };
}

/** The same for what an authenticator asks the chain. */
function withAuthReplies<AuthContext>(
  authenticator: Authenticator<AuthContext, Caller>,
): Authenticator<AuthContext, Caller> {
  return {
    ...authenticator,
    async authenticate(context, request) {
      try {
        return await authenticator.authenticate(context, request);
      } catch (thrown) {
        throw replyToError(thrown, undefined);
      }
    },
  };
}
