import { runService } from '@latchkey/service/run-service';
import { startKeyNode, takeConfig } from './index.ts';

await runService('keynode', () => startKeyNode(takeConfig()));
