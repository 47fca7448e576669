export { apiKeyFromHeaders, requestKeyHash, requireApiKey } from './api-key.ts';
export type { Authenticator, SecurityScheme } from './authenticator.ts';
export { type BodyLimits, DEFAULT_BODY_LIMITS } from './body-budget.ts';
export { clientNetwork } from './client-network.ts';
export {
  address,
  addressOrWildcard,
  cid,
  cidOrWildcard,
  decimal,
  derivationPath,
  description,
  groupId,
  hash,
  hashOrWildcard,
  hexBytes,
  instant,
  name,
  newKeyHash,
  pageQuery,
  queryInteger,
  unixSeconds,
  usageKeyHash,
  wireCodec,
} from './codecs.ts';
export { createConcurrencyLimit } from './concurrency-limit.ts';
export { decodeParts, isDeeperThan } from './decode.ts';
export {
  badRequest,
  conflict,
  type ErrorBody,
  type ErrorCode,
  errorStatus,
  forbidden,
  gone,
  HttpError,
  invalidJson,
  notFound,
  payloadTooLarge,
  paymentRequired,
  serviceUnavailable,
  toHttpError,
  tooManyRequests,
  unauthorized,
  unprocessableEntity,
} from './errors.ts';
export { live, partHealth } from './health.ts';
export { type Claim, type IdempotencyStore, idempotencyIdOf, type StoredReply } from './idempotency.ts';
export { type Listening, listen } from './listen.ts';
export type { EndedRequest } from './log-requests.ts';
export { metricsApp } from './metrics.ts';
export { type MountOptions, mount } from './mount.ts';
export { type ApiInfo, openapiDocument } from './openapi.ts';
export {
  type BadRequestLimit,
  countMisses,
  createAddressLimit,
  createBadRequestLimit,
  createPacedLimit,
  createRateLimit,
  type RateLimit,
} from './rate-limit.ts';
export { rateLimitHeaders, rateLimitReplyHeaders } from './rate-limit-headers.ts';
export { sendContinue } from './receive-body.ts';
export type { Locals } from './request-locals.ts';
export { createRequestTurns } from './request-turns.ts';
export {
  type AnyRoute,
  type ContextOf,
  EncodedReply,
  type Input,
  type Route,
  routeDefiner,
  TextReply,
} from './route.ts';
export { type Opened, type Served, serve } from './serve.ts';
export { type HttpConfig, httpConfig, httpSettings } from './settings.ts';
