export { createDatabase, dropDatabase, ensureDatabase, withClient, withLock } from './databases.ts';
export { PostgresError } from './errors.ts';
export { type PostgresServer, prepareServer, type ServerOptions } from './server.ts';
export { type RunningPostgres, startPostgres } from './start.ts';
