/** Console output on its way to the relayer. */

/** Output within this time is sent together. */
const LOG_MS = 20;

export type LogStream = {
  add: (text: string) => void;
  end: () => void;
};

export function createLogStream(send: (text: string) => void): LogStream {
  let waiting = '';
  let timer: NodeJS.Timeout | undefined;
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (waiting === '') return;
    send(waiting);
    waiting = '';
  };
  return {
    add(text) {
      waiting += text;
      timer ??= setTimeout(flush, LOG_MS);
    },
    end: flush,
  };
}
