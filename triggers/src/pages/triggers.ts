import { notFound } from '@latchkey/http';
import { and, asc, desc, eq } from 'drizzle-orm';
import type { Request, Response } from 'express';
import { Router } from 'express';
import { formatUnits } from 'viem';
import { z } from 'zod';
import { attempts, runs, triggers } from '../db/schema.ts';
import { type Html, html } from './html.ts';
import { loginPath, named, type PagesContext, type Session, sendPage, sessionOf } from './visit.ts';

const PAGE_SIZE = 50;

/** The triggers of an account and their runs. */
export function triggerPages(context: PagesContext): Router {
  const { db } = context;

  const list = async (req: Request, res: Response, session: Session): Promise<void> => {
    const page = pageOf(req);
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
      body: html`${found.length === 0 && html`<p>There are none here. An agent makes them by POST /api/triggers.</p>`}
<table>
${found.slice(0, PAGE_SIZE).map(
  ({ id, name, kind, enabled, createdAt }) => html`<tr>
<td><a href="/triggers/${id}"><bdi>${name}</bdi></a></td>
<td>${kind}</td>
<td>${enabled ? 'enabled' : 'paused'}</td>
<td>made ${createdAt.toISOString()}</td>
</tr>`,
)}
</table>
${pagesLinks('/', page, found.length)}`,
    });
  };

  const one = async (req: Request, res: Response, session: Session): Promise<void> => {
    const id = idOf(req);
    const { name, kind, enabled } = triggers;
    const [trigger] = await db
      .select({ name, kind, enabled })
      .from(triggers)
      .where(and(eq(triggers.id, id), eq(triggers.userId, session.user.id)));
    if (!trigger) throw notFound('There is no such trigger.');
    const page = pageOf(req);
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
      body: html`<p>${trigger.kind}, ${trigger.enabled ? 'enabled' : 'paused'}</p>
<h2>Runs</h2>
${found.length === 0 && html`<p>There are none here.</p>`}
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
    const id = idOf(req);
    const [found] = await db
      .select({ run: runs, name: triggers.name })
      .from(runs)
      .innerJoin(triggers, eq(triggers.id, runs.triggerId))
      .where(and(eq(runs.id, id), eq(triggers.userId, session.user.id)));
    if (!found) throw notFound('There is no such run.');
    const { run, name } = found;
    const made = await db.select().from(attempts).where(eq(attempts.runId, id)).orderBy(asc(attempts.number));
    const times = {
      accepted: run.createdAt,
      'scheduled for': run.scheduledFor,
      started: run.startedAt,
      finished: run.finishedAt,
      retracted: run.retractedAt,
    };
    sendPage(res, {
      title: 'Run',
      session,
      body: html`<p>Of <a href="/triggers/${run.triggerId}"><bdi>${name}</bdi></a>: <strong>${run.status}</strong>,
${attemptCount(run.attempt)}</p>
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

  const forVisitors = (
    path: string,
    handle: (req: Request, res: Response, session: Session) => Promise<void>,
  ) =>
    named(path, async (req, res) => {
      const session = await sessionOf(context, req);
      if (session) await handle(req, res, session);
      else res.redirect(303, loginPath());
    });
  return Router({ strict: true, caseSensitive: true })
    .get('/', forVisitors('/', list))
    .get('/triggers/:id', forVisitors('/triggers/:id', one))
    .get('/runs/:id', forVisitors('/runs/:id', run));
}

const attemptCount = (count: number): string => (count === 1 ? '1 attempt' : `${count} attempts`);
const pretty = (value: unknown): string => JSON.stringify(value, null, 2);
const section = (title: string, text: string): Html => html`<h2>${title}</h2>
<pre>${text}</pre>`;

function idOf(req: Request): string {
  const { success, data } = z.uuid().safeParse(req.params.id);
  if (!success) throw notFound('There is no such page.');
  return data;
}

/** From 0; what is no page number is the first page. */
const pageOf = ({ query }: Request): number =>
  typeof query.page === 'string' && /^\d{1,6}$/.test(query.page) ? Number(query.page) : 0;

const pagesLinks = (path: string, page: number, found: number): Html => html`<p>
${page > 0 && html`<a href="${path}?page=${page - 1}">Newer</a>`}
${found > PAGE_SIZE && html`<a href="${path}?page=${page + 1}">Older</a>`}
</p>`;
