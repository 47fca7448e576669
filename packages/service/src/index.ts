export { type DatabaseAddress, type DatabaseOf, type OpenDatabase, openDatabase } from './database.ts';
export { driverError, isDatabaseUnavailable } from './database-errors.ts';
