/** What the pages share: who visits, what their forms say, how a page is sent. */
import { badRequest, forbidden, type Locals } from '@latchkey/http';
import type { Request, RequestHandler, Response } from 'express';
import { z } from 'zod';
import { cookieNameOf, cookieOptions, readCookie } from '../auth/cookies.ts';
import { csrfTokenOf, isCsrfTokenOf, isSecret } from '../auth/secrets.ts';
import { type Visitor, visitorOf } from '../auth/sessions.ts';
import type { Context } from '../context.ts';
import { type Html, html, type Value } from './html.ts';

export type PagesContext = Pick<Context, 'db' | 'core' | 'publicUrl' | 'walletLogin' | 'limits'>;

/** Somebody who is logged in. `csrf` belongs into every form that they are shown. */
export type Session = { user: Visitor; cookie: string; csrf: string };

/** The session of a request; undefined for nobody. */
export async function sessionOf(context: PagesContext, req: Request): Promise<Session | undefined> {
  const cookie = readCookie(req.headers.cookie, 'session', context.publicUrl());
  const user = cookie && (await visitorOf(context, cookie));
  return cookie && user ? { user, cookie, csrf: csrfTokenOf(cookie) } : undefined;
}

/** The code of a pairing in a query or form; undefined for what is none. */
export const codeIn = (value: unknown): string | undefined =>
  typeof value === 'string' && isSecret(value) ? value : undefined;

/** The login page, which goes on to the pairing that was asked for. */
export const loginPath = (code?: string): string => (code === undefined ? '/login' : `/login?code=${code}`);

/** Where a login goes on to. Made of a code alone, so that nobody can be sent elsewhere. */
export const afterLogin = (code?: string): string =>
  code === undefined ? '/' : `/agent/authorize?code=${code}`;

/** What every form has. */
export const csrfForm = z.object({ csrf: z.string() });

/** The fields of a posted form; 400 when they are not those of `schema`, 403 without the CSRF token of `cookie`. */
export function formOf<Form extends { csrf: string }>(
  req: Request,
  schema: z.ZodType<Form>,
  cookie: string | undefined,
): Form {
  const { success, data } = schema.safeParse(req.body);
  if (!success) throw badRequest('The form is incomplete.');
  if (cookie === undefined || !isCsrfTokenOf(cookie, data.csrf))
    throw forbidden('This form is not of this browser session.', {
      fix: 'Go back, reload the page, try again.',
    });
  return data;
}

export const setCookie = (
  res: Response,
  name: 'session' | 'browser',
  { publicUrl, value, maxAgeMs }: { publicUrl: string; value: string; maxAgeMs?: number },
): void => {
  const options = { ...cookieOptions(publicUrl), ...(maxAgeMs === undefined ? {} : { maxAge: maxAgeMs }) };
  res.cookie(cookieNameOf(name, publicUrl), value, options);
};

/** Names the route for the log and the metrics. */
export const named =
  (path: string, handle: (req: Request, res: Response) => Promise<void>): RequestHandler =>
  (req, res) => {
    (res.locals as Partial<Locals>).routePath = path;
    return handle(req, res);
  };

type Page = {
  title: string;
  body: Value;
  session?: Session | undefined;
  /** The one script of the page, by its path. */
  script?: string;
  status?: number;
};

/** Nothing on a page is inline, and nothing comes from elsewhere; only a page with a script may load one and ask this service. */
const policyOf = (script: string | undefined): string =>
  `default-src 'none'; style-src 'self'; ${script === undefined ? '' : "script-src 'self'; connect-src 'self'; "}` +
  "form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

export function sendPage(res: Response, { title, body, session, script, status = 200 }: Page): void {
  const page: Html = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
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
  res.status(status).set('Content-Security-Policy', policyOf(script)).type('html').send(page.text);
}

const navigation = ({ user, csrf }: Session): Html => html`<nav>
<a href="/">Triggers</a>
<a href="/agents">Agents</a>
<form method="post" action="/logout"><input type="hidden" name="csrf" value="${csrf}"><button>Log out</button></form>
<span>${user.account}</span>
</nav>`;
