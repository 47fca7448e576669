import { unauthorized } from '@latchkey/http';
import { approvePairing, denyPairing, findPendingPairing, GRANTS, TOKEN_DAYS } from '../auth/pairing.ts';
import { pairingBody, pairingNotFound } from '../routes/pairings/shared.ts';
import { html } from './html.ts';
import { accountForm, findVisitor, type Page, parsePairingCode, readForm, sendPage } from './page.ts';

export const showApproval: Page = async (options, req, res) => {
  const code = parsePairingCode(req.query.code);
  const visitor = await findVisitor(options, req);
  if (!visitor) {
    res.redirect(303, code === undefined ? '/login' : `/login?code=${code}`);
    return;
  }
  const pairing = code && (await findPendingPairing(options.db, code));
  if (!pairing) throw pairingNotFound();
  const { label, userCode, address, expiresAt } = pairing;
  sendPage(res, {
    title: 'Approve an agent',
    body: html`<p>An agent wants to use your account. Its name is</p>
<blockquote><bdi>${label}</bdi></blockquote>
<p>Approve only if you started this yourself and your agent shows this code:</p>
<p class="code">${userCode}</p>
<p>${address !== null && html`The request came from the address <code>${address}</code>. `}It expires in
${minutesUntil(expiresAt)}.</p>
<p>For ${TOKEN_DAYS} days, or until you revoke it, the agent can:</p>
<ul>
${GRANTS.map((grant) => html`<li>${grant}</li>`)}
</ul>
<form method="post" action="/agent/authorize">
<input type="hidden" name="code" value="${code}">
<button>Approve</button>
<button formaction="/agent/deny">Deny</button>
</form>
${accountForm(visitor)}`,
  });
};

const decide =
  (review: typeof approvePairing, title: string, outcome: string): Page =>
  async (options, req, res) => {
    const visitor = await findVisitor(options, req);
    if (!visitor) throw unauthorized('You are not logged in.', { fix: 'Log in and try again.' });
    const agent = await review(options.db, readForm(req, pairingBody).code, visitor);
    if (!agent) throw pairingNotFound();
    sendPage(res, {
      title,
      body: html`<p>The agent <bdi>${agent.label}</bdi> (${agent.userCode}) ${outcome}. You can close this page.</p>`,
    });
  };

export const approve = decide(
  approvePairing,
  'Agent approved',
  `can manage your triggers for ${TOKEN_DAYS} days`,
);
export const deny = decide(denyPairing, 'Agent denied', 'has no access');

function minutesUntil(date: Date): string {
  const minutes = Math.max(1, Math.ceil((date.getTime() - Date.now()) / 60_000));
  return minutes === 1 ? 'a minute' : `${minutes} minutes`;
}
