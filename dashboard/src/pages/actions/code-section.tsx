/** The code of a registered action. The chain stores only the hash of its CID: the code is stored at the relayer, or pasted. */
import { Button, Group, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { ErrorMessage } from '../../components/error-message.tsx';
import { Form } from '../../components/form.tsx';
import { Loaded } from '../../components/page.tsx';
import { Section } from '../../components/section.tsx';
import { Copy, Time } from '../../components/values.tsx';
import { t } from '../../i18n.ts';
import { useBalance, useStoredCodes } from '../../queries.ts';
import { Code, CodeField, useCid } from './code-field.tsx';
import { type Registered, useRegisteredCid, useStoredCode } from './stored-code.ts';
import { useStoreCode } from './use-version.ts';

/** Calls `children` with the code once it is known, and with undefined before. */
export function CodeSection({
  action,
  children,
}: {
  action: Registered;
  children: (code: string | undefined) => ReactNode;
}) {
  const codes = useStoredCodes();
  const [code, setCode] = useState('');
  const cid = useRegisteredCid(code, action);
  const shownCid = useCid(code);
  if (codes.data === undefined && codes.fetchStatus === 'fetching')
    return <Loaded query={codes}>{() => null}</Loaded>;
  const stored = codes.data?.find(({ cid }) => cid === action.cid);
  if (stored) return <Stored {...stored}>{children}</Stored>;
  return (
    <>
      <Section title={t('Code')} about={<Where action={action} codes={codes} />}>
        <CodeField initial="" cid={shownCid} onChange={setCode}>
          <Text size="sm" role="status">
            {cid
              ? t('This is the code of the action.')
              : code !== '' && t('This is not the code of the action.')}
          </Text>
        </CodeField>
        {cid && <Store cid={cid} code={code} />}
      </Section>
      {children(cid ? code : undefined)}
    </>
  );
}

function Store(stored: { cid: string; code: string }) {
  const store = useStoreCode();
  const send = async (): Promise<true> => {
    await store(stored);
    return true;
  };
  return (
    <Form label={t('Store the code')} send={send} isInline>
      <Text size="sm">
        {t('The relayer keeps it sealed for this account, so that this page can show it again.')}
      </Text>
    </Form>
  );
}

function Stored({
  cid,
  storedAt,
  children,
}: {
  cid: string;
  storedAt: Date;
  children: (code: string | undefined) => ReactNode;
}) {
  const code = useStoredCode(cid);
  return (
    <>
      <Section
        title={t('Code')}
        about={t('Stored {time}, sealed for this account.', { time: <Time value={storedAt} /> })}
      >
        <Loaded query={code}>
          {(text) => (
            <>
              <Group gap="xs" justify="space-between">
                <Text size="sm">{t('It has the CID of the action.')}</Text>
                <Copy value={text} label={t('Copy the code')} />
              </Group>
              <Code initial={text} />
            </>
          )}
        </Loaded>
      </Section>
      {children(code.data)}
    </>
  );
}

/** Says why the code is not shown, and how it can be. */
function Where({ action: { cid }, codes }: { action: Registered; codes: ReturnType<typeof useStoredCodes> }) {
  const balance = useBalance();
  if (codes.error) return <ErrorMessage error={codes.error} onRetry={() => void codes.refetch()} />;
  if (codes.data)
    return cid === undefined
      ? t(
          'The chain stores the hash of the CID only, and the code is not stored at the relayer. Paste it to read, run and store it here.',
        )
      : t('The code is not stored at the relayer. Paste it to read and store it here.');
  return (
    <Group gap="xs">
      <Text size="sm">
        {t(
          'The relayer can have the code. To read it, your wallet signs one message (BillingAuth), which is free. Or paste the code.',
        )}
      </Text>
      <Button size="xs" variant="default" onClick={() => void balance.refetch()} loading={balance.isFetching}>
        {t('Sign with the wallet')}
      </Button>
      {balance.error && <ErrorMessage error={balance.error} />}
    </Group>
  );
}
