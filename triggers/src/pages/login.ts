import { HttpError, type Locals } from '@latchkey/http';
import type { Response } from 'express';
import type { Login } from '../auth/authority.ts';
import { cookieName, cookieOptions, readCookie } from '../auth/browser.ts';
import { logIn } from '../auth/login.ts';
import { newSecret } from '../auth/secrets.ts';
import { BROWSER_SESSION_SEC, closeSession, openSession } from '../auth/sessions.ts';
import { loginBody } from '../routes/login/login.ts';
import { messageBody } from '../routes/login/message.ts';
import { type Html, html } from './html.ts';
import {
  acceptsHtml,
  accountForm,
  findVisitor,
  type Page,
  type PagesOptions,
  parsePairingCode,
  readForm,
  sendPage,
} from './page.ts';

/** Redirect target after a login. Built from the code alone, to prevent open redirects. */
const pathAfterLogin = (code: string | undefined): string =>
  code === undefined ? '/login' : `/agent/authorize?code=${code}`;

/** The code is in the fragment, which no server receives. */
const reviewLink = ({ dashboardUrl }: PagesOptions['config'], code: string): Html =>
  dashboardUrl === undefined
    ? html`<p>Log in to review the agent that wants to connect.</p>`
    : html`<p><a href="${dashboardUrl}/agents#code=${code}">Review the agent in the dashboard</a>, or log in here.</p>`;

const dashboardLink = ({ dashboardUrl }: PagesOptions['config']): Html | undefined =>
  dashboardUrl === undefined
    ? undefined
    : html`<p><a href="${dashboardUrl}">Open the dashboard</a> to manage triggers, runs and agents.</p>`;

export const showLogin: Page = async (options, req, res) => {
  const code = parsePairingCode(req.query.code);
  const visitor = await findVisitor(options, req);
  if (!visitor) sendForms(res, options, { code });
  else if (code !== undefined) res.redirect(303, pathAfterLogin(code));
  else
    sendPage(res, {
      title: 'Logged in',
      body: html`${accountForm(visitor)}${dashboardLink(options.config)}`,
    });
};

function sendForms(
  res: Response,
  { config }: PagesOptions,
  { code, error }: { code: string | undefined; error?: HttpError },
): void {
  const hidden = html`<input type="hidden" name="code" value="${code}">`;
  sendPage(res, {
    title: 'Log in',
    status: error?.status ?? 200,
    script: '/pages/login.js',
    body: html`${error && html`<p role="alert">${error.message} ${error.fix}</p>`}
${code && reviewLink(config, code)}
<form method="post" action="/login">
${hidden}
<label>Account key <input type="password" name="account_key" autocomplete="off" required></label>
<button>Log in with the account key</button>
<p>The key is verified with the relayer and not stored.</p>
</form>
<form id="wallet" hidden>
${hidden}
<input type="hidden" name="login_secret" value="${newSecret()}">
<button>Log in with a wallet</button>
<p id="wallet-failure" role="alert"></p>
</form>
<noscript><p>Wallet login needs JavaScript.</p></noscript>
${dashboardLink(config)}`,
  });
}

/** Takes the fields of POST /api/login. Its wallet messages name the origin of this service, not of the dashboard. */
export const openLogin: Page = async (options, req, res) => {
  const form = readForm(req, loginBody);
  const code = parsePairingCode(req.body.code);
  await options.limits.loginIp.take(req.ip ?? '');
  let granted: Login;
  try {
    granted = await logIn(options, form);
  } catch (error) {
    if (!(error instanceof HttpError) || error.status !== 401 || !acceptsHtml(req)) throw error;
    (res.locals as Locals).errorCode = error.code;
    sendForms(res, options, { code, error });
    return;
  }
  const publicUrl = options.publicUrl();
  const earlier = readCookie(req.headers.cookie, publicUrl);
  const { secret } = await openSession(options.db, granted, { lifetimeSec: BROWSER_SESSION_SEC, earlier });
  const maxAge = BROWSER_SESSION_SEC * 1_000;
  res.cookie(cookieName(publicUrl), secret, { ...cookieOptions(publicUrl), maxAge });
  res.redirect(303, pathAfterLogin(code));
};

export const sendMessage: Page = async ({ limits, walletLogin }, req, res) => {
  const { login_secret, address } = readForm(req, messageBody);
  await limits.loginIp.take(req.ip ?? '');
  res.json({ message: await walletLogin.createMessage(login_secret, address) });
};

export const logOut: Page = async (options, req, res) => {
  const publicUrl = options.publicUrl();
  const visitor = await findVisitor(options, req);
  if (visitor) await closeSession(options.db, visitor.tokenHash);
  res.clearCookie(cookieName(publicUrl), cookieOptions(publicUrl));
  res.redirect(303, '/login');
};
