import { HttpError, unauthorized } from '@latchkey/http';
import { apiKeyHash, isApiKey, parseAddress, walletIdentity } from '@latchkey/protocol';
import type { Request, Response } from 'express';
import { Router } from 'express';
import { numberToHex } from 'viem';
import { z } from 'zod';
import { authorityOf } from '../auth/authority.ts';
import { cookieNameOf, cookieOptions, readCookie } from '../auth/cookies.ts';
import { csrfTokenOf, newSecret } from '../auth/secrets.ts';
import { closeSession, openSession, SESSION_SEC } from '../auth/sessions.ts';
import type { Admin } from '../core.ts';
import { html } from './html.ts';
import {
  afterLogin,
  codeIn,
  csrfForm,
  formOf,
  loginPath,
  named,
  type PagesContext,
  sendPage,
  sessionOf,
  setCookie,
} from './visit.ts';

const hashText = (hash: bigint): string => numberToHex(hash, { size: 32 });

const code = z.string().optional();
const accountKeyForm = csrfForm.extend({ code, account_key: z.string() });
const messageForm = csrfForm.extend({ address: z.string() });
const walletForm = csrfForm.extend({ code, message: z.string(), signature: z.string() });

/** Log in and out. */
export function loginPages(context: PagesContext): Router {
  const { core, walletLogin, limits, publicUrl } = context;
  const browserOf = (req: Request) => readCookie(req.headers.cookie, 'browser', publicUrl());

  const logIn = async (
    req: Request,
    res: Response,
    { account, admin }: { account: string; admin: Admin | undefined },
    goOn: unknown,
  ): Promise<void> => {
    const earlier = readCookie(req.headers.cookie, 'session', publicUrl());
    const value = await openSession(context.db, { account, authority: authorityOf(admin) }, earlier);
    setCookie(res, 'session', { publicUrl: publicUrl(), value, maxAgeMs: SESSION_SEC * 1_000 });
    res.redirect(303, afterLogin(codeIn(goOn)));
  };

  const show = async (req: Request, res: Response): Promise<void> => {
    const goOn = codeIn(req.query.code);
    if (await sessionOf(context, req)) {
      res.redirect(303, afterLogin(goOn));
      return;
    }
    const known = browserOf(req);
    const browser = known ?? newSecret();
    if (known === undefined) setCookie(res, 'browser', { publicUrl: publicUrl(), value: browser });
    const hidden = html`<input type="hidden" name="csrf" value="${csrfTokenOf(browser)}">
<input type="hidden" name="code" value="${goOn}">`;
    sendPage(res, {
      title: 'Log in',
      script: '/pages/login.js',
      body: html`${goOn && html`<p>An agent asks to act for you. Log in to see which.</p>`}
<form method="post" action="/login/account-key">
${hidden}
<label>Account key <input type="password" name="account_key" autocomplete="off" required></label>
<button>Log in with the account key</button>
<p>The key is checked with the core service and not kept.</p>
</form>
<form id="wallet" hidden>
${hidden}
<button>Log in with a wallet</button>
<p id="wallet-failure" role="alert"></p>
</form>
<noscript><p>Login with a wallet needs JavaScript; everything else works without it.</p></noscript>`,
    });
  };

  const withAccountKey = async (req: Request, res: Response): Promise<void> => {
    const form = formOf(req, accountKeyForm, browserOf(req));
    await limits.loginIp.take(req.ip ?? '');
    const key = form.account_key.trim();
    const kind = isApiKey(key) ? await core.kindOfKey(key) : undefined;
    if (kind !== 'account key')
      throw unauthorized(
        kind === undefined
          ? 'This is no account key that the core service knows.'
          : 'This is a usage key; the account key is needed.',
      );
    const admin = await core.adminOf(hashText(apiKeyHash(key)));
    if (!admin?.managed)
      throw unauthorized('The account key does not administer this account any more.', {
        fix: 'Log in with the admin wallet of the account.',
      });
    await logIn(req, res, { account: admin.account, admin }, form.code);
  };

  const walletMessage = async (req: Request, res: Response): Promise<void> => {
    const browser = browserOf(req);
    const form = formOf(req, messageForm, browser);
    await limits.loginIp.take(req.ip ?? '');
    const address = parseAddress(form.address);
    if (!browser || !address) throw new HttpError('bad_request', 'This is no address of a wallet.');
    res.json({ message: await walletLogin.messageFor(browser, address) });
  };

  const withWallet = async (req: Request, res: Response): Promise<void> => {
    const browser = browserOf(req);
    const form = formOf(req, walletForm, browser);
    await limits.loginIp.take(req.ip ?? '');
    const wallet = await walletLogin.verify(browser ?? '', form);
    const identity = hashText(walletIdentity(wallet));
    const admin = await core.adminOf(identity);
    // The identity of a former admin wallet still names the account.
    if (admin && (admin.managed || admin.wallet !== wallet))
      throw unauthorized('This wallet is not the admin of its account.', {
        fix: 'Log in as the current admin.',
      });
    await logIn(req, res, { account: admin?.account ?? identity, admin }, form.code);
  };

  const logOut = async (req: Request, res: Response): Promise<void> => {
    const session = await sessionOf(context, req);
    if (session) {
      formOf(req, csrfForm, session.cookie);
      await closeSession(context.db, session.cookie);
    }
    res.clearCookie(cookieNameOf('session', publicUrl()), cookieOptions(publicUrl()));
    res.redirect(303, loginPath());
  };

  return Router({ strict: true, caseSensitive: true })
    .get('/login', named('/login', show))
    .post('/login/account-key', named('/login/account-key', withAccountKey))
    .post('/login/wallet/message', named('/login/wallet/message', walletMessage))
    .post('/login/wallet', named('/login/wallet', withWallet))
    .post('/logout', named('/logout', logOut));
}
