/** The parts of Deno and its `node:vm` that the action process uses. */
declare namespace Deno {
  const internal: unique symbol;
  const stdin: { read(buffer: Uint8Array): Promise<number | null> };
  const stdout: { writeSync(bytes: Uint8Array): number };
  function readFileSync(path: URL): Uint8Array<ArrayBuffer>;
  function exit(code: number): never;
}

declare module 'node:vm' {
  export class Script {
    constructor(code: string, options: { filename: string });
    runInThisContext(options: { displayErrors: boolean }): unknown;
  }
  export class SourceTextModule {
    constructor(
      code: string,
      options: { identifier: string; initializeImportMeta?: (meta: { url?: string }) => void },
    );
    readonly identifier: string;
    readonly namespace: Record<string, unknown>;
    link(
      linker: (specifier: string, referencing: SourceTextModule) => Promise<SourceTextModule>,
    ): Promise<void>;
    evaluate(): Promise<void>;
  }
}
