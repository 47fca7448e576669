import { runService } from '@latchkey/http';
import { loadConfig, startRelayer } from './index.ts';

await runService(() => startRelayer(loadConfig()));
