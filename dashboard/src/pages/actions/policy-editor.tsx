/** An action from a policy: its JSON, what it allows in sentences, and the code that is built from it. */
import { Group, Stack, Text, Textarea } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { DialogButton } from '../../components/dialog.tsx';
import { ErrorMessage } from '../../components/error-message.tsx';
import { text } from '../../components/form.tsx';
import { CodeBlock, Section } from '../../components/section.tsx';
import { Identifier } from '../../components/values.tsx';
import { t } from '../../i18n.ts';
import { Code, useCid } from './code-field.tsx';
import { DraftNotice, useDraft } from './draft.tsx';
import type { ParamForm } from './param-forms.ts';
import { RunByKeyboard, RunPanel } from './run-panel.tsx';

/** The policy that is built from the text; the one before while the text changes. */
function useBuilt(policy: string) {
  const [settled] = useDebouncedValue(policy, 200);
  const built = useQuery({
    queryKey: ['policy', settled],
    queryFn: async () => (await import('./policy-code.ts')).buildPolicy(settled),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    placeholderData: keepPreviousData,
  });
  return { ...built, isCurrent: settled === policy && !built.isPlaceholderData };
}

type Edited = {
  /** JSON. */
  policy: string;
  /** Of the action; undefined while the policy is wrong or changes. */
  code: string | undefined;
  cid: string | undefined;
  /** Drops the draft. */
  clear: () => void;
};

export function PolicyEditor({
  name,
  start,
  about,
  form,
  children,
}: {
  /** Of its draft. */
  name: string;
  start: string;
  about: string;
  /** Of the requests with which it is tried. */
  form: ParamForm;
  children: (edited: Edited) => ReactNode;
}) {
  const draft = useDraft(name, start);
  const { data, isCurrent, error, refetch } = useBuilt(draft.code);
  const built = data && 'code' in data ? data : undefined;
  const code = isCurrent ? built?.code : undefined;
  const computed = useCid(code ?? '');
  const cid = code === undefined ? undefined : computed;
  return (
    <>
      <DraftNotice draft={draft} />
      <RunByKeyboard>
        <Textarea
          label={t('Policy')}
          description={about}
          {...text(draft.code, draft.change)}
          error={data && 'error' in data && <span style={{ whiteSpace: 'pre-wrap' }}>{data.error}</span>}
          autosize
          minRows={8}
          maxRows={30}
          spellCheck={false}
          ff="monospace"
        />
        {error && <ErrorMessage error={error} onRetry={() => void refetch()} />}
        {built && <Built {...built} cid={cid} />}
        <RunPanel source={code === undefined ? undefined : { code }} form={form} />
      </RunByKeyboard>
      {children({ policy: draft.code, code, cid, clear: draft.clear })}
    </>
  );
}

function Built({ code, explanation, cid }: { code: string; explanation: string; cid: string | undefined }) {
  return (
    <Stack gap="xs">
      <PolicySection explanation={explanation} />
      <Group gap={6}>
        <Text size="sm">{t('CID')}</Text>
        {cid === undefined ? <Text size="sm">…</Text> : <Identifier value={cid} label={t('Copy the CID')} />}
        <DialogButton
          label={t('Show the code')}
          title={t('Code that is built from the policy')}
          size="xs"
          modal={{ size: 'xl' }}
        >
          {() => <Code initial={code} />}
        </DialogButton>
      </Group>
    </Stack>
  );
}

export function PolicySection({ explanation }: { explanation: string }) {
  return (
    <Section title={t('Allowed by the policy')}>
      <CodeBlock label={t('The policy in sentences')}>{explanation}</CodeBlock>
    </Section>
  );
}
