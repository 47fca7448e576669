/** The part of the package that is in the code of actions. It needs no library. */
export { evaluate } from './evaluate.ts';
export type { Policy } from './policy.ts';
export {
  type AuthorizationRequest,
  type HashRequest,
  type MessageRequest,
  type Request,
  readRequest,
  type TransactionRequest,
  type TypedDataRequest,
} from './request.ts';
