/** Stand-ins for AWS KMS, Google Cloud KMS with its metadata server, and Web3Signer, which sign with real keys. */
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { bytesToHex, type Hex, hexToBytes, keccak256 } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';

export const AWS = { region: 'eu-west-1', accessKeyId: 'AKIASTANDIN', keyId: 'alias/payer' };
export const GCP_KEY = 'projects/p/locations/eu/keyRings/r/cryptoKeys/k/cryptoKeyVersions/1';
const TOKEN = 'ya29.stand-in';
/** The header of a public key on secp256k1 in DER. */
const SPKI = Buffer.from('3056301006072a8648ce3d020106052b8104000a034200', 'hex');
const { Signature } = secp256k1;
const ORDER = secp256k1.Point.Fn.ORDER;

/** How a service misbehaves: it signs with another key or other bytes, returns the higher s, refuses, returns no signature, or hangs. */
export type Fault = 'other key' | 'other bytes' | 'high s' | 'refusal' | 'no signature' | 'silence';
type Reply = { status: number; body: unknown };
type Request = { method: string; path: string; headers: IncomingMessage['headers']; body: string };

const ok = (body: unknown): Reply => ({ status: 200, body });
const refused: Reply = { status: 403, body: { __type: 'AccessDeniedException', message: 'secret reason' } };

/** The services on one port, all with the same key. */
export async function startSignerStandIns(key: Hex) {
  const standIn = { url: '', fault: undefined as Fault | undefined, signed: 0 };
  const publicKey = secp256k1.getPublicKey(hexToBytes(key), false);
  const spki = Buffer.concat([SPKI, publicKey]);

  /** Signs 32 bytes, with the fault. */
  const sign = (hash: Uint8Array) => {
    standIn.signed++;
    const used = standIn.fault === 'other key' ? secp256k1.utils.randomSecretKey() : hexToBytes(key);
    const bytes = standIn.fault === 'other bytes' ? hexToBytes(keccak256(hash)) : hash;
    const { r, s } = Signature.fromBytes(secp256k1.sign(bytes, used, { prehash: false }));
    return new Signature(r, standIn.fault === 'high s' ? ORDER - s : s);
  };
  const der = (hash: string): string => {
    const bytes =
      standIn.fault === 'no signature' ? Buffer.from('30') : sign(Buffer.from(hash, 'base64')).toBytes('der');
    return Buffer.from(bytes).toString('base64');
  };

  const aws = ({ headers, body }: Request): Reply => {
    const scope = `AWS4-HMAC-SHA256 Credential=${AWS.accessKeyId}/\\d{8}/${AWS.region}/kms/aws4_request`;
    const authorization = new RegExp(`^${scope}, SignedHeaders=[a-z0-9;-]+, Signature=[0-9a-f]{64}$`);
    if (!authorization.test(headers.authorization ?? '')) return refused;
    const asked = JSON.parse(body);
    if (asked.KeyId !== AWS.keyId) return { status: 400, body: { __type: 'NotFoundException' } };
    if (headers['x-amz-target'] === 'TrentService.GetPublicKey')
      return ok({ KeyId: asked.KeyId, KeySpec: 'ECC_SECG_P256K1', PublicKey: spki.toString('base64') });
    const isDigest = asked.MessageType === 'DIGEST' && asked.SigningAlgorithm === 'ECDSA_SHA_256';
    if (headers['x-amz-target'] !== 'TrentService.Sign' || !isDigest) return refused;
    return ok({
      KeyId: asked.KeyId,
      Signature: der(asked.Message),
      SigningAlgorithm: asked.SigningAlgorithm,
    });
  };
  const gcp = ({ method, path, headers, body }: Request): Reply => {
    if (headers.authorization !== `Bearer ${TOKEN}`) return { status: 401, body: {} };
    if (method === 'GET' && path === `/v1/${GCP_KEY}/publicKey`) {
      const pem = `-----BEGIN PUBLIC KEY-----\n${spki.toString('base64')}\n-----END PUBLIC KEY-----\n`;
      return ok({ pem, algorithm: 'EC_SIGN_SECP256K1_SHA256' });
    }
    if (method !== 'POST' || path !== `/v1/${GCP_KEY}:asymmetricSign`) return { status: 404, body: {} };
    return ok({ name: GCP_KEY, signature: der(JSON.parse(body).digest.sha256) });
  };
  const web3Signer = ({ method, path, body }: Request): Reply => {
    const identifier = bytesToHex(publicKey.subarray(1));
    if (method === 'GET' && path === '/api/v1/eth1/publicKeys') return ok([identifier]);
    if (method !== 'POST' || path !== `/api/v1/eth1/sign/${identifier}`) return { status: 404, body: '' };
    if (standIn.fault === 'no signature') return ok('0x');
    const bytes = sign(hexToBytes(keccak256(JSON.parse(body).data))).toBytes('compact');
    return ok(`${bytesToHex(bytes)}1b`);
  };
  const reply = (request: Request): Reply => {
    if (request.path.startsWith('/computeMetadata/'))
      return ok(
        request.path.includes('/token')
          ? { access_token: TOKEN, expires_in: 3_600, token_type: 'Bearer' }
          : 'googleapis.com',
      );
    const isSigning =
      request.method === 'POST' && request.headers['x-amz-target'] !== 'TrentService.GetPublicKey';
    if (standIn.fault === 'refusal' && isSigning) return refused;
    if (request.path.startsWith('/v1/')) return gcp(request);
    return request.path.startsWith('/api/') ? web3Signer(request) : aws(request);
  };

  const server = createServer(async (req, res) => {
    const { method = '', url: path = '', headers } = req;
    const request = { method, path, headers, body: await text(req) };
    if (standIn.fault === 'silence') return;
    const { status, body } = reply(request);
    const isText = typeof body === 'string';
    res
      .writeHead(status, {
        'content-type': isText ? 'text/plain' : 'application/json',
        'metadata-flavor': 'Google',
      })
      .end(isText ? body : JSON.stringify(body));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  standIn.url = `http://${host}`;
  return Object.assign(standIn, {
    host,
    address: privateKeyToAddress(key),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await once(server.close(), 'close');
    },
  });
}
