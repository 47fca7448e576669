import { notFound, unauthorized } from '@latchkey/http';
import { and, desc, eq, gt, sql } from 'drizzle-orm';
import type { Request, Response } from 'express';
import { Router } from 'express';
import { z } from 'zod';
import { approvePairing, findPendingPairing } from '../auth/pairing.ts';
import { agentTokens } from '../db/schema.ts';
import { html } from './html.ts';
import {
  csrfForm,
  findSession,
  loginPath,
  type PagesOptions,
  parsePairingCode,
  readForm,
  sendPage,
  withRoutePath,
} from './shared.ts';

const authorizeForm = csrfForm.extend({ code: z.string() });
const revokeForm = csrfForm.extend({ token_hash: z.string() });

/** Pages to approve, list and revoke agents. */
export function agentPages(options: PagesOptions): Router {
  const { db } = options;
  const requireSession = async (req: Request) => {
    const session = await findSession(options, req);
    if (!session) throw unauthorized('You are not logged in.', { fix: 'Log in and try again.' });
    return session;
  };

  const showApproval = async (req: Request, res: Response): Promise<void> => {
    const code = parsePairingCode(req.query.code);
    const session = await findSession(options, req);
    if (!session) {
      res.redirect(303, loginPath(code));
      return;
    }
    const pairing = code && (await findPendingPairing(db, code));
    if (!pairing) throw linkNotFound();
    sendPage(res, {
      title: 'Approve an agent',
      session,
      body: html`<p>An agent wants to manage the triggers of your account. Its name is</p>
<blockquote><bdi>${pairing.label}</bdi></blockquote>
<p>Approve only if you started this yourself and your agent shows this code:</p>
<p class="code">${pairing.userCode}</p>
<form method="post" action="/agent/authorize">
<input type="hidden" name="csrf" value="${session.csrf}">
<input type="hidden" name="code" value="${code}">
<button>Approve</button>
</form>
<p>Otherwise close this page. The request expires after ten minutes.</p>`,
    });
  };

  const approve = async (req: Request, res: Response): Promise<void> => {
    const session = await requireSession(req);
    const form = readForm(req, authorizeForm, session.cookie);
    const approved = await approvePairing(db, form.code, session.user);
    if (!approved) throw linkNotFound();
    sendPage(res, {
      title: 'Agent approved',
      session,
      body: html`<p>The agent <bdi>${approved.label}</bdi> (${approved.userCode}) can manage your triggers for 90 days. You can
close this page.</p>`,
    });
  };

  const list = async (req: Request, res: Response): Promise<void> => {
    const session = await findSession(options, req);
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
      body: html`${agents.length === 0 && html`<p>No agents yet.</p>`}
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
    const session = await requireSession(req);
    const form = readForm(req, revokeForm, session.cookie);
    await db
      .delete(agentTokens)
      .where(and(eq(agentTokens.tokenHash, form.token_hash), eq(agentTokens.userId, session.user.id)));
    res.redirect(303, '/agents');
  };

  return Router({ strict: true, caseSensitive: true })
    .get('/agent/authorize', withRoutePath('/agent/authorize', showApproval))
    .post('/agent/authorize', withRoutePath('/agent/authorize', approve))
    .get('/agents', withRoutePath('/agents', list))
    .post('/agents/revoke', withRoutePath('/agents/revoke', revoke));
}

const linkNotFound = () =>
  notFound('This link is unknown, expired or already used.', { fix: 'Ask your agent for a new link.' });
