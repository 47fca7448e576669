/** The search over everything that has a page: a combobox with a list box. */
import { Box, Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useEffect, useId, useMemo, useState } from 'react';
import { text } from '../components/form.tsx';
import { t } from '../i18n.ts';
import { useAccountLists, useKnownCids, useStoredCids, useTriggers } from '../queries.ts';
import { useTriggersLogin } from '../session/triggers.tsx';
import { type Entry, findEntries, kindNames, type LinkedPage, listEntries } from './entries.ts';

export function SearchDialog({
  pages,
  isOpen,
  onClose,
}: {
  pages: readonly LinkedPage[];
  isOpen: boolean;
  onClose: () => void;
}) {
  return (
    <Modal opened={isOpen} onClose={onClose} title={t('Search')} size="lg">
      <Search pages={pages} onDone={onClose} />
    </Modal>
  );
}

/** Everything that has a page, as far as it is loaded. */
function useEntries(pages: readonly LinkedPage[]) {
  const { groups, keys, actions, wallets } = useAccountLists();
  const login = useTriggersLogin();
  const triggers = useTriggers(login.data);
  const { data: ofRuns } = useKnownCids();
  const stored = useStoredCids();
  const queries = [groups, keys, actions, wallets];
  const entries = useMemo(
    () =>
      listEntries({
        pages,
        groups: groups.data ?? [],
        keys: keys.data ?? [],
        actions: actions.data ?? [],
        wallets: wallets.data ?? [],
        triggers: triggers.data ?? [],
        cids: new Map([...(ofRuns ?? []), ...stored]),
      }),
    [pages, groups.data, keys.data, actions.data, wallets.data, triggers.data, ofRuns, stored],
  );
  const failed = [...queries, login, triggers].filter(({ error }) => error);
  return {
    entries,
    isLoading: [...queries, login, triggers].some(({ isFetching, data }) => isFetching && data === undefined),
    hasTriggers: login.data !== undefined || login.isFetching,
    retry: failed.length > 0 ? () => void Promise.all(failed.map(({ refetch }) => refetch())) : undefined,
  };
}

function Search({ pages, onDone }: { pages: readonly LinkedPage[]; onDone: () => void }) {
  const { entries, ...loading } = useEntries(pages);
  const [query, setQuery] = useState('');
  const [chosen, setChosen] = useState(0);
  const { found, isCut } = useMemo(() => findEntries(entries, query), [entries, query]);
  const list = useId();
  const navigate = useNavigate();
  const open = ({ to, search }: Entry): void => {
    onDone();
    void navigate({ to, search });
  };
  const current = Math.min(chosen, found.length - 1);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing || found.length === 0) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined && event.key !== 'Enter') return;
    event.preventDefault();
    const entry = found[current];
    if (step === undefined) {
      if (entry) open(entry);
      return;
    }
    setChosen((current + step + found.length) % found.length);
  };
  return (
    <Stack gap="sm">
      <TextInput
        label={t('Name, id, address, hash or CID')}
        {...text(query, (next: string) => {
          setQuery(next);
          setChosen(0);
        })}
        onKeyDown={onKeyDown}
        maxLength={256}
        role="combobox"
        aria-autocomplete="list"
        aria-expanded={found.length > 0}
        aria-controls={found.length > 0 ? list : undefined}
        aria-activedescendant={found.length > 0 ? `${list}-${current}` : undefined}
        autoComplete="off"
        spellCheck={false}
        data-autofocus
      />
      {found.length > 0 && (
        <Results id={list} found={found} current={current} onPoint={setChosen} onOpen={open} />
      )}
      <Summary found={found.length} isCut={isCut} {...loading} />
    </Stack>
  );
}

function Summary({
  found,
  isCut,
  isLoading,
  hasTriggers,
  retry,
}: { found: number; isCut: boolean } & Omit<ReturnType<typeof useEntries>, 'entries'>) {
  return (
    <Group justify="space-between">
      <Text size="xs" c="dimmed" role="status">
        {isLoading
          ? t('Loading…')
          : found === 0
            ? t('Nothing found.')
            : isCut
              ? t('Found: {found} of more. Type more of the name.', { found })
              : t('Found: {found}', { found })}
        {!hasTriggers && <> {t('Triggers are found once you have logged in to them on their page.')}</>}
      </Text>
      {retry && (
        <Button size="compact-xs" variant="default" onClick={retry}>
          {t('Not all was loaded: try again')}
        </Button>
      )}
    </Group>
  );
}

function Results({
  id,
  found,
  current,
  onPoint,
  onOpen,
}: {
  id: string;
  found: readonly Entry[];
  current: number;
  onPoint: (index: number) => void;
  onOpen: (entry: Entry) => void;
}) {
  useEffect(() => {
    document.getElementById(`${id}-${current}`)?.scrollIntoView({ block: 'nearest' });
  }, [id, current]);
  return (
    <div id={id} role="listbox" aria-label={t('Results')} className="search-results">
      {found.map((entry, index) => (
        <Box
          key={`${entry.kind} ${entry.to}`}
          id={`${id}-${index}`}
          role="option"
          aria-selected={index === current}
          className="search-option"
          onMouseMove={() => onPoint(index)}
          // The field keeps the focus.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onOpen(entry)}
        >
          <Text span size="sm" truncate>
            {entry.name}
          </Text>
          <Text span size="xs" c="dimmed" style={{ whiteSpace: 'nowrap' }}>
            {kindNames[entry.kind]} {entry.note}
          </Text>
        </Box>
      ))}
    </div>
  );
}
