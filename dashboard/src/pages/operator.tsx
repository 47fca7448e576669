/** The page of the operator: the state of the deployment, behind the operator's own token. It knows no account. */
import { Button, Card, Group, PasswordInput, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ColorScheme } from '../components/color-scheme.tsx';
import { Form, text } from '../components/form.tsx';
import { Loaded, Page } from '../components/page.tsx';
import { Facts, Section } from '../components/section.tsx';
import { Time } from '../components/values.tsx';
import { t } from '../i18n.ts';
import { useSessionState } from '../session/session-context.tsx';
import {
  type OperatorStatus,
  readStatus,
  readTriggersHealth,
  type TriggersHealth,
} from './operator/status.ts';
import {
  ChainsTable,
  Configuration,
  KeyNodesTable,
  PartsTable,
  PayersTable,
  Queues,
  RunnersTable,
  Troubles,
} from './operator/tables.tsx';
import { troublesOf } from './operator/troubles.ts';

const REFRESH_MS = 10_000;

export default function Operator() {
  const [token, setToken] = useState<string>();
  return token === undefined ? <LogIn onToken={setToken} /> : <Deployment token={token} />;
}

function LogIn({ onToken }: { onToken: (token: string) => void }) {
  const { config } = useSessionState();
  const [typed, setTyped] = useState('');
  const logIn = async () => {
    const token = typed.trim();
    await readStatus(config.relayerUrl, token);
    return token;
  };
  return (
    <Page
      title={t('Operator')}
      about={t(
        'The state of the deployment, for the one who runs it. An account has no access, and needs none.',
      )}
      action={<ColorScheme />}
    >
      <Card withBorder maw={440}>
        <Form label={t('Log in')} send={logIn} onDone={onToken}>
          <PasswordInput
            label={t('Token of the operator')}
            description={t('It stays in the memory of this page and is sent to the relayer only.')}
            {...text(typed, setTyped)}
            autoComplete="off"
            required
            data-autofocus
          />
        </Form>
      </Card>
    </Page>
  );
}

/** Reads again every ten seconds while the page is visible. */
function Deployment({ token }: { token: string }) {
  const { config } = useSessionState();
  const status = useQuery({
    queryKey: ['operator', 'status'],
    queryFn: ({ signal }) => readStatus(config.relayerUrl, token, signal),
    refetchInterval: REFRESH_MS,
    // Its function has the token.
    gcTime: 0,
  });
  const triggers = useQuery({
    queryKey: ['operator', 'triggers'],
    queryFn: ({ signal }) => readTriggersHealth(config.triggersUrl, signal),
    refetchInterval: REFRESH_MS,
  });
  // The memory of a new document has no token.
  const logOut = () => location.reload();
  return (
    <Page
      title={t('Operator')}
      about={
        status.data &&
        t('Read {time}, and again every ten seconds.', { time: <Time value={new Date(status.data.at)} /> })
      }
      action={
        <Group gap="xs">
          <ColorScheme />
          <Button variant="default" onClick={logOut}>
            {t('Log out')}
          </Button>
        </Group>
      }
    >
      <Loaded query={status}>{(found) => <Tables status={found} triggers={triggers.data} />}</Loaded>
    </Page>
  );
}

function Tables({ status, triggers }: { status: OperatorStatus; triggers: TriggersHealth | undefined }) {
  const { chain } = useSessionState();
  return (
    <Stack gap="lg">
      <Troubles troubles={troublesOf(status, triggers)} />
      <PartsTable parts={[...status.parts, ...(triggers?.parts ?? [])]} />
      <PayersTable payers={status.payers} token={chain.token} />
      <Queues queues={status.queues} />
      <ChainsTable chains={status.chains} />
      <RunnersTable runners={status.runners} />
      <KeyNodesTable status={status} />
      <Section title={t('Versions')}>
        <Facts
          label={t('Versions')}
          facts={{
            [t('Relayer')]: `${status.version}, commit ${status.commit.slice(0, 12)}`,
            [t('Relayers on the database')]: status.relayers ?? '–',
            [t('Trigger service')]: triggers?.version ?? '–',
            [t('Indexer')]: status.queues.indexer?.version ?? '–',
          }}
        />
      </Section>
      <Configuration contract={status.contract} />
    </Stack>
  );
}
