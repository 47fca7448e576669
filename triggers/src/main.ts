import { runService } from '@latchkey/http';
import { startTriggers, takeConfig } from './index.ts';

await runService(() => startTriggers(takeConfig()));
