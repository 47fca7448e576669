/** Pages for the browser. Only wallet login needs JavaScript. */
import { fileURLToPath } from 'node:url';
import { type Locals, sendContinue, toHttpError } from '@latchkey/http';
import express, { type ErrorRequestHandler, Router } from 'express';
import { mapError } from '../routes/map-error.ts';
import { agentPages } from './agents.ts';
import { html } from './html.ts';
import { loginPages } from './login.ts';
import { type PagesOptions, sendPage } from './shared.ts';
import { triggerPages } from './triggers.ts';

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
    ['/login/*path', '/logout', '/agent/authorize', '/agents/revoke', '/runs/:id/stop'],
    (req, res, next) => {
      sendContinue(req, res);
      forms(req, res, next);
    },
  );
  router.use(loginPages(options), agentPages(options), triggerPages(options));
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
  if (res.headersSent || req.accepts(['html', 'json']) === 'json') {
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
<p><a href="/login">Log in</a> or <a href="/">go to your triggers</a>.</p>
<p>Request ${requestId}</p>`,
  });
};
