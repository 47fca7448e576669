import { runService } from '@latchkey/http';
import { startRelayer, takeConfig } from './index.ts';

await runService(() => startRelayer(takeConfig()));
