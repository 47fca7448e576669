/** The small pages of the service, for people: they work without JavaScript but for the login with a wallet. */
import { fileURLToPath } from 'node:url';
import { type Locals, sendContinue, toHttpError } from '@latchkey/http';
import express, { type ErrorRequestHandler, Router } from 'express';
import { mapError } from '../routes/map-error.ts';
import { agentPages } from './agents.ts';
import { html } from './html.ts';
import { loginPages } from './login.ts';
import { triggerPages } from './triggers.ts';
import { type PagesContext, sendPage } from './visit.ts';

const FORM_LIMIT_BYTES = 32 * 1024;

export function createPages(context: PagesContext): Router {
  const router = Router({ strict: true, caseSensitive: true });
  const forms = express.urlencoded({
    extended: false,
    limit: FORM_LIMIT_BYTES,
    parameterLimit: 20,
    inflate: false,
  });
  router.post(['/login/*path', '/logout', '/agent/authorize', '/agents/revoke'], (req, res, next) => {
    sendContinue(req, res);
    forms(req, res, next);
  });
  router.use(loginPages(context), agentPages(context), triggerPages(context));
  for (const file of ['style.css', 'login.js'])
    router.get(`/pages/${file}`, (_req, res) => {
      (res.locals as Locals).routePath = `/pages/${file}`;
      res.sendFile(fileURLToPath(new URL(file, import.meta.url)), { cacheControl: false });
    });
  router.use(sendErrorPage);
  return router;
}

/** A page that says what went wrong; whoever asks for JSON gets the error body of the API. */
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
    title: 'That did not work',
    status: error.status,
    body: html`<p role="alert">${error.status >= 500 ? 'The service cannot do this now.' : error.message}</p>
${error.fix && html`<p>${error.fix}</p>`}
<p><a href="/login">Log in</a> or <a href="/">go to your triggers</a>.</p>
<p>Request ${requestId}</p>`,
  });
};
