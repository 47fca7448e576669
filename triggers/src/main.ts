import { runService } from '@latchkey/service/run-service';
import { startTriggers, takeConfig } from './index.ts';

await runService('triggers', () => startTriggers(takeConfig()));
