import { runService } from '@latchkey/http';
import { loadConfig, startTriggers } from './index.ts';

await runService(() => startTriggers(loadConfig()));
