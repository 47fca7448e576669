import { LatchkeyError } from '@latchkey/sdk';
import {
  Accordion,
  Button,
  Group,
  List,
  Loader,
  Modal,
  Stack,
  Table,
  Text,
  TextInput,
  Timeline,
} from '@mantine/core';
import { CheckIcon, CircleDashedIcon, SignatureIcon } from 'lucide-react';
import { useState } from 'react';
import { formatEther } from 'viem';
import { useConfig } from 'wagmi';
import { locale, t } from '../i18n.ts';
import type { PreparedWrite, Write, WriteStage } from '../session/write-stage.ts';
import type { WalletRequest } from '../wallets.ts';
import { ErrorMessage } from './error-message.tsx';
import { text } from './form.tsx';
import { useNamedChanges } from './named-changes.ts';
import { CodeBlock } from './section.tsx';
import { formatMicros, Identifier } from './values.tsx';

type Shown = {
  write: Write<unknown>;
  stage: WriteStage;
  onAnswer: (isConfirmed: boolean) => void;
};

/** Shows a write before it is sent, and its stages afterwards. */
export function WriteDialog({ write, stage, onAnswer }: Shown) {
  const [word, setWord] = useState('');
  const isSending = stage.at === 'sending';
  return (
    <Modal
      opened
      onClose={() => onAnswer(false)}
      title={write.title}
      size="lg"
      centered
      withCloseButton={!isSending}
      closeOnEscape={!isSending}
      closeOnClickOutside={false}
    >
      <Stack mih={180} justify="space-between">
        {stage.at === 'preparing' && (
          <Group>
            <Loader size="sm" />
            <Text>{t('Asking the contract what this changes…')}</Text>
          </Group>
        )}
        {'prepared' in stage && stage.prepared && (
          <Preview prepared={stage.prepared} compare={write.compare} />
        )}
        {isSending && <Stages prepared={stage.prepared} requests={stage.requests} />}
        {stage.at === 'failed' && <Failed error={stage.error} />}
        {stage.at === 'asking' && write.word !== undefined && (
          <TextInput
            label={t('Type {word} to confirm', { word: write.word })}
            {...text(word, setWord)}
            autoComplete="off"
            ref={focus}
            data-autofocus
          />
        )}
        {!isSending && <Buttons write={write} stage={stage} word={word} onAnswer={onAnswer} />}
      </Stack>
    </Modal>
  );
}

function Buttons({ write, stage, word, onAnswer }: Shown & { word: string }) {
  const { transactionHash, isWalletAsking } = failureOf('error' in stage && stage.error);
  const isRepeatable = transactionHash === undefined && !isWalletAsking;
  return (
    <Group justify="end">
      <Button
        variant="default"
        onClick={() => onAnswer(false)}
        data-autofocus={(write.isDestructive && write.word === undefined) || undefined}
      >
        {stage.at === 'failed' ? t('Close') : t('Cancel')}
      </Button>
      {stage.at === 'asking' && (
        <Button
          color={write.isDestructive ? 'red' : undefined}
          onClick={() => onAnswer(true)}
          disabled={write.word !== undefined && word !== write.word}
          data-autofocus={!write.isDestructive || undefined}
        >
          {stage.prepared.mode === 'api' ? write.title : t('Continue in the wallet')}
        </Button>
      )}
      {stage.at === 'failed' && stage.prepared && isRepeatable && (
        <Button onClick={() => onAnswer(true)}>{t('Try again')}</Button>
      )}
    </Group>
  );
}

/** The failed write's transaction, which can still be mined or has reverted, and whether the wallet can still send one. */
const failureOf = (error: unknown): Partial<LatchkeyError> => (error instanceof LatchkeyError ? error : {});

function Failed({ error }: { error: unknown }) {
  const { transactionHash, isWalletAsking } = failureOf(error);
  return (
    <>
      <ErrorMessage error={error} />
      {transactionHash !== undefined && (
        <Text size="sm" component="div">
          {t(
            'This transaction was sent, and sending another one could repeat the change. Wait for it, then reload the page: {id}',
            { id: <Identifier value={transactionHash} label={t('Copy the transaction hash')} /> },
          )}
        </Text>
      )}
      {isWalletAsking && (
        <Text size="sm">
          {t(
            'The wallet still asks. Approving there makes the change: reload the page afterwards. To start again, reject it in the wallet first.',
          )}
        </Text>
      )}
    </>
  );
}

/** The dialog is open before it asks: the focus moves to what appears then. */
const focus = (element: HTMLElement | null): void => element?.focus();

const wholeText = { overflowWrap: 'anywhere' } as const;

function Preview({
  prepared,
  compare = [],
}: {
  prepared: PreparedWrite<unknown>;
  compare?: Write<unknown>['compare'];
}) {
  const named = useNamedChanges();
  return (
    <Stack gap="sm">
      <List size="sm" spacing={4}>
        {prepared.changes.map((change) => (
          <List.Item key={change}>{named(change)}</List.Item>
        ))}
      </List>
      {compare.length > 0 && (
        <Table withTableBorder aria-label={t('Before and after')}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th />
              <Table.Th>{t('Before')}</Table.Th>
              <Table.Th>{t('After')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {compare.map(({ label, before, after }) => (
              <Table.Tr key={label}>
                <Table.Th scope="row">{label}</Table.Th>
                <Table.Td style={wholeText}>{before}</Table.Td>
                <Table.Td style={wholeText} fw={before === after ? undefined : 600}>
                  {after}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
      <Cost prepared={prepared} />
      {prepared.mode === 'chainSecured' && (
        <Accordion variant="contained">
          <Accordion.Item value="calls">
            <Accordion.Control>{t('Message that the wallet signs')}</Accordion.Control>
            <Accordion.Panel>
              <Text size="sm" component="div">
                {t('A transaction to the contract {id}', {
                  id: <Identifier value={prepared.transaction.to} label={t('Copy the address')} />,
                })}
              </Text>
              <CodeBlock label={t('Calls')}>
                {prepared.calls
                  .map(({ functionName, args }) => `${functionName}(${formatArgs(args)})`)
                  .join('\n')}
              </CodeBlock>
            </Accordion.Panel>
          </Accordion.Item>
        </Accordion>
      )}
    </Stack>
  );
}

const formatArgs = (args: object): string =>
  JSON.stringify(args, (_name, value: unknown) => (typeof value === 'bigint' ? String(value) : value), 2);

function Cost({ prepared }: { prepared: PreparedWrite<unknown> }) {
  const [chain] = useConfig().chains;
  if (prepared.mode === 'api' || !prepared.estimate) {
    const { priceMicros = 0n } = prepared;
    return (
      <Text size="sm">
        {priceMicros === 0n
          ? t('Free of charge.')
          : t('Costs {priceMicros} of credit.', { priceMicros: formatMicros(priceMicros) })}
      </Text>
    );
  }
  const { gas, cost } = prepared.estimate;
  return (
    <Text size="sm">
      {t('Costs about {amount} {symbol} for {gas} gas, paid by your wallet.', {
        amount: Number(formatEther(cost)).toPrecision(3),
        symbol: chain.nativeCurrency.symbol,
        gas: gas.toLocaleString(locale),
      })}
    </Text>
  );
}

/** The consents that the write needs, the transaction, and its block. */
function Stages({ prepared, requests }: { prepared: PreparedWrite<unknown>; requests: WalletRequest[] }) {
  if (prepared.mode === 'api')
    return (
      <Group role="status">
        <Loader size="sm" />
        <Text size="sm">
          {requests.at(-1)?.state === 'asked'
            ? t('Confirm the signature in your wallet.')
            : t('The relayer writes to the chain. It is visible in a moment.')}
        </Text>
      </Group>
    );
  const signed = requests.filter(
    ({ method, state }) => method !== 'eth_sendTransaction' && state === 'granted',
  ).length;
  const sent = requests.find(({ method, state }) => method === 'eth_sendTransaction' && state === 'granted');
  const isAsked = requests.at(-1)?.state === 'asked';
  const active = signed + (sent ? 1 : 0);
  return (
    <Timeline active={active - 1} bulletSize={24} role="status" aria-label={t('Progress')}>
      {prepared.signatures.map((name, i) => (
        <Timeline.Item
          key={name}
          title={t('Signature: {name}', { name })}
          bullet={i < signed ? <CheckIcon size={14} /> : <SignatureIcon size={14} />}
        >
          <Text size="sm">
            {i < signed
              ? t('Signed.')
              : i === signed && isAsked
                ? t('Confirm it in your wallet.')
                : t('Waits.')}
          </Text>
        </Timeline.Item>
      ))}
      <Timeline.Item
        title={t('Transaction')}
        bullet={sent ? <CheckIcon size={14} /> : <SignatureIcon size={14} />}
      >
        {sent ? (
          <Identifier value={String(sent.result)} label={t('Copy the transaction hash')} />
        ) : (
          <Text size="sm">
            {signed === prepared.signatures.length && isAsked ? t('Confirm it in your wallet.') : t('Waits.')}
          </Text>
        )}
      </Timeline.Item>
      <Timeline.Item title={t('Block')} bullet={<CircleDashedIcon size={14} />}>
        <Text size="sm">{sent ? t('Waits for the next block.') : t('Waits.')}</Text>
      </Timeline.Item>
    </Timeline>
  );
}
