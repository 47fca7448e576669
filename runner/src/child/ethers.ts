/** ethers v5, which rejects with the `FetchBlockedError` of its fetch, and the `RpcError` of its provider, instead of an error of its own. */
import { ethers } from 'ethers';
import { lastRefusal } from './fetch.ts';

const isRefusal = (value: unknown): value is Error =>
  value instanceof Error && (value.name === 'FetchBlockedError' || value.name === 'RpcError');

const { prototype } = ethers.utils.Logger;
const { makeError } = prototype;
/** Every error of ethers is made here. It keeps the error that it replaces, except that of a network without a chain id. */
prototype.makeError = function (message, code, params) {
  const replaced = params?.event === 'noNetwork' ? lastRefusal() : (params?.serverError ?? params?.error);
  return isRefusal(replaced) ? replaced : makeError.call(this, message, code, params);
};

export { ethers };
