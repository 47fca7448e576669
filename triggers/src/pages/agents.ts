import { notFound, unauthorized } from '@latchkey/http';
import { and, desc, eq, gt, sql } from 'drizzle-orm';
import type { Request, Response } from 'express';
import { Router } from 'express';
import { z } from 'zod';
import { approvePairing, waitingPairing } from '../auth/pairing.ts';
import { agentTokens } from '../db/schema.ts';
import { html } from './html.ts';
import {
  codeIn,
  csrfForm,
  formOf,
  loginPath,
  named,
  type PagesContext,
  sendPage,
  sessionOf,
} from './visit.ts';

const authorizeForm = csrfForm.extend({ code: z.string() });
const revokeForm = csrfForm.extend({ token_hash: z.string() });

/** Approve agents and cut them off. */
export function agentPages(context: PagesContext): Router {
  const { db } = context;
  const loggedIn = async (req: Request) => {
    const session = await sessionOf(context, req);
    if (!session) throw unauthorized('You are not logged in.', { fix: 'Log in, then try again.' });
    return session;
  };

  const ask = async (req: Request, res: Response): Promise<void> => {
    const code = codeIn(req.query.code);
    const session = await sessionOf(context, req);
    if (!session) {
      res.redirect(303, loginPath(code));
      return;
    }
    const pairing = code && (await waitingPairing(db, code));
    if (!pairing) throw linkIsGone();
    sendPage(res, {
      title: 'Approve an agent',
      session,
      body: html`<p>An agent asks to manage the triggers of your account. It calls itself</p>
<blockquote><bdi>${pairing.label}</bdi></blockquote>
<p>Approve only if you started this yourself and your agent shows this code:</p>
<p class="code">${pairing.userCode}</p>
<form method="post" action="/agent/authorize">
<input type="hidden" name="csrf" value="${session.csrf}">
<input type="hidden" name="code" value="${code}">
<button>Approve</button>
</form>
<p>Otherwise close this page: the request ends by itself.</p>`,
    });
  };

  const approve = async (req: Request, res: Response): Promise<void> => {
    const session = await loggedIn(req);
    const form = formOf(req, authorizeForm, session.cookie);
    const approved = await approvePairing(db, form.code, session.user);
    if (!approved) throw linkIsGone();
    sendPage(res, {
      title: 'Approved',
      session,
      body: html`<p>The agent <bdi>${approved.label}</bdi> (${approved.userCode}) may manage your triggers for 90 days. You can
close this page.</p>`,
    });
  };

  const list = async (req: Request, res: Response): Promise<void> => {
    const session = await sessionOf(context, req);
    if (!session) {
      res.redirect(303, loginPath());
      return;
    }
    const agents = await db
      .select()
      .from(agentTokens)
      .where(and(eq(agentTokens.userId, session.user.id), gt(agentTokens.expiresAt, sql`now()`)))
      .orderBy(desc(agentTokens.createdAt));
    sendPage(res, {
      title: 'Agents',
      session,
      body: html`${agents.length === 0 && html`<p>No agent is paired.</p>`}
<table>
${agents.map(
  ({ label, createdAt, expiresAt, tokenHash }) => html`<tr>
<td><bdi>${label}</bdi></td>
<td>paired ${createdAt.toISOString()}</td>
<td>until ${expiresAt.toISOString()}</td>
<td><form method="post" action="/agents/revoke">
<input type="hidden" name="csrf" value="${session.csrf}">
<input type="hidden" name="token_hash" value="${tokenHash}">
<button>Revoke</button>
</form></td>
</tr>`,
)}
</table>`,
    });
  };

  const revoke = async (req: Request, res: Response): Promise<void> => {
    const session = await loggedIn(req);
    const form = formOf(req, revokeForm, session.cookie);
    await db
      .delete(agentTokens)
      .where(and(eq(agentTokens.tokenHash, form.token_hash), eq(agentTokens.userId, session.user.id)));
    res.redirect(303, '/agents');
  };

  return Router({ strict: true, caseSensitive: true })
    .get('/agent/authorize', named('/agent/authorize', ask))
    .post('/agent/authorize', named('/agent/authorize', approve))
    .get('/agents', named('/agents', list))
    .post('/agents/revoke', named('/agents/revoke', revoke));
}

const linkIsGone = () =>
  notFound('This link is unknown, expired or used.', { fix: 'Let your agent make a new one.' });
