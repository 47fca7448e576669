export { buildCode, CodeError, readCode } from './code.ts';
export { type Decision, evaluate } from './evaluate.ts';
export { explainPolicy } from './explain.ts';
export { canonicalJson, PolicyFormatError, parsePolicy } from './parse.ts';
export type { Policy } from './policy.ts';
export { readRequest } from './request.ts';
export { RequestError } from './values.ts';
