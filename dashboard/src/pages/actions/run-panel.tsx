/** Runs an action: parameters, logs as they come, and the result with its receipt. */
import { cidOf } from '@latchkey/protocol';
import { type ActionSource, createClient, type RunActionResult } from '@latchkey/sdk';
import { Badge, Button, Group, PasswordInput, Stack, Text, Textarea } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { CheckIcon, PlayIcon, SquareIcon, XIcon } from 'lucide-react';
import { type FormEvent, type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { ErrorMessage } from '../../components/error-message.tsx';
import { text } from '../../components/form.tsx';
import { parseObject, readObject } from '../../components/json-object.ts';
import { Receipt } from '../../components/receipt.tsx';
import { CodeBlock, Fact, Section } from '../../components/section.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { formatMicros, Identifier } from '../../components/values.tsx';
import { locale, t } from '../../i18n.ts';
import { useSendOnce } from '../../session/send-once.ts';
import { useSession, useSessionState } from '../../session/session-context.tsx';
import { ParamFields } from './param-fields.tsx';
import type { ParamForm, Params } from './param-forms.ts';
import { RunFix } from './run-fix.tsx';

type Request = { source: ActionSource; usageKey: string; jsParams: { [name: string]: unknown } };
type Ran = { result: RunActionResult; cid: string; jsParams: Request['jsParams'] };

/** The run of the panel, its logs as they come, and the function that stops it. Leaving the page ends the wait for the run. */
function useRun() {
  const { client } = useSession();
  const { relayerUrl } = useSessionState().config;
  const queries = useQueryClient();
  const sendOnce = useSendOnce();
  const [live, setLive] = useState({ runId: '', logs: '' });
  const leaving = useRef(new AbortController());
  useEffect(() => {
    leaving.current = new AbortController();
    return () => leaving.current.abort();
  }, []);
  const run = useMutation({
    mutationFn: async ({ source, usageKey, jsParams }: Request): Promise<Ran> => {
      setLive({ runId: '', logs: '' });
      const request = { ...source, jsParams, usageKey };
      const result = await sendOnce(request, (idempotencyKey) =>
        client.runAction(request, {
          idempotencyKey,
          signal: leaving.current.signal,
          onStart: ({ runId }) => setLive((now) => ({ ...now, runId })),
          onLog: (line) => setLive((now) => ({ ...now, logs: now.logs + line })),
        }),
      );
      // The reply to a repeated request does not contain the CID.
      const cid = source.code === undefined ? source.cid : await cidOf(source.code);
      return { result, cid, jsParams };
    },
    onSettled: () => {
      for (const queryKey of [['runs'], ['balance'], ['ledger']])
        void queries.invalidateQueries({ queryKey });
    },
  });
  const stop = useMutation({
    // Stopped with the usage key, so that no wallet must sign.
    mutationFn: (usageKey: string) =>
      createClient({ url: relayerUrl, apiKey: usageKey }).stopRun({ runId: live.runId }),
  });
  const isShown = run.isPending || run.data !== undefined;
  return {
    run,
    stop,
    start: (request: Request): void => {
      stop.reset();
      run.mutate(request);
    },
    isStoppable: run.isPending && live.runId !== '',
    logs: isShown ? (run.data?.result.logs ?? live.logs) : undefined,
    error: run.error ?? stop.error,
  };
}

/** Code and a panel that runs it: Ctrl+Enter, or ⌘+Enter, anywhere in them runs it. */
export function RunByKeyboard({ children }: { children: ReactNode }) {
  const area = useRef<HTMLDivElement>(null);
  const press = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    // Before the editor, which would add a line.
    event.preventDefault();
    event.stopPropagation();
    area.current?.querySelector<HTMLButtonElement>('[data-run]')?.click();
  };
  return (
    <Stack ref={area} onKeyDownCapture={press}>
      {children}
    </Stack>
  );
}

const ANY_PARAMS: ParamForm = { params: {}, fieldsOf: () => [] };

export function RunPanel({
  source,
  form = ANY_PARAMS,
}: {
  /** Undefined while there is nothing to run. */
  source: ActionSource | undefined;
  form?: ParamForm | undefined;
}) {
  const [key, setKey] = useState('');
  const [json, setJson] = useState(() => toJson(form.params));
  const { run, stop, start, isStoppable, logs, error } = useRun();
  const parsed = parseObject(json);
  const usageKey = key.trim();
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (source) start({ source, usageKey, jsParams: readObject(json) });
  };
  return (
    <Section title={t('Run')}>
      <form onSubmit={submit}>
        <Stack gap="sm">
          <PasswordInput
            label={t('Usage key')}
            description={t('It must be permitted to run this action. It stays in the memory of this page.')}
            {...text(key, setKey)}
            autoComplete="off"
            required
          />
          <ParamsField form={form} json={json} onChange={setJson} />
          <Group gap="xs">
            <Button
              type="submit"
              data-run
              leftSection={<PlayIcon size={16} aria-hidden />}
              loading={run.isPending}
              disabled={source === undefined || 'error' in parsed}
            >
              {t('Run the action')}
            </Button>
            {isStoppable && <StopButton isStopping={stop.isPending} onStop={() => stop.mutate(usageKey)} />}
          </Group>
        </Stack>
      </form>
      {error && <ErrorMessage error={error} />}
      {run.error && <RunFix error={run.error} refused={run.variables} />}
      {logs !== undefined && <Output label={t('Logs')} text={logs} none={t('No output yet.')} role="log" />}
      {run.data && <Result ran={run.data} />}
    </Section>
  );
}

const toJson = (params: Params): string => JSON.stringify(params, null, 2);

type ParamsProps = { form: ParamForm; json: string; onChange: (json: string) => void };

function ParamsField({ form, json, onChange }: ParamsProps) {
  const parsed = parseObject(json);
  const params = 'error' in parsed ? undefined : parsed.value;
  const fields = form.fieldsOf(params ?? form.params);
  return (
    <>
      {fields.length > 0 && (
        <ParamFields fields={fields} params={params} onChange={(changed) => onChange(toJson(changed))} />
      )}
      <Textarea
        label={t('Parameters')}
        description={t('A JSON object, which main gets.')}
        {...text(json, onChange)}
        error={'error' in parsed && parsed.error}
        autosize
        minRows={3}
        maxRows={12}
        spellCheck={false}
        ff="monospace"
      />
    </>
  );
}

function StopButton({ isStopping, onStop }: { isStopping: boolean; onStop: () => void }) {
  return (
    <Button
      variant="default"
      leftSection={<SquareIcon size={16} aria-hidden />}
      loading={isStopping}
      onClick={onStop}
    >
      {t('Stop the run')}
    </Button>
  );
}

function Output({ label, text, none, role }: { label: string; text: string; none: string; role?: string }) {
  return (
    <div>
      <Text size="sm" fw={500}>
        {label}
      </Text>
      <CodeBlock label={label} role={role}>
        {text || none}
      </CodeBlock>
    </div>
  );
}

function Result({ ran: { result, cid, jsParams } }: { ran: Ran }) {
  const { response, hasError, error, runId, costMicros, receipt } = result;
  return (
    <Stack gap="sm">
      <Group gap="lg" role="status">
        <Badge
          variant="default"
          leftSection={hasError ? <XIcon size={12} aria-hidden /> : <CheckIcon size={12} aria-hidden />}
        >
          {hasError ? t('Failed') : t('Success')}
        </Badge>
        <Fact label={t('Cost')}>{formatMicros(costMicros)}</Fact>
        {receipt && (
          <Fact label={t('Duration')}>
            {t('{durationMs} ms', { durationMs: receipt.message.durationMs.toLocaleString(locale) })}
          </Fact>
        )}
        <Fact label={t('Run')}>
          <Identifier value={runId} label={t('Copy the id of the run')} />{' '}
          <TextLink to="/runs/$id" params={{ id: runId }} size="sm">
            {t('Open its record')}
          </TextLink>
        </Fact>
      </Group>
      {error ? (
        <Output
          label={t('Error')}
          text={error.stack || `${error.name}: ${error.message}`}
          none={t('No message.')}
        />
      ) : (
        <Output
          label={t('Response')}
          text={typeof response === 'string' ? response : JSON.stringify(response, null, 2)}
          none={t('main returned nothing.')}
        />
      )}
      {receipt ? (
        <Receipt receipt={receipt} stated={{ cid, jsParams, response: hasError ? undefined : response }} />
      ) : (
        <Text size="sm">{t('This run has no receipt: it ended before its code began.')}</Text>
      )}
    </Stack>
  );
}
