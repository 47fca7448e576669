import type { Context } from '../../context.ts';
import { defineRoute } from '../define-route.ts';
import { readRuns, runList } from './list.ts';
import { matches, searchQuery } from './search.ts';

export const searchRuns = defineRoute({
  method: 'GET',
  path: '/api/runs',
  tag: 'runs',
  summary: 'Searches the runs of all triggers, newest first',
  description: 'A run must match all parameters.',
  auth: 'agentOrSession',
  query: searchQuery,
  reply: runList,
  errors: ['service_unavailable'],
  handle: ({ db }: Pick<Context, 'db'>, { query, caller }) =>
    readRuns(db, query, matches(db, caller.id, query)),
});
