/** HTTP over bare sockets: sends arbitrary bytes as requests and reads every reply. */
import { connect, type Socket } from 'node:net';

const REPLY_DEADLINE_MS = 30_000;
/** Times without a byte after which the sending side closes. */
const SILENCE_MS = { beforeReply: 2_000, afterReply: 20 };
/** The relayer delays more than 100 requests per second of one address. */
const REQUESTS_PER_ADDRESS = 90;

let addresses = 0;

/** Returns a loopback address that no other connection has had yet, of 16 million. */
function nextAddress(): string {
  const number = ++addresses + 0x10000;
  return `127.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`;
}

export type WireReply = { status: number; headers: Map<string, string>; body: string };

/** A request got no reply in time, or a reply that is not HTTP. */
class WireError extends Error {}

/**
 * Returns the replies in `bytes`, and the bytes after the last complete one. `isHead`: replies have no bodies. Throws a
 * WireError for bytes that are not a reply.
 */
function parseReplies(bytes: Buffer, isHead: boolean): { replies: WireReply[]; rest: Buffer } {
  const replies: WireReply[] = [];
  let rest = bytes;
  for (;;) {
    const end = rest.indexOf('\r\n\r\n');
    if (end < 0) return { replies, rest };
    const [statusLine = '', ...lines] = rest.subarray(0, end).toString('latin1').split('\r\n');
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1]);
    if (!status) throw new WireError(`not a status line: ${statusLine.slice(0, 200)}`);
    const headers = new Map(
      lines.map((line) => {
        const colon = line.indexOf(':');
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
      }),
    );
    const length =
      status < 200 || status === 204 || status === 304 || isHead ? 0 : Number(headers.get('content-length'));
    if (Number.isNaN(length)) throw new WireError(`a reply of ${status} without Content-Length`);
    if (rest.length < end + 4 + length) return { replies, rest };
    const body = rest.subarray(end + 4, end + 4 + length).toString('utf8');
    rest = rest.subarray(end + 4 + length);
    if (status >= 200) replies.push({ status, headers, body });
  }
}

export type Wire = ReturnType<typeof openWire>;

/** One connection that is reused until either side closes it, or its address has sent enough. */
export function openWire(url: string) {
  const { hostname, port } = new URL(url);
  let kept: Socket | undefined;
  let sent = 0;

  const open = (): Promise<Socket> =>
    new Promise((resolve, reject) => {
      const address = { host: hostname, port: Number(port), localAddress: nextAddress() };
      const socket = connect({ ...address, noDelay: true }, () => resolve(socket));
      // After connecting, 'close' reports its end; rejecting a second time has no effect.
      socket.on('error', reject);
    });

  /** Sends and reads until `isDone` or the other side closes the connection. */
  const exchange = (
    socket: Socket,
    bytes: Buffer,
    { isHead, isLast, isDone }: { isHead: boolean; isLast: boolean; isDone: (count: number) => boolean },
  ): Promise<WireReply[]> =>
    new Promise((resolve, reject) => {
      let received: Buffer = Buffer.alloc(0);
      const finish = (error?: Error): void => {
        clearTimeout(deadline);
        clearTimeout(silence);
        socket.off('data', onData).off('close', onEnd).off('end', onEnd);
        try {
          const { replies, rest } = parseReplies(received, isHead);
          if (error) throw error;
          if (rest.length > 0 && !isHead)
            throw new WireError(`incomplete reply: ${rest.toString().slice(0, 200)}`);
          resolve(replies);
        } catch (thrown) {
          socket.destroy();
          reject(thrown);
        }
      };
      let silence: NodeJS.Timeout | undefined;
      const closeAfter = (ms: number): void => {
        clearTimeout(silence);
        if (isLast) silence = setTimeout(() => socket.end(), ms);
      };
      const onData = (chunk: Buffer): void => {
        closeAfter(SILENCE_MS.afterReply);
        received = Buffer.concat([received, chunk]);
        try {
          const { replies, rest } = parseReplies(received, isHead);
          if (isDone(replies.length) && rest.length === 0) finish();
        } catch (thrown) {
          finish(thrown as Error);
        }
      };
      const onEnd = (): void => finish();
      const deadline = setTimeout(
        () => finish(new WireError(`no reply in ${REPLY_DEADLINE_MS} ms`)),
        REPLY_DEADLINE_MS,
      );
      socket.on('data', onData).once('close', onEnd).once('end', onEnd);
      socket.write(bytes);
      closeAfter(SILENCE_MS.beforeReply);
    });

  return {
    /** Returns the reply to one well-framed request. */
    async send(bytes: Buffer, { isHead = false } = {}): Promise<WireReply> {
      if (++sent % REQUESTS_PER_ADDRESS === 0) kept?.destroy();
      for (let isRetry = false; ; isRetry = true) {
        const isUsed = kept !== undefined && !kept.destroyed && kept.readyState === 'open';
        const socket = isUsed ? (kept as Socket) : await open();
        kept = socket;
        const [reply] = await exchange(socket, bytes, {
          isHead,
          isLast: false,
          isDone: (count) => count > 0,
        });
        if (reply === undefined || reply.headers.get('connection') === 'close') {
          socket.destroy();
          kept = undefined;
        }
        if (reply) return reply;
        // The server may have closed a reused connection when the request was sent.
        if (!isUsed || isRetry) throw new WireError('the connection closed without a reply');
      }
    },
    /** Returns every reply on a new connection that sends only `bytes`. */
    async sendLast(bytes: Buffer): Promise<WireReply[]> {
      const socket = await open();
      const replies = await exchange(socket, bytes, { isHead: false, isLast: true, isDone: () => false });
      socket.destroy();
      return replies;
    },
    close(): void {
      kept?.destroy();
    },
  };
}
