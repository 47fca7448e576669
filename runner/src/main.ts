import { runService } from '@latchkey/service/run-service';
import { startRunner, takeConfig } from './index.ts';

await runService('runner', () => startRunner(takeConfig()));
