import { z } from 'zod';
import { acceptSchedule, nextRuns, schedule } from '../../sources/schedule.ts';
import { defineRoute } from '../define-route.ts';

export const previewSchedule = defineRoute({
  method: 'POST',
  path: '/api/preview_schedule',
  tag: 'triggers',
  summary: 'Shows when a schedule would fire',
  description: 'Refuses a config that a new trigger could not have. Stores nothing.',
  auth: 'agentOrSession',
  body: z.object({ config: schedule.config }),
  reply: z.object({ next_runs: z.array(z.iso.datetime()).meta({ description: 'Next five slots.' }) }),
  errors: ['service_unavailable'],
  example: {
    body: { config: { cron: '0 9 * * *', timezone: 'Europe/Berlin' } },
    reply: { next_runs: ['2026-11-02T08:00:00.000Z'] },
  },
  handle: async (_context: object, { body }) => ({ next_runs: nextRuns(acceptSchedule(body.config)) }),
});
