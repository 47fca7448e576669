export { DirectoryInUseError } from './directory-lock.ts';
export { driverError, isDatabaseUnavailable } from './errors.ts';
export { type DatabaseOf, type OpenDatabase, openDatabase, type Where, whereOf } from './open.ts';
