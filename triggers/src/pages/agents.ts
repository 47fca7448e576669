import { notFound, unauthorized } from '@latchkey/http';
import type { Request, Response } from 'express';
import { Router } from 'express';
import { z } from 'zod';
import { agentId, listAgents, revokeAgent } from '../auth/agents.ts';
import { approvePairing, denyPairing, findPendingPairing, GRANTS, TOKEN_DAYS } from '../auth/pairing.ts';
import { html } from './html.ts';
import {
  csrfForm,
  findSession,
  loginPath,
  type PagesOptions,
  parsePairingCode,
  readForm,
  sendPage,
  time,
  withRoutePath,
} from './shared.ts';

const authorizeForm = csrfForm.extend({ code: z.string() });
const revokeForm = csrfForm.extend({ token_hash: agentId });

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
      body: html`<p>An agent wants to use your account. Its name is</p>
<blockquote><bdi>${pairing.label}</bdi></blockquote>
<p>Approve only if you started this yourself and your agent shows this code:</p>
<p class="code">${pairing.userCode}</p>
<p>It asked ${pairing.address !== null && html`from the address <code>${pairing.address}</code> `}at
${time(pairing.createdAt)}. The request expires in ${minutesUntil(pairing.expiresAt)}.</p>
<p>For ${TOKEN_DAYS} days, or until you revoke it, the agent can:</p>
<ul>
${GRANTS.map((grant) => html`<li>${grant}</li>`)}
</ul>
<form method="post" action="/agent/authorize">
<input type="hidden" name="csrf" value="${session.csrf}">
<input type="hidden" name="code" value="${code}">
<button>Approve</button>
<button formaction="/agent/deny">Deny</button>
</form>`,
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
      body: html`<p>The agent <bdi>${approved.label}</bdi> (${approved.userCode}) can manage your triggers for ${TOKEN_DAYS} days. You can
close this page.</p>`,
    });
  };

  const deny = async (req: Request, res: Response): Promise<void> => {
    const session = await requireSession(req);
    const form = readForm(req, authorizeForm, session.cookie);
    const denied = await denyPairing(db, form.code);
    if (!denied) throw linkNotFound();
    sendPage(res, {
      title: 'Agent denied',
      session,
      body: html`<p>The agent <bdi>${denied.label}</bdi> (${denied.userCode}) has no access. You can close this page.</p>`,
    });
  };

  const list = async (req: Request, res: Response): Promise<void> => {
    const session = await findSession(options, req);
    if (!session) {
      res.redirect(303, loginPath());
      return;
    }
    const agents = await listAgents(db, session.user.id);
    sendPage(res, {
      title: 'Agents',
      session,
      body: html`${agents.length === 0 && html`<p>No agents yet.</p>`}
<ul class="agents">
${agents.map(
  ({ id, label, createdAt, expiresAt, lastUsedAt }) => html`<li>
<strong><bdi>${label}</bdi></strong>
<p>Paired ${time(createdAt)}, valid until ${time(expiresAt)},
${lastUsedAt ? html`last used ${time(lastUsedAt)}` : 'not used yet'}</p>
<form method="post" action="/agents/revoke">
<input type="hidden" name="csrf" value="${session.csrf}">
<input type="hidden" name="token_hash" value="${id}">
<button>Revoke</button>
</form>
</li>`,
)}
</ul>`,
    });
  };

  const revoke = async (req: Request, res: Response): Promise<void> => {
    const session = await requireSession(req);
    const form = readForm(req, revokeForm, session.cookie);
    await revokeAgent(db, session.user.id, form.token_hash);
    res.redirect(303, '/agents');
  };

  return Router({ strict: true, caseSensitive: true })
    .get('/agent/authorize', withRoutePath('/agent/authorize', showApproval))
    .post('/agent/authorize', withRoutePath('/agent/authorize', approve))
    .post('/agent/deny', withRoutePath('/agent/deny', deny))
    .get('/agents', withRoutePath('/agents', list))
    .post('/agents/revoke', withRoutePath('/agents/revoke', revoke));
}

const linkNotFound = () =>
  notFound('This link is unknown, expired, denied or already used.', {
    fix: 'Ask your agent for a new link.',
  });

function minutesUntil(date: Date): string {
  const minutes = Math.max(1, Math.ceil((date.getTime() - Date.now()) / 60_000));
  return minutes === 1 ? 'a minute' : `${minutes} minutes`;
}
