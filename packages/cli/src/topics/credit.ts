/** Credit of the account. */
import { command, showPage, type Topic } from '../command.ts';
import * as options from '../options.ts';
import { cents, table } from '../text.ts';

export const credit: Topic = {
  summary: 'credit of the account',
  commands: {
    show: command({
      summary: 'shows the credit that the account can spend',
      examples: ['credit show'],
      run: async (session) => (await session.client()).getBalance(),
      show: ({ balanceDisplay }) => balanceDisplay,
    }),
    ledger: command({
      summary: 'lists the entries of the ledger, the newest first',
      options: options.pages,
      examples: ['credit ledger', 'credit ledger --page-size 10'],
      run: async (session, input) => (await session.client()).listLedger(input),
      show: (page) =>
        showPage(page, (items) =>
          table(items, {
            ENTRY: ({ number }) => number,
            AT: ({ createdAt }) => createdAt,
            KIND: ({ kind }) => kind,
            AMOUNT: ({ amountMicros }) => cents(amountMicros),
            AFTER: ({ availableMicrosAfter }) => cents(availableMicrosAfter),
            REASON: ({ reason }) => reason,
          }),
        ),
    }),
  },
};
