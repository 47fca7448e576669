/** Pages for the browser: login and approval of agents. Only wallet login needs JavaScript. The dashboard has all other pages. */
import { fileURLToPath } from 'node:url';
import { type Locals, sendContinue, toHttpError } from '@latchkey/http';
import express, { type ErrorRequestHandler, type RequestHandler, Router } from 'express';
import { refuseOtherOrigins } from '../auth/browser.ts';
import { mapError } from '../routes/map-error.ts';
import { approve, deny, showApproval } from './approval.ts';
import { html } from './html.ts';
import { logOut, openLogin, sendMessage, showLogin } from './login.ts';
import { acceptsHtml, type Page, type PagesOptions, sendPage } from './page.ts';

const FORM_LIMIT_BYTES = 32 * 1024;

const toLogin: Page = async (_options, _req, res) => res.redirect(303, '/login');

const shown: Record<string, Page> = {
  '/': toLogin,
  '/login': showLogin,
  '/agent/authorize': showApproval,
};
const posted: Record<string, Page> = {
  '/login': openLogin,
  '/login/message': sendMessage,
  '/logout': logOut,
  '/agent/authorize': approve,
  '/agent/deny': deny,
};

export function createPages(options: PagesOptions): Router {
  const router = Router({ strict: true, caseSensitive: true });
  const parseForm = express.urlencoded({
    extended: false,
    limit: FORM_LIMIT_BYTES,
    parameterLimit: 20,
    inflate: false,
  });
  const readBody: RequestHandler = (req, res, next) => {
    refuseOtherOrigins(req, options.publicUrl());
    sendContinue(req, res);
    parseForm(req, res, next);
  };
  /** Sets the route path for logs and metrics. */
  const serve =
    (path: string, page: Page): RequestHandler =>
    (req, res) => {
      (res.locals as Locals).routePath = path;
      return page(options, req, res);
    };
  for (const [path, page] of Object.entries(shown)) router.get(path, serve(path, page));
  for (const [path, page] of Object.entries(posted)) router.post(path, readBody, serve(path, page));
  for (const file of ['style.css', 'login.js']) {
    const path = fileURLToPath(new URL(file, import.meta.url));
    const sendFile: Page = async (_options, _req, res) => res.sendFile(path, { cacheControl: false });
    router.get(`/pages/${file}`, serve(`/pages/${file}`, sendFile));
  }
  router.use(sendErrorPage);
  return router;
}

/** Sends an error page, or the error body of the API to clients that accept only JSON. */
const sendErrorPage: ErrorRequestHandler = (thrown, req, res, next) => {
  const error = toHttpError(mapError(thrown));
  if (res.headersSent || !acceptsHtml(req)) {
    next(error);
    return;
  }
  const { log, requestId } = res.locals as Locals;
  (res.locals as Locals).errorCode = error.code;
  if (error.status >= 500) log.error({ err: error }, error.message);
  if (error.retryAfterSec !== undefined) res.set('Retry-After', String(Math.ceil(error.retryAfterSec)));
  sendPage(res, {
    title: 'Request failed',
    status: error.status,
    body: html`<p role="alert">${error.status >= 500 ? 'The service is temporarily unavailable.' : error.message}</p>
${error.fix && html`<p>${error.fix}</p>`}
<p><a href="/login">Log in</a></p>
<p>Request ${requestId}</p>`,
  });
};
