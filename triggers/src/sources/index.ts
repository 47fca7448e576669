import type { TriggerKind } from '../db/schema.ts';
import { chainBlock } from './chain-block.ts';
import { chainEvent } from './chain-event.ts';
import { schedule } from './schedule.ts';
import type { Source } from './source.ts';
import { webhook } from './webhook.ts';

export const sources: Record<TriggerKind, Source> = {
  webhook,
  schedule,
  chain_event: chainEvent,
  chain_block: chainBlock,
};
