import { Router } from 'express';
import { html } from './html.ts';
import {
  dashboardLink,
  findSession,
  loginPath,
  type PagesOptions,
  sendPage,
  withRoutePath,
} from './shared.ts';

/** The page `/`: what the pages of this service can do. */
export function startPage(options: PagesOptions): Router {
  return Router({ strict: true, caseSensitive: true }).get(
    '/',
    withRoutePath('/', async (req, res) => {
      const session = await findSession(options, req);
      if (!session) {
        res.redirect(303, loginPath());
        return;
      }
      sendPage(res, {
        title: 'Trigger service',
        session,
        body: html`${dashboardLink(options.config)}
<p><a href="/agents">Agents</a> that can use your account.</p>
<p><a href="/api/swagger-ui">The API</a> manages triggers and runs.</p>`,
      });
    }),
  );
}
