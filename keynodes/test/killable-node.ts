/**
 * A key node that kills itself (SIGKILL) at the point of a dealing whose label is in the file KILL_AT. It prints every point
 * that it passes: `<action> <round> <stage>`.
 */
import { readFileSync, unlinkSync, writeSync } from 'node:fs';
import { serve } from '@latchkey/http';
import { runService } from '@latchkey/service/run-service';
import express from 'express';
import { createApp } from '../src/app.ts';
import { takeConfig } from '../src/config.ts';
import { type Context, openContext } from '../src/context.ts';

const file = process.env.KILL_AT ?? '';
let action = '';

function pass(stage: string): void {
  if (action === '') return;
  const point = `${action} ${stage}`;
  writeSync(1, `point: ${point}\n`);
  try {
    if (readFileSync(file, 'utf8') !== point) return;
    unlinkSync(file);
  } catch {
    return;
  }
  process.kill(process.pid, 'SIGKILL');
}

function watchPoints({ store, dealings }: Context): void {
  const { change } = store;
  store.change = async (members) => {
    await change(members);
    pass('stored');
  };
  const { run } = dealings;
  dealings.run = async (signed) => {
    const { action: given } = signed.command;
    action = 'round' in given ? `${given.do} ${given.round}` : given.do;
    pass('received');
    const view = await run(signed);
    pass('replying');
    return view;
  };
}

const config = takeConfig();
await runService('keynode', async () => {
  const opened = await openContext(config);
  watchPoints(opened.context);
  const app = express();
  app.use((_request, response, next) => {
    response.once('finish', () => {
      pass('replied');
      action = '';
    });
    next();
  });
  return serve(opened, (context) => app.use(createApp(context)), config);
});
