import type { Context } from '../context.ts';
import { dealingView } from '../dealing/view.ts';
import { defineRoute } from './define-route.ts';

export const getDealing = defineRoute({
  method: 'GET',
  path: '/v1/dealing',
  tag: 'dealing',
  summary: 'Returns the state of the dealing of this node, without its messages',
  auth: 'none',
  reply: dealingView,
  handle: ({ dealings }: Pick<Context, 'dealings'>) => dealings.view(),
});
