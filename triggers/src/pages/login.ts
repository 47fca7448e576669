import { HttpError, unauthorized } from '@latchkey/http';
import { apiKeyHash, isApiKey, parseAddress, walletIdentity } from '@latchkey/protocol';
import type { Request, Response } from 'express';
import { Router } from 'express';
import { numberToHex } from 'viem';
import { z } from 'zod';
import { toAuthority } from '../auth/authority.ts';
import { cookieName, cookieOptions, readCookie } from '../auth/cookies.ts';
import { deriveCsrfToken, newSecret } from '../auth/secrets.ts';
import { closeSession, openSession, SESSION_SEC } from '../auth/sessions.ts';
import type { Admin } from '../relayer-client.ts';
import { html } from './html.ts';
import {
  csrfForm,
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

const hashText = (hash: bigint): string => numberToHex(hash, { size: 32 });

const code = z.string().optional();
const accountKeyForm = csrfForm.extend({ code, account_key: z.string() });
const messageForm = csrfForm.extend({ address: z.string() });
const walletForm = csrfForm.extend({ code, message: z.string(), signature: z.string() });

/** Login and logout pages. */
export function loginPages(options: PagesOptions): Router {
  const { relayer, walletLogin, limits, publicUrl } = options;
  const readBrowserCookie = (req: Request) => readCookie(req.headers.cookie, 'browser', publicUrl());

  const logIn = async (
    req: Request,
    res: Response,
    { hash, admin }: { hash: string; admin: Admin | undefined },
    code: unknown,
  ): Promise<void> => {
    const earlier = readCookie(req.headers.cookie, 'session', publicUrl());
    const login = { account: admin?.account ?? hash, authority: toAuthority(admin, hash) };
    const value = await openSession(options.db, login, earlier);
    setCookie(res, 'session', { publicUrl: publicUrl(), value, maxAgeMs: SESSION_SEC * 1_000 });
    res.redirect(303, pathAfterLogin(parsePairingCode(code)));
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
    const hidden = html`<input type="hidden" name="csrf" value="${deriveCsrfToken(browser)}">
<input type="hidden" name="code" value="${code}">`;
    sendPage(res, {
      title: 'Log in',
      script: '/pages/login.js',
      body: html`${code && html`<p>Log in to review the agent that wants to connect.</p>`}
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
<noscript><p>Wallet login needs JavaScript.</p></noscript>`,
    });
  };

  const withAccountKey = async (req: Request, res: Response): Promise<void> => {
    const form = readForm(req, accountKeyForm, readBrowserCookie(req));
    await limits.loginIp.take(req.ip ?? '');
    const key = form.account_key.trim();
    const kind = isApiKey(key) ? await relayer.getKeyKind(key) : undefined;
    if (kind !== 'account key')
      throw unauthorized(
        kind === undefined ? 'Unknown account key.' : 'This is a usage key. Log in with the account key.',
      );
    const hash = hashText(apiKeyHash(key));
    const admin = await relayer.getAdmin(hash);
    if (!admin?.managed)
      throw unauthorized('The account is ChainSecured: its account key can no longer log in.', {
        fix: 'Log in with the admin wallet of the account.',
      });
    await logIn(req, res, { hash, admin }, form.code);
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
    const wallet = await walletLogin.verify(browser ?? '', form);
    const identity = hashText(walletIdentity(wallet));
    const admin = await relayer.getAdmin(identity);
    // The identity of a former admin wallet still resolves to the account.
    if (admin && (admin.managed || admin.wallet !== wallet))
      throw unauthorized('This wallet is not the admin of the account.', {
        fix: 'Log in with the current admin wallet.',
      });
    await logIn(req, res, { hash: identity, admin }, form.code);
  };

  const logOut = async (req: Request, res: Response): Promise<void> => {
    const session = await findSession(options, req);
    if (session) {
      readForm(req, csrfForm, session.cookie);
      await closeSession(options.db, session.cookie);
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
