import { integerAt, isSame, onlyValue } from './checks.ts';
import { defineSender } from './sender.ts';

const TOKEN = 'x-telegram-bot-api-secret-token';

/** https://core.telegram.org/bots/api#setwebhook */
export const telegram = defineSender({
  isSigned: ({ headers }, key) => isSame(onlyValue(headers, TOKEN), key),
  findId: ({ event }) => integerAt(event, 'update_id')?.toString(),
  secrets: () => ({ headers: [TOKEN] }),
});
