import { HttpError, type Locals } from '@latchkey/http';
import { parseAddress } from '@latchkey/protocol';
import type { Request, Response } from 'express';
import { Router } from 'express';
import { z } from 'zod';
import { cookieName, cookieOptions, readCookie } from '../auth/cookies.ts';
import { type Login, logInWithAccountKey, logInWithWallet } from '../auth/login.ts';
import { deriveCsrfToken, newSecret } from '../auth/secrets.ts';
import { BROWSER_SESSION_SEC, closeSession, openSession } from '../auth/sessions.ts';
import { html } from './html.ts';
import {
  acceptsHtml,
  csrfForm,
  dashboardLink,
  findSession,
  loginPath,
  type PagesOptions,
  parsePairingCode,
  pathAfterLogin,
  readForm,
  sendPage,
  setCookie,
  withRoutePath,
} from './shared.ts';

const code = z.string().optional();
const accountKeyForm = csrfForm.extend({ code, account_key: z.string() });
const messageForm = csrfForm.extend({ address: z.string() });
const walletForm = csrfForm.extend({ code, message: z.string(), signature: z.string() });

/** Login and logout pages. */
export function loginPages(options: PagesOptions): Router {
  const { relayer, walletLogin, limits, publicUrl } = options;
  const readBrowserCookie = (req: Request) => readCookie(req.headers.cookie, 'browser', publicUrl());

  const logIn = async (req: Request, res: Response, login: Login, code: unknown): Promise<void> => {
    const earlier = readCookie(req.headers.cookie, 'session', publicUrl());
    const lifetimeSec = BROWSER_SESSION_SEC;
    const { secret: value } = await openSession(options.db, login, { lifetimeSec, earlier });
    setCookie(res, 'session', { publicUrl: publicUrl(), value, maxAgeMs: lifetimeSec * 1_000 });
    res.redirect(303, pathAfterLogin(parsePairingCode(code)));
  };

  const sendForms = (
    res: Response,
    { browser, code, error }: { browser: string; code: string | undefined; error?: HttpError },
  ): void => {
    const hidden = html`<input type="hidden" name="csrf" value="${deriveCsrfToken(browser)}">
<input type="hidden" name="code" value="${code}">`;
    sendPage(res, {
      title: 'Log in',
      status: error?.status ?? 200,
      script: '/pages/login.js',
      body: html`${error && html`<p role="alert">${error.message} ${error.fix}</p>`}
${code && html`<p>Log in to review the agent that wants to connect.</p>`}
<form method="post" action="/login/account-key">
${hidden}
<label>Account key <input type="password" name="account_key" autocomplete="off" required></label>
<button>Log in with the account key</button>
<p>The key is verified with the relayer and not stored.</p>
</form>
<form id="wallet" hidden>
${hidden}
<button>Log in with a wallet</button>
<p id="wallet-failure" role="alert"></p>
</form>
<noscript><p>Wallet login needs JavaScript.</p></noscript>
${dashboardLink(options.config)}`,
    });
  };

  const show = async (req: Request, res: Response): Promise<void> => {
    const code = parsePairingCode(req.query.code);
    if (await findSession(options, req)) {
      res.redirect(303, pathAfterLogin(code));
      return;
    }
    const known = readBrowserCookie(req);
    const browser = known ?? newSecret();
    if (known === undefined) setCookie(res, 'browser', { publicUrl: publicUrl(), value: browser });
    sendForms(res, { browser, code });
  };

  const withAccountKey = async (req: Request, res: Response): Promise<void> => {
    const browser = readBrowserCookie(req);
    const form = readForm(req, accountKeyForm, browser);
    await limits.loginIp.take(req.ip ?? '');
    let login: Login;
    try {
      login = await logInWithAccountKey(relayer, form.account_key);
    } catch (error) {
      if (!(error instanceof HttpError) || error.status !== 401 || !acceptsHtml(req)) throw error;
      (res.locals as Locals).errorCode = error.code;
      sendForms(res, { browser: browser ?? '', code: parsePairingCode(form.code), error });
      return;
    }
    await logIn(req, res, login, form.code);
  };

  const walletMessage = async (req: Request, res: Response): Promise<void> => {
    const browser = readBrowserCookie(req);
    const form = readForm(req, messageForm, browser);
    await limits.loginIp.take(req.ip ?? '');
    const address = parseAddress(form.address);
    if (!browser || !address) throw new HttpError('bad_request', 'Malformed wallet address.');
    res.json({ message: await walletLogin.createMessage(browser, address) });
  };

  const withWallet = async (req: Request, res: Response): Promise<void> => {
    const browser = readBrowserCookie(req);
    const form = readForm(req, walletForm, browser);
    await limits.loginIp.take(req.ip ?? '');
    await logIn(req, res, await logInWithWallet(options, browser ?? '', form), form.code);
  };

  const logOut = async (req: Request, res: Response): Promise<void> => {
    const session = await findSession(options, req);
    if (session) {
      readForm(req, csrfForm, session.cookie);
      await closeSession(options.db, session.user.tokenHash);
    }
    res.clearCookie(cookieName('session', publicUrl()), cookieOptions(publicUrl()));
    res.redirect(303, loginPath());
  };

  return Router({ strict: true, caseSensitive: true })
    .get('/login', withRoutePath('/login', show))
    .post('/login/account-key', withRoutePath('/login/account-key', withAccountKey))
    .post('/login/wallet/message', withRoutePath('/login/wallet/message', walletMessage))
    .post('/login/wallet', withRoutePath('/login/wallet', withWallet))
    .post('/logout', withRoutePath('/logout', logOut));
}
