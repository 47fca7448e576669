/** Shared by the pages: sessions, forms and layout. */
import { badRequest, forbidden, type Locals } from '@latchkey/http';
import type { Request, RequestHandler, Response } from 'express';
import { z } from 'zod';
import { cookieName, cookieOptions, readCookie } from '../auth/cookies.ts';
import { deriveCsrfToken, isCsrfToken, isSecret } from '../auth/secrets.ts';
import { findSessionUser, type SessionUser } from '../auth/sessions.ts';
import type { WalletLogin } from '../auth/wallet-login.ts';
import type { Config } from '../config.ts';
import type { Database } from '../db/database.ts';
import type { Limits } from '../limits.ts';
import type { RelayerClient } from '../relayer-client.ts';
import { type Html, html, type Value } from './html.ts';

export type PagesOptions = {
  db: Database;
  relayer: Pick<RelayerClient, 'getAdmin' | 'getKeyKind'>;
  /** Public base URL of this service, without a trailing slash. */
  publicUrl: () => string;
  walletLogin: Pick<WalletLogin, 'createMessage' | 'verify'>;
  limits: Pick<Limits, 'loginIp' | 'findToken'>;
  config: Pick<Config, 'dashboardUrl'>;
};

/** Session of a logged-in user. Every form on a page must contain `csrf`. */
export type Session = { user: SessionUser; cookie: string; csrf: string };

/** Resolves to the session of a request, or to undefined without a login. */
export async function findSession(options: PagesOptions, req: Request): Promise<Session | undefined> {
  const cookie = readCookie(req.headers.cookie, 'session', options.publicUrl());
  if (!cookie) return undefined;
  const user = await options.limits.findToken(cookie, 'browser', req.ip ?? '', () =>
    findSessionUser(options, cookie),
  );
  return user && { user, cookie, csrf: deriveCsrfToken(cookie) };
}

/** Parses the pairing code of a query or form. Returns undefined when it is absent or malformed. */
export const parsePairingCode = (value: unknown): string | undefined =>
  typeof value === 'string' && isSecret(value) ? value : undefined;

/** Path of the login page. After the login it redirects to the pairing with this code. */
export const loginPath = (code?: string): string => (code === undefined ? '/login' : `/login?code=${code}`);

/** Redirect target after a login. Built from the code alone, to prevent open redirects. */
export const pathAfterLogin = (code?: string): string =>
  code === undefined ? '/' : `/agent/authorize?code=${code}`;

/** Field of every form. */
export const csrfForm = z.object({ csrf: z.string() });

/** Parses a posted form. Throws 400 when it does not match `schema`, 403 when the CSRF token is not that of `cookie`. */
export function readForm<Form extends { csrf: string }>(
  req: Request,
  schema: z.ZodType<Form>,
  cookie: string | undefined,
): Form {
  const { success, data } = schema.safeParse(req.body);
  if (!success) throw badRequest('Malformed form: a field is missing or repeated.');
  if (cookie === undefined || !isCsrfToken(cookie, data.csrf))
    throw forbidden('CSRF token mismatch.', {
      fix: 'Go back, reload the page and try again.',
    });
  return data;
}

export const setCookie = (
  res: Response,
  name: 'session' | 'browser',
  { publicUrl, value, maxAgeMs }: { publicUrl: string; value: string; maxAgeMs?: number },
): void => {
  const options = { ...cookieOptions(publicUrl), ...(maxAgeMs === undefined ? {} : { maxAge: maxAgeMs }) };
  res.cookie(cookieName(name, publicUrl), value, options);
};

/** Sets the route path for logs and metrics. */
export const withRoutePath =
  (path: string, handle: (req: Request, res: Response) => Promise<void>): RequestHandler =>
  (req, res) => {
    (res.locals as Partial<Locals>).routePath = path;
    return handle(req, res);
  };

type Page = {
  title: string;
  body: Value;
  session?: Session | undefined;
  /** Path of the page's only script. */
  script?: string;
  status?: number;
};

/** Pages have no inline scripts or styles and load nothing from other origins. Scripts and fetches need a page with a script. */
const contentSecurityPolicy = (script: string | undefined): string =>
  `default-src 'none'; style-src 'self'; ${script === undefined ? '' : "script-src 'self'; connect-src 'self'; "}` +
  "form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

export function sendPage(res: Response, { title, body, session, script, status = 200 }: Page): void {
  const page: Html = html`<!doctype html>
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
${session && navigation(session)}
<main>
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`;
  res
    .status(status)
    .set('Content-Security-Policy', contentSecurityPolicy(script))
    .type('html')
    .send(page.text);
}

const navigation = ({ user, csrf }: Session): Html => html`<nav>
<a href="/">Start</a>
<a href="/agents">Agents</a>
<form method="post" action="/logout"><input type="hidden" name="csrf" value="${csrf}"><button>Log out</button></form>
<details><summary>Account ${shortHash(user.account)}</summary><code>${user.account}</code></details>
</nav>`;

const shortHash = (hash: string): string => `${hash.slice(0, 6)}…${hash.slice(-4)}`;

const readableTime = new Intl.DateTimeFormat('en-GB', {
  dateStyle: 'medium',
  timeStyle: 'short',
  timeZone: 'UTC',
});

/** A time as `23 Nov 2026, 13:11 UTC`. */
export const time = (date: Date): Html =>
  html`<time datetime="${date.toISOString()}">${readableTime.format(date)} UTC</time>`;

/** A link to the dashboard, when the service knows it. */
export const dashboardLink = ({ dashboardUrl }: PagesOptions['config']): Html | undefined =>
  dashboardUrl === undefined
    ? undefined
    : html`<p><a href="${dashboardUrl}">Open the dashboard</a> to manage triggers and runs.</p>`;

/** Returns true unless the client accepts only JSON. */
export const acceptsHtml = (req: Request): boolean => req.accepts(['html', 'json']) !== 'json';
