import { cidOf } from '@latchkey/protocol';
import { Box, Group, Loader, Stack, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense } from 'react';
import { Identifier } from '../../components/values.tsx';
import { t } from '../../i18n.ts';

const CodeEditor = lazy(() => import('./code-editor.tsx'));

/** The CID of the code, computed here; undefined while the code changes. */
export function useCid(code: string): string | undefined {
  const [settled] = useDebouncedValue(code, 200);
  const { data } = useQuery({
    queryKey: ['cid', settled],
    queryFn: () => cidOf(settled),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  return settled === code ? data : undefined;
}

/** The code of an action, with colours. It can be changed with `onChange`. */
export function Code({ initial, onChange }: { initial: string; onChange?: (code: string) => void }) {
  return (
    <Box mih={onChange && 262}>
      <Suspense fallback={<Loader aria-label={t('Loading the editor')} />}>
        <CodeEditor initial={initial} onChange={onChange} />
      </Suspense>
    </Box>
  );
}

/** The editor with the CID of its code. `children` says something about the CID. */
export function CodeField({
  initial,
  cid,
  onChange,
  isRunnable,
  children,
}: {
  initial: string;
  cid: string | undefined;
  onChange: (code: string) => void;
  /** In `RunByKeyboard`. */
  isRunnable?: boolean;
  children?: ReactNode;
}) {
  return (
    <Stack gap={4}>
      <Text size="sm" fw={500}>
        {t('Code')}
      </Text>
      <Code initial={initial} onChange={onChange} />
      <Group justify="space-between" mih={32}>
        <Group gap={6}>
          <Text size="sm">{t('CID')}</Text>
          {cid === undefined ? (
            <Text size="sm">…</Text>
          ) : (
            <Identifier value={cid} label={t('Copy the CID')} />
          )}
          {children}
        </Group>
        <Text size="xs" c="dimmed" id="code-keys">
          {t('Tab indents. Escape, then Tab leaves the editor.')} {isRunnable && t('Ctrl+Enter runs.')}
        </Text>
      </Group>
    </Stack>
  );
}
