import { notFound } from '@latchkey/http';
import { and, asc, desc, eq } from 'drizzle-orm';
import type { Request, Response } from 'express';
import { Router } from 'express';
import { formatUnits } from 'viem';
import { z } from 'zod';
import { attempts, runs, triggers } from '../db/schema.ts';
import { finalStatus, ownRun } from '../routes/runs/record.ts';
import { stopRun } from '../runs/stop.ts';
import { type Html, html } from './html.ts';
import {
  csrfForm,
  findSession,
  loginPath,
  type PagesOptions,
  readForm,
  type Session,
  sendPage,
  withRoutePath,
} from './shared.ts';

const PAGE_SIZE = 50;
/** The page of a run that has not ended shows its output so often. */
const REFRESH_SEC = 2;

/** Pages of an account's triggers and their runs. */
export function triggerPages(options: PagesOptions): Router {
  const { db } = options;

  const list = async (req: Request, res: Response, session: Session): Promise<void> => {
    const page = readPageNumber(req);
    const { id, name, kind, enabled, createdAt } = triggers;
    const found = await db
      .select({ id, name, kind, enabled, createdAt })
      .from(triggers)
      .where(eq(triggers.userId, session.user.id))
      .orderBy(desc(triggers.createdAt), triggers.id)
      .limit(PAGE_SIZE + 1)
      .offset(page * PAGE_SIZE);
    sendPage(res, {
      title: 'Triggers',
      session,
      body: html`${found.length === 0 && html`<p>No triggers yet. Agents create them with POST /api/triggers.</p>`}
<table>
${found.slice(0, PAGE_SIZE).map(
  ({ id, name, kind, enabled, createdAt }) => html`<tr>
<td><a href="/triggers/${id}"><bdi>${name}</bdi></a></td>
<td>${kind}</td>
<td>${enabled ? 'enabled' : 'paused'}</td>
<td>created ${createdAt.toISOString()}</td>
</tr>`,
)}
</table>
${pagesLinks('/', page, found.length)}`,
    });
  };

  const one = async (req: Request, res: Response, session: Session): Promise<void> => {
    const id = readId(req);
    const { name, kind, enabled, pausedReason, heldUntil } = triggers;
    const [trigger] = await db
      .select({ name, kind, enabled, pausedReason, heldUntil })
      .from(triggers)
      .where(and(eq(triggers.id, id), eq(triggers.userId, session.user.id)));
    if (!trigger) throw notFound('Trigger not found.');
    const page = readPageNumber(req);
    const { status, attempt, error, createdAt } = runs;
    const found = await db
      .select({ id: runs.id, status, attempt, error, createdAt })
      .from(runs)
      .where(eq(runs.triggerId, id))
      .orderBy(desc(runs.createdAt), runs.id)
      .limit(PAGE_SIZE + 1)
      .offset(page * PAGE_SIZE);
    sendPage(res, {
      title: trigger.name,
      session,
      body: html`<p>${trigger.kind}, ${describeState(trigger)}</p>
<h2>Runs</h2>
${found.length === 0 && html`<p>No runs yet.</p>`}
<table>
${found.slice(0, PAGE_SIZE).map(
  (run) => html`<tr>
<td><a href="/runs/${run.id}">${run.createdAt.toISOString()}</a></td>
<td>${run.status}</td>
<td>${attemptCount(run.attempt)}</td>
<td>${run.error?.message.slice(0, 200)}</td>
</tr>`,
)}
</table>
${pagesLinks(`/triggers/${id}`, page, found.length)}`,
    });
  };

  const run = async (req: Request, res: Response, session: Session): Promise<void> => {
    const id = readId(req);
    const [found] = await db
      .select({ run: runs, name: triggers.name })
      .from(runs)
      .innerJoin(triggers, eq(triggers.id, runs.triggerId))
      .where(and(eq(runs.id, id), eq(triggers.userId, session.user.id)));
    if (!found) throw notFound('Run not found.');
    const { run, name } = found;
    const made = await db.select().from(attempts).where(eq(attempts.runId, id)).orderBy(asc(attempts.number));
    const times = {
      accepted: run.createdAt,
      'scheduled for': run.scheduledFor,
      started: run.startedAt,
      finished: run.finishedAt,
      retracted: run.retractedAt,
    };
    const isEnded = finalStatus.safeParse(run.status).success;
    sendPage(res, {
      title: 'Run',
      session,
      refreshSec: isEnded ? undefined : REFRESH_SEC,
      body: html`<p>Run of <a href="/triggers/${run.triggerId}"><bdi>${name}</bdi></a>: <strong>${run.status}</strong>,
${attemptCount(run.attempt)}</p>
${
  !isEnded &&
  html`<form method="post" action="/runs/${id}/stop">
<input type="hidden" name="csrf" value="${session.csrf}">
<button>Stop</button>
</form>`
}
<table>
${Object.entries(times).map(
  ([what, time]) => time && html`<tr><th>${what}</th><td>${time.toISOString()}</td></tr>`,
)}
</table>
${run.costMicros !== null && html`<p>Cost: ${formatUnits(BigInt(run.costMicros), 6)} credits</p>`}
${run.error && section('Error', run.error.stack ?? `${run.error.name}: ${run.error.message}`)}
${run.status === 'success' && section('Response', pretty(run.response))}
${run.logs && section('Logs', run.logs)}
${section('Input', pretty(run.input))}
<h2>Attempts</h2>
<table>
${made.map(
  (attempt) => html`<tr>
<td>${attempt.number}</td>
<td>${attempt.startedAt.toISOString()}</td>
<td>${attempt.finishedAt.getTime() - attempt.startedAt.getTime()} ms</td>
<td>${attempt.httpStatus === 0 ? 'no reply' : `status ${attempt.httpStatus}`}</td>
<td>${attempt.message}</td>
</tr>`,
)}
</table>`,
    });
  };

  const stop = async (req: Request, res: Response, session: Session): Promise<void> => {
    readForm(req, csrfForm, session.cookie);
    const { id } = await ownRun(options, readId(req), session.user);
    await stopRun(options, id);
    res.redirect(303, `/runs/${id}`);
  };

  const requireSession = (
    path: string,
    handle: (req: Request, res: Response, session: Session) => Promise<void>,
  ) =>
    withRoutePath(path, async (req, res) => {
      const session = await findSession(options, req);
      if (session) await handle(req, res, session);
      else res.redirect(303, loginPath());
    });
  return Router({ strict: true, caseSensitive: true })
    .get('/', requireSession('/', list))
    .get('/triggers/:id', requireSession('/triggers/:id', one))
    .get('/runs/:id', requireSession('/runs/:id', run))
    .post('/runs/:id/stop', requireSession('/runs/:id/stop', stop));
}

const attemptCount = (count: number): string => (count === 1 ? '1 attempt' : `${count} attempts`);
const pretty = (value: unknown): string => JSON.stringify(value, null, 2);
const section = (title: string, text: string): Html => html`<h2>${title}</h2>
<pre>${text}</pre>`;

function readId(req: Request): string {
  const { success, data } = z.uuid().safeParse(req.params.id);
  if (!success) throw notFound('Page not found.');
  return data;
}

/** Parses the page number, from 0. Malformed numbers are page 0. */
const readPageNumber = ({ query }: Request): number =>
  typeof query.page === 'string' && /^\d{1,6}$/.test(query.page) ? Number(query.page) : 0;

const pagesLinks = (path: string, page: number, found: number): Html => html`<p>
${page > 0 && html`<a href="${path}?page=${page - 1}">Newer</a>`}
${found > PAGE_SIZE && html`<a href="${path}?page=${page + 1}">Older</a>`}
</p>`;

type TriggerState = Pick<typeof triggers.$inferSelect, 'enabled' | 'pausedReason' | 'heldUntil'>;

function describeState({ enabled, pausedReason, heldUntil }: TriggerState): string {
  if (!enabled) return pausedReason === null ? 'paused' : `paused by the service. ${pausedReason}`;
  const isHeld = heldUntil !== null && heldUntil > new Date();
  return isHeld ? 'enabled. Its runs wait for credit of the account.' : 'enabled';
}
