import { z } from 'zod';
import type { Context } from '../../context.ts';
import { defineRoute, prefix } from '../define-route.ts';

const route = (path: string) =>
  defineRoute({
    method: 'GET',
    path,
    tag: 'service',
    summary: 'Returns the version of the relayer',
    auth: 'none',
    reply: z.object({ name: z.string(), version: z.string(), commit: z.string() }),
    handle: ({ version }: Pick<Context, 'version'>) => version,
  });

export const version = route(`${prefix}/version`);
export const versionOutsideOfPrefix = route('/version');
