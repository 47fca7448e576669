export {
  API_KEY_BYTES,
  accountWalletAddress,
  apiKeyFromBytes,
  apiKeyHash,
  apiKeyToBytes,
  isApiKey,
} from './api-key.ts';
export { cidHash, cidOf, MAX_CID_LENGTH, parseCid } from './cid.ts';
export { type Deployment, parseDeployment } from './deployment.ts';
export { accountConfigAbi } from './generated/abi.ts';
export { walletIdentity } from './wallet-identity.ts';
