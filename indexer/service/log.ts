import { createLogger } from '@latchkey/service/logger';

export const log = createLogger({ name: 'indexer' });
