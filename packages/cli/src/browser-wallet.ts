/**
 * A wallet in the browser of this machine. The command serves one page on 127.0.0.1, which asks `window.ethereum` for each signature. The link has
 * a token that works once; the page gets another secret for it, which every later request has in a header. Requests with another Host or
 * Origin are refused, so that neither a page of another site nor a name that resolves to 127.0.0.1 reaches it.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { type Address, type Hex, isAddress, isHex, serializeTypedData, stringToHex } from 'viem';
import { toAccount } from 'viem/accounts';
import { page, script } from './browser-page.ts';
import { CommandError } from './errors.ts';

type Ask = { id: number; method: string; params: unknown[]; chainId?: number | undefined };
type Waiting = { ask: Ask; resolve: (value: unknown) => void; reject: (error: Error) => void };

const MAX_BODY_BYTES = 65_536;
const newSecret = (): string => randomBytes(32).toString('base64url');

function isEqual(given: string | undefined, secret: string): boolean {
  const bytes = Buffer.from(given ?? '');
  return bytes.length === secret.length && timingSafeEqual(bytes, Buffer.from(secret));
}

/** Owns the server of the page. */
export class BrowserWallet {
  readonly #server = createServer((request, response) => void this.#answer(request, response));
  /** Empty once the page has it. */
  #linkToken = newSecret();
  readonly #pageSecret = newSecret();
  #waiting: Waiting | undefined;
  #asked = 0;
  #queue: Promise<unknown> = Promise.resolve();
  #origin = '';
  #isClosing = false;

  /** Serves the page, and prints its link. */
  static async serve(tell: (text: string) => void): Promise<BrowserWallet> {
    const wallet = new BrowserWallet();
    wallet.#server.listen(0, '127.0.0.1');
    await once(wallet.#server, 'listening');
    wallet.#origin = `http://127.0.0.1:${(wallet.#server.address() as AddressInfo).port}`;
    tell(`Open this link in the browser of your wallet:\n  ${wallet.#origin}/#${wallet.#linkToken}`);
    return wallet;
  }

  /** Resolves to the address that the wallet chooses. */
  async address(): Promise<Address> {
    const accounts = await this.#ask('eth_requestAccounts', []);
    const [address] = Array.isArray(accounts) ? accounts : [];
    if (typeof address === 'string' && isAddress(address, { strict: false })) return address;
    throw new CommandError('the wallet gave no address', 'Connect an account of the wallet to the page.');
  }

  /** Returns an account for viem that signs messages and typed data in the browser. */
  account({ address, chainId }: { address: string; chainId: number }) {
    const sign = async (method: string, params: unknown[]): Promise<Hex> => {
      const signature = await this.#ask(method, params, chainId);
      if (isHex(signature)) return signature;
      throw new CommandError(
        'the wallet gave no signature',
        'Run the command again, and sign in the wallet.',
      );
    };
    return toAccount({
      address: address as Address,
      signMessage: ({ message }) =>
        sign('personal_sign', [typeof message === 'string' ? stringToHex(message) : message.raw, address]),
      signTypedData: (typedData) =>
        sign('eth_signTypedData_v4', [address, serializeTypedData(typedData as never)]),
      signTransaction: () => Promise.reject(new CommandError('the relayer sends: no transaction is signed')),
    });
  }

  /** Sends one request at a time to the page. */
  #ask(method: string, params: unknown[], chainId?: number): Promise<unknown> {
    const asked = this.#queue.then(
      () =>
        new Promise((resolve, reject) => {
          this.#asked++;
          this.#waiting = { ask: { id: this.#asked, method, params, chainId }, resolve, reject };
        }),
    );
    this.#queue = asked.catch(() => {});
    return asked;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.setHeader('Cache-Control', 'no-store');
    response.setHeader('Referrer-Policy', 'no-referrer');
    response.setHeader(
      'Content-Security-Policy',
      "default-src 'none'; script-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    const { host, origin } = request.headers;
    if (`http://${host}` !== this.#origin) return void response.writeHead(403).end();
    if (request.method === 'GET' && request.url === '/')
      return void response.setHeader('Content-Type', 'text/html; charset=utf-8').end(page);
    if (request.method === 'GET' && request.url === '/page.js')
      return void response.setHeader('Content-Type', 'text/javascript; charset=utf-8').end(script);
    if (request.method !== 'POST' || origin !== this.#origin) return void response.writeHead(403).end();
    try {
      const reply = this.#receive(request, await this.#read(request));
      response.setHeader('Content-Type', 'application/json').end(JSON.stringify(reply));
    } catch {
      response.writeHead(403).end();
    }
  }

  async #read(request: IncomingMessage): Promise<{ [name: string]: unknown }> {
    const length = Number(request.headers['content-length']);
    if (!(length <= MAX_BODY_BYTES)) throw new Error('too long');
    return (await json(request)) as { [name: string]: unknown };
  }

  /** Throws for a request without the secret. */
  #receive(request: IncomingMessage, body: { [name: string]: unknown }): unknown {
    const given = request.headers.authorization?.replace(/^Bearer /, '');
    if (request.url === '/open') {
      if (this.#linkToken === '' || !isEqual(given, this.#linkToken)) throw new Error('unknown token');
      this.#linkToken = '';
      return { secret: this.#pageSecret };
    }
    if (!isEqual(given, this.#pageSecret)) throw new Error('unknown secret');
    if (request.url === '/next') return { ask: this.#waiting?.ask ?? null, done: this.#isClosing };
    const waiting = this.#waiting;
    if (request.url !== '/reply' || !waiting || waiting.ask.id !== body.id)
      throw new Error('unknown request');
    this.#waiting = undefined;
    if (body.error === undefined) waiting.resolve(body.result);
    else waiting.reject(Object.assign(new Error('refused in the wallet'), { code: Number(body.error) }));
    return {};
  }

  /** Lets the page learn the end, and stops the server. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#waiting?.reject(new CommandError('the command ended'));
    // The page asks once in half a second.
    if (this.#linkToken === '') await new Promise((resolve) => setTimeout(resolve, 700));
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
