export { buildCode, CodeError, readCode } from './code.ts';
export { type Candidate, type Decision, evaluate, type Use } from './evaluate.ts';
export { explainPolicy } from './explain.ts';
export { canonicalJson, PolicyFormatError, parsePolicy } from './parse.ts';
export type { Policy, Rule } from './policy.ts';
export { type Request, readRequest, requestKinds } from './request.ts';
export { RequestError } from './values.ts';
