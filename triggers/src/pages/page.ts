/** Shared by the pages: session, forms and layout. */
import { badRequest } from '@latchkey/http';
import type { Request, Response } from 'express';
import type { z } from 'zod';
import { type BrowserOptions, findBrowserUser, readCookie } from '../auth/browser.ts';
import { isSecret } from '../auth/secrets.ts';
import type { SessionUser } from '../auth/sessions.ts';
import type { WalletLogin } from '../auth/wallet-login.ts';
import type { Config } from '../config.ts';
import type { Limits } from '../limits.ts';
import type { RelayerClient } from '../relayer-client.ts';
import { type Html, html, type Value } from './html.ts';

export type PagesOptions = BrowserOptions & {
  relayer: Pick<RelayerClient, 'getAdmin' | 'getKeyKind'>;
  walletLogin: Pick<WalletLogin, 'createMessage' | 'verify'>;
  limits: Pick<Limits, 'loginIp'>;
  config: Pick<Config, 'dashboardUrl'>;
};

/** Handles one method of one path. */
export type Page = (options: PagesOptions, req: Request, res: Response) => Promise<void>;

/** Resolves to the user who is logged in, or to undefined. */
export async function findVisitor(options: PagesOptions, req: Request): Promise<SessionUser | undefined> {
  const cookie = readCookie(req.headers.cookie, options.publicUrl());
  return cookie === undefined ? undefined : findBrowserUser(options, cookie, req.ip ?? '');
}

/** Parses the pairing code of a query or form. Returns undefined when it is absent or malformed. */
export const parsePairingCode = (value: unknown): string | undefined =>
  typeof value === 'string' && isSecret(value) ? value : undefined;

/** Parses a posted form. Throws 400 when it does not match `schema`. */
export function readForm<Form>(req: Request, schema: z.ZodType<Form>): Form {
  const { success, data } = schema.safeParse(req.body);
  if (!success) throw badRequest('Malformed form: a field is missing, repeated or malformed.');
  return data;
}

/** The account of a visitor, and the button that logs out. */
export const accountForm = ({ account }: SessionUser): Html => html`<form method="post" action="/logout">
<p>Logged in as account <code>${account}</code></p>
<button>Log out</button>
</form>`;

/** Returns true unless the client accepts only JSON. */
export const acceptsHtml = (req: Request): boolean => req.accepts(['html', 'json']) !== 'json';

/**
 * Sends a page with at most one script. Pages have no inline scripts or styles and load nothing from other origins. The referrer
 * policy makes browsers name the origin in posted forms, which `no-referrer` would replace by `null`.
 */
export function sendPage(
  res: Response,
  { title, body, script, status = 200 }: { title: string; body: Value; script?: string; status?: number },
): void {
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Latchkey triggers</title>
<link rel="stylesheet" href="/pages/style.css">
${script && html`<script src="${script}" defer></script>`}
</head>
<body>
<main>
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`;
  const scripts = script === undefined ? '' : "script-src 'self'; connect-src 'self'; ";
  res
    .status(status)
    .set(
      'Content-Security-Policy',
      `default-src 'none'; style-src 'self'; ${scripts}form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
    )
    .set('Referrer-Policy', 'same-origin')
    .type('html')
    .send(page.text);
}
