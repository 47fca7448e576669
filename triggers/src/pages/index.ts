/** Pages for the browser: login and agents, without JavaScript. Only wallet login needs it. The dashboard has all others. */
import { fileURLToPath } from 'node:url';
import { type Locals, notFound, sendContinue, toHttpError } from '@latchkey/http';
import express, { type ErrorRequestHandler, type RequestHandler, Router } from 'express';
import { mapError } from '../routes/map-error.ts';
import { agentPages } from './agents.ts';
import { html } from './html.ts';
import { loginPages } from './login.ts';
import { acceptsHtml, type PagesOptions, sendPage } from './shared.ts';
import { startPage } from './start.ts';

const FORM_LIMIT_BYTES = 32 * 1024;

export function createPages(options: PagesOptions): Router {
  const router = Router({ strict: true, caseSensitive: true });
  const forms = express.urlencoded({
    extended: false,
    limit: FORM_LIMIT_BYTES,
    parameterLimit: 20,
    inflate: false,
  });
  router.post(
    ['/login/*path', '/logout', '/agent/authorize', '/agent/deny', '/agents/revoke'],
    (req, res, next) => {
      sendContinue(req, res);
      forms(req, res, next);
    },
  );
  router.use(loginPages(options), agentPages(options), startPage(options));
  for (const file of ['style.css', 'login.js'])
    router.get(`/pages/${file}`, (_req, res) => {
      (res.locals as Locals).routePath = `/pages/${file}`;
      res.sendFile(fileURLToPath(new URL(file, import.meta.url)), { cacheControl: false });
    });
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
<p><a href="/login">Log in</a> or <a href="/">go to the start page</a>.</p>
<p>Request ${requestId}</p>`,
  });
};

/** Sends browsers a page for an unknown path. Other clients get the error body of the API. */
export const sendUnknownPath: RequestHandler = (req, res, next) => {
  if (req.accepts(['json', 'html']) === 'html')
    sendErrorPage(notFound('There is no such page.'), req, res, next);
  else next();
};
