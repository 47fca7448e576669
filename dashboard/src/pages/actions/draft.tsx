/** Drafts of code, which this browser keeps per account until they are published or discarded. */
import { Button, Group, Text } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useCallback, useRef, useState } from 'react';
import { Unsaved } from '../../components/unsaved.tsx';
import { Time } from '../../components/values.tsx';
import { t } from '../../i18n.ts';
import { useSession } from '../../session/session-context.tsx';

const SAVE_MS = 300;

type Stored = { code: string; savedAt: number };

function read(key: string): Stored | undefined {
  try {
    const { code, savedAt } = JSON.parse(localStorage.getItem(key) ?? '{}') as Partial<Stored>;
    return typeof code === 'string' && typeof savedAt === 'number' ? { code, savedAt } : undefined;
  } catch {
    return undefined;
  }
}

/** Returns whether the draft is kept: the storage of the browser can be full, or denied. */
function write(key: string, stored: Stored | undefined): boolean {
  try {
    if (stored) localStorage.setItem(key, JSON.stringify(stored));
    else localStorage.removeItem(key);
    return true;
  } catch {
    return false;
  }
}

/**
 * The code of an editor, which begins with the draft of this name, or else with `start`. `discard` drops the draft and begins again;
 * `clear` drops it once its code is published.
 */
export function useDraft(name: string, start: string) {
  const key = `latchkey.draft.${useSession().name}.${name}`;
  const [restored, setRestored] = useState(() => read(key));
  const [code, setCode] = useState(restored?.code ?? start);
  /** Whether nothing would be lost. */
  const isKept = useRef(true);
  const save = useDebouncedCallback(
    (code: string) => {
      isKept.current = write(key, code === start ? undefined : { code, savedAt: Date.now() });
    },
    { delay: SAVE_MS, flushOnUnmount: true },
  );
  const change = useCallback(
    (code: string) => {
      setCode(code);
      isKept.current = code === start;
      save(code);
    },
    [save, start],
  );
  const clear = (): void => {
    save.cancel();
    isKept.current = true;
    write(key, undefined);
  };
  const discard = (): void => {
    clear();
    setRestored(undefined);
    setCode(start);
  };
  const isLost = useCallback((): boolean => {
    save.flush();
    return !isKept.current;
  }, [save]);
  return {
    code,
    initial: restored?.code ?? start,
    savedAt: restored?.savedAt,
    change,
    clear,
    discard,
    isLost,
  };
}

export type Draft = ReturnType<typeof useDraft>;

/** Says that the code is a draft, and asks before the page is left with code that the browser cannot keep. */
export function DraftNotice({ draft: { savedAt, discard, isLost } }: { draft: Draft }) {
  return (
    <>
      <Unsaved isLost={isLost}>
        {t('The code is lost: this browser cannot keep a draft of it. Copy it first.')}
      </Unsaved>
      {savedAt !== undefined && (
        <Group gap="xs" role="status">
          <Text size="sm" component="div">
            {t('This is your draft from {time}, kept in this browser.', {
              time: <Time value={new Date(savedAt)} />,
            })}
          </Text>
          <Button size="xs" variant="default" onClick={discard}>
            {t('Discard the draft')}
          </Button>
        </Group>
      )}
    </>
  );
}
