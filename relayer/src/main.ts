import { runService } from '@latchkey/service/run-service';
import { startRelayer, takeConfig } from './index.ts';

await runService('relayer', () => startRelayer(takeConfig()));
