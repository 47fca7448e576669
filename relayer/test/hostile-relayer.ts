/** A relayer under the control of an attacker: the protocol of runners and key nodes without the relayer's code and checks. */
import { once } from 'node:events';
import { cosign, createIdentity, type SignedStatement } from '@latchkey/key-protocol';
import { protocols, spoken } from '@latchkey/service/versions';
import { stack } from '@latchkey/testing/stack';
import { expect } from 'vitest';
import { WebSocket } from 'ws';

type Message = { type: string; [name: string]: unknown };

/** Returns a frame of the protocol: length of the JSON (4, big endian), JSON, body. `length` claims another one. */
function frame(message: unknown, body = '', length?: number): Buffer {
  const json = Buffer.from(typeof message === 'string' ? message : JSON.stringify(message));
  const head = Buffer.alloc(4);
  head.writeUInt32BE(length ?? json.length);
  return Buffer.concat([head, json, Buffer.from(body)]);
}

/** The identity of a relayer that the key nodes know. */
export const relayerIdentity = createIdentity(stack.keyNodeSettings.RELAYER_IDENTITY ?? '');
const nodeUrls = (stack.keyNodeSettings.KEY_NODES ?? '').split(',');

/** Sends a request to every key node. Resolves to the statuses and bodies of their replies. */
export const askKeyNodes = (request: object): Promise<{ status: number; body: Message }[]> =>
  Promise.all(
    nodeUrls.map(async (url) => {
      const headers = { 'Content-Type': 'application/json' };
      const reply = await fetch(`${url}/v1/release`, {
        method: 'POST',
        headers,
        body: JSON.stringify(request),
      });
      return { status: reply.status, body: (await reply.json()) as Message };
    }),
  );

/** Connects to the runner of the stack. */
export async function connectHostile(parameters: string) {
  const socket = new WebSocket(`ws+unix:${stack.runnerUrl.replace('unix:', '')}:/`, spoken(protocols.runner));
  const received: Message[] = [];
  /** Statements that the runner signed, and the answers of the nodes to each. */
  const statements: SignedStatement[] = [];
  const partials: Message[] = [];
  let isClosed = false;
  const send = (message: unknown, body?: string, length?: number): void => {
    socket.send(frame(message, body, length));
  };
  /** Passes a request of the runner on, for any run and any purpose. */
  const passOn = async ({ call, signed }: Message): Promise<void> => {
    statements.push(signed as SignedStatement);
    for (const { status, body } of await askKeyNodes(cosign(signed as SignedStatement, 0, relayerIdentity))) {
      if (status !== 200) continue;
      const { identifier, partial, path } = body;
      partials.push({ type: 'partial', call, parameters, node: identifier, identifier, partial, path });
      send(partials.at(-1));
    }
    send({ type: 'partials end', call, isRefused: true, message: 'no more' });
  };
  const hostile = {
    received,
    statements,
    partials,
    send,
    /** Called with requests of the runner for keys. */
    onKeyRequest: passOn,
    isClosed: () => isClosed,
    close: () => socket.terminate(),
    /** Waits for a message of this type and number. Rejects when the connection closes. */
    async next(type: string, id: number): Promise<Message> {
      const find = () => received.find((message) => message.type === type && message.id === id);
      await expect.poll(() => find() !== undefined || isClosed).toBe(true);
      const found = find();
      if (!found) throw new Error('the runner closed the connection');
      return found;
    },
    /** Waits until the runner has closed the connection or ended the run. Returns the results so far. */
    async outcome(id: number): Promise<Message[]> {
      await expect
        .poll(() => isClosed || received.some((message) => message.type === 'result' && message.id === id))
        .toBe(true);
      return received.filter(({ type }) => type === 'result');
    },
  };
  socket.on('message', (data: Buffer) => {
    const length = data.readUInt32BE(0);
    const message = JSON.parse(data.toString('utf8', 4, 4 + length)) as Message;
    received.push(message);
    if (message.type === 'key request') void hostile.onKeyRequest(message);
  });
  socket.on('error', () => {});
  socket.on('close', () => {
    isClosed = true;
  });
  await once(socket, 'open');
  return hostile;
}
export type Hostile = Awaited<ReturnType<typeof connectHostile>>;
