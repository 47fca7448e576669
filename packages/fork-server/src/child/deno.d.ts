/** The parts of Deno that the action process uses. */
declare namespace Deno {
  const internal: unique symbol;
  const stdin: {
    read(buffer: Uint8Array): Promise<number | null>;
    readSync(buffer: Uint8Array): number | null;
  };
  const stdout: { writeSync(bytes: Uint8Array): number };
  function readFileSync(path: string): Uint8Array<ArrayBuffer>;
  function exit(code: number): never;
  const args: string[];
  const version: { deno: string };
  const build: { arch: 'x86_64' | 'aarch64' };
  const permissions: { revokeSync(descriptor: { name: 'ffi' | 'read' }): void };
  type Pointer = { readonly pointer: unique symbol };
  const UnsafePointer: { of(bytes: Uint8Array): Pointer; value(pointer: Pointer): bigint };
  class UnsafePointerView {
    constructor(pointer: Pointer);
    getInt32(): number;
  }
  type Native = 'i32' | 'usize' | 'buffer' | 'pointer';
  type NativeFunction = {
    name?: string;
    parameters: readonly Native[];
    result: Native;
    nonblocking?: boolean;
  };
  type Value = { i32: number; usize: bigint; buffer: Uint8Array; pointer: Pointer | null };
  type Call<Of extends NativeFunction> = (
    ...args: { [At in keyof Of['parameters']]: Value[Of['parameters'][At]] }
  ) => Of extends { nonblocking: true } ? Promise<Value[Of['result']]> : Value[Of['result']];
  /** Returns functions of a library. */
  function dlopen<const Functions extends Record<string, NativeFunction>>(
    library: string,
    functions: Functions,
  ): { symbols: { [Name in keyof Functions]: Call<Functions[Name]> } };
}
