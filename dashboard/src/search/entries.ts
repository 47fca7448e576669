/** The entries of the search, and the page of each. */
import { cidHash } from '@latchkey/protocol';
import type { Trigger } from '@latchkey/sdk';
import { visible } from '../components/api-words.ts';
import { matchesWords } from '../components/select-items.ts';
import { short } from '../components/values.tsx';
import { t } from '../i18n.ts';
import { type AccountLists, nameOfAction, nameOfGroup, nameOfKey, nameOfWallet, toWord } from '../names.ts';

/** Path and name of a page. */
export type LinkedPage = readonly [to: string, label: string, ...unknown[]];

const kinds = ['Page', 'Group', 'Usage key', 'Action', 'Wallet', 'Trigger', 'Identifier'] as const;

/** The kinds in the language of the page. */
export const kindNames: { [kind in (typeof kinds)[number]]: string } = {
  Page: t('Page'),
  Group: t('Group'),
  'Usage key': t('Usage key'),
  Action: t('Action'),
  Wallet: t('Wallet'),
  Trigger: t('Trigger'),
  Identifier: t('Identifier'),
};

export type Entry = {
  kind: (typeof kinds)[number];
  name: string;
  /** The identifier, short. */
  note: string;
  to: string;
  /** Filters of the page of runs. */
  search?: { cid: string };
  /** In which the search looks. */
  texts: (string | undefined)[];
};

export type Searched = AccountLists & {
  pages: readonly LinkedPage[];
  triggers: readonly Trigger[];
  /** Known CIDs by their hashes. */
  cids: ReadonlyMap<bigint, string>;
};

/** Everything of the account that has a page. */
export function listEntries({ pages, groups, keys, actions, wallets, triggers, cids }: Searched): Entry[] {
  const entry = (
    kind: Entry['kind'],
    name: string,
    id: string,
    to: string,
    ...more: (string | undefined)[]
  ) => ({
    kind,
    name,
    note: short(id),
    to,
    texts: [name, id, ...more],
  });
  return [
    ...pages.map(([to, label]) => ({ kind: 'Page' as const, name: label, note: '', to, texts: [label] })),
    ...groups.map((group) => {
      const id = String(group.groupId);
      return entry('Group', nameOfGroup(group), id, `/groups/${id}`, group.description);
    }),
    ...keys.map((key) => {
      const hash = toWord(key.usageKeyHash);
      return entry('Usage key', nameOfKey(key), hash, `/keys/${hash}`, key.description);
    }),
    ...actions.map((action) => {
      const hash = toWord(action.cidHash);
      const cid = cids.get(action.cidHash) ?? hash;
      const name = nameOfAction(actions, action.cidHash);
      return entry('Action', name, cid, `/actions/${cid}`, hash, action.description);
    }),
    ...wallets.map(({ walletAddress, description }) =>
      entry(
        'Wallet',
        nameOfWallet(wallets, walletAddress),
        walletAddress,
        `/wallets/${walletAddress}`,
        description,
      ),
    ),
    ...triggers.map(({ id, name }) => entry('Trigger', visible(name), id, `/triggers/${id}`)),
  ];
}

const GUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const HASH = /^0x[0-9a-f]{64}$/i;
/** Version 0, and version 1 in base32. */
const CID = /^(Qm[1-9A-HJ-NP-Za-km-z]{44}|b[a-z2-7]{30,120})$/;

/** The pages of a pasted identifier that no list has. Each page says when the account has no such item. */
function pagesOf(id: string): Entry[] {
  const page = (name: string, to: string) => ({
    kind: 'Identifier' as const,
    name,
    note: short(id),
    to,
    texts: [],
  });
  if (GUID.test(id))
    return [
      page(t('Run'), `/runs/${id}`),
      page(t('Run of a trigger'), `/triggers/runs/${id}`),
      page(t('Transaction'), `/transactions/${id}`),
      page(t('Approval'), `/approvals/${id}`),
    ];
  if (HASH.test(id)) return [page(t('Transaction'), `/transactions/${id}`)];
  if (CID.test(id)) return [{ ...page(t('Runs of this CID'), '/runs'), search: { cid: id } }];
  return [];
}

const MAX_FOUND = 50;

/** Names that begin with the query are first; entries of a kind stay together. */
export function findEntries(entries: readonly Entry[], text: string): { found: Entry[]; isCut: boolean } {
  const query = text.trim();
  if (query === '') return { found: entries.filter(({ kind }) => kind === 'Page'), isCut: false };
  // A pasted CID of an action whose CID the page does not know.
  const hash = CID.test(query) ? toWord(cidHash(query)) : undefined;
  const matching = entries.filter(
    ({ texts }) => matchesWords(texts, query) || (hash !== undefined && texts.includes(hash)),
  );
  const isFirst = ({ name }: Entry) => Number(!name.toLowerCase().startsWith(query.toLowerCase()));
  const isListed = HASH.test(query) && matching.length > 0;
  const all = kinds.flatMap((kind) =>
    matching.filter((entry) => entry.kind === kind).sort((a, b) => isFirst(a) - isFirst(b)),
  );
  return {
    found: [...all.slice(0, MAX_FOUND), ...(isListed ? [] : pagesOf(query))],
    isCut: all.length > MAX_FOUND,
  };
}
