import { createLogger } from '@latchkey/service/logger';
import { runService } from '@latchkey/service/run-service';
import { loadConfig, serveDashboard } from './index.ts';

await runService('dashboard', async () => {
  const server = await serveDashboard(loadConfig());
  createLogger({ name: 'dashboard' }).info({ url: server.url }, 'ready');
  return server;
});
