/** A tool: its input, and the form of its results and errors. */
import { randomUUID } from 'node:crypto';
import { safeLines, toJson } from '@latchkey/command/text';
import { isRefusal, LatchkeyError } from '@latchkey/sdk';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { CallToolResult, ToolAnnotations } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';

/** Characters of JSON of a value that a stranger can make: a response, logs, code. */
const MAX_VALUE = 20_000;
/** Characters of JSON of a result. */
const MAX_RESULT = 100_000;

/** A call of a tool. */
export type Call = {
  /** Aborted when the client cancels the call. */
  signal: AbortSignal;
  /** Reports progress to a client that asked for it. */
  report: (text: string) => void;
};

type Definition<Shape extends z.ZodRawShape, C extends Call> = {
  title: string;
  description: string;
  hints: ToolAnnotations;
  input: Shape;
  run: (input: z.output<z.ZodObject<Shape>>, call: C) => Promise<object>;
};

/** Registers a tool at a server. Each call begins with the check. */
export type Tool = (server: McpServer, check: () => Promise<unknown>) => void;

export const reads = { readOnlyHint: true } as const;
/** Adds something, and changes nothing that exists. */
export const adds = { readOnlyHint: false, destructiveHint: false } as const;
/** Can move funds, or end or change what exists. */
export const changes = { readOnlyHint: false, destructiveHint: true } as const;

export const tool =
  <Shape extends z.ZodRawShape>(
    name: string,
    { title, description, hints, input, run }: Definition<Shape, Call>,
  ): Tool =>
  (server, check) => {
    const inputSchema: z.ZodObject = z.strictObject(input);
    server.registerTool(
      name,
      { title, description, inputSchema, annotations: hints },
      async (given, { signal, sendNotification, _meta }) => {
        let progress = 0;
        const report = (text: string): void => {
          if (_meta?.progressToken === undefined) return;
          const params = {
            progressToken: _meta.progressToken,
            progress: ++progress,
            message: safeLines(text),
          };
          // A client that has gone gets no result either.
          sendNotification({ method: 'notifications/progress', params }).catch(() => {});
        };
        try {
          await check();
          return toResult(await run(given as z.output<z.ZodObject<Shape>>, { signal, report }));
        } catch (error) {
          return toError(error);
        }
      },
    );
  };

/** A call whose outcome is not known. */
class UnknownOutcomeError extends Error {}

const onceInput = {
  idempotencyKey: z
    .string()
    .min(1)
    .max(255)
    .optional()
    .describe('Calls with one key have one effect. Give it to repeat a call whose outcome is not known.'),
};

/** A tool with an effect. An error after which the effect is not known says how to repeat the call safely. */
export const effect = <Shape extends z.ZodRawShape>(
  name: string,
  definition: Definition<Shape, Call & { idempotencyKey: string }>,
): Tool =>
  tool(name, {
    ...definition,
    input: { ...definition.input, ...onceInput },
    run: async (input, call) => {
      const { idempotencyKey = randomUUID() } = input as z.output<z.ZodObject<typeof onceInput>>;
      try {
        return await definition.run(input as z.output<z.ZodObject<Shape>>, { ...call, idempotencyKey });
      } catch (error) {
        if (isRefusal(error)) throw error;
        throw new UnknownOutcomeError(
          `The call may have had its effect. To have it once, repeat the call with the same arguments and idempotencyKey "${idempotencyKey}".`,
          { cause: error },
        );
      }
    },
  });

/** Returns a value of a stranger, or its beginning when it is long. */
export function limited(value: unknown): unknown {
  const json = toJson(value);
  return json.length <= MAX_VALUE
    ? value
    : { truncated: true, characters: json.length, start: json.slice(0, MAX_VALUE) };
}

function toResult(value: object): CallToolResult {
  const text = toJson(value);
  if (text.length > MAX_RESULT)
    throw new LatchkeyError(
      'configuration',
      `the result has ${text.length} characters, more than ${MAX_RESULT}`,
      {
        fix: 'Ask for fewer items with pageSize.',
      },
    );
  return { content: [{ type: 'text', text }], structuredContent: JSON.parse(text) };
}

function toError(error: unknown): CallToolResult {
  const isUnknown = error instanceof UnknownOutcomeError;
  const cause = isUnknown ? error.cause : error;
  // The text of another error can contain anything of this process.
  const { code, message, fix, requestId }: Partial<LatchkeyError> =
    cause instanceof LatchkeyError ? cause : { message: 'the server failed' };
  const lines = [message, fix, isUnknown ? error.message : undefined].filter((line) => line !== undefined);
  return {
    content: [{ type: 'text', text: safeLines(lines.join('\n')) }],
    structuredContent: JSON.parse(toJson({ code, message, fix, requestId })),
    isError: true,
  };
}
