/**
 * Messages between the fork server and the template, over the template's standard input and output. The server sends lines: `park` for
 * each thread that is to wait for ever, a `TemplateSetup` as JSON, then `fork` or `wait <process id>`. Each line has one reply, and the
 * first one comes before all lines.
 */

/** The release with which `fork-server.test.ts` proves forks. Run it with another release before this is changed. */
export const DENO_VERSION = '2.9.6';

/**
 * Two 32-bit integers, little endian: the process id of the fork (the negative number of the error when it failed) and 0; the id of
 * the awaited process and its status as `wait4` returns it; otherwise 0 and 0.
 */
export const REPLY_BYTES = 8;

/** Name of the socket to which a fork connects. */
export const SOCKET_NAME = 'forks';

export type TemplateSetup = {
  /** All descriptors of the template. A fork replaces each of them. */
  descriptors: {
    /** Standard input and output, with Deno's copies. */
    channel: number[];
    /** Standard error, with Deno's copies. */
    errors: number[];
    /** The epoll instance of the event loop. */
    epolls: number[];
    /** The eventfds with which threads wake the event loop. */
    wakers: number[];
    /** The wakers as the epoll instance watches them. */
    watched: { descriptor: number; events: number /** Hexadecimal. */; data: string }[];
    /** Descriptors of no use to a fork. */
    others: number[];
  };
  /** Directory of the socket to which a fork connects. */
  socketsDir: string;
  /** Bytes of the filter of system calls. */
  filter: number[];
  maxCpuSeconds: number;
};
