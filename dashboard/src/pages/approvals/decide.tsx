/** The decision of an approver about an approval, by a wallet or a passkey. */
import { type Approval, createClient, type Wallet } from '@latchkey/sdk';
import { Button, Group, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { ChooseWallet } from '../../components/choose-wallet.tsx';
import { ErrorMessage } from '../../components/error-message.tsx';
import { Section } from '../../components/section.tsx';
import { t } from '../../i18n.ts';
import { canAskFor } from '../../passkeys.ts';
import { useSessionState } from '../../session/session-context.tsx';

/** A client without a key: an approval is read by its id, and decided by a signature. */
export function useKeylessClient() {
  const { config } = useSessionState();
  return useMemo(() => createClient({ url: config.relayerUrl }), [config.relayerUrl]);
}

export function Decide({ approval }: { approval: Approval }) {
  const { approvers, contractApprovers, passkeyApprovers } = approval;
  return (
    <>
      {passkeyApprovers.length > 0 && <ByPasskey approval={approval} />}
      {approvers.length + contractApprovers.length > 0 && <ByWallet approval={approval} />}
    </>
  );
}

type Decision = 'approveRun' | 'refuseRun';
type Client = ReturnType<typeof useKeylessClient>;

function useDecision(sign: (client: Client, decision: Decision) => Promise<Approval>) {
  const queries = useQueryClient();
  const client = useKeylessClient();
  return useMutation({
    mutationFn: (decision: Decision) => sign(client, decision),
    onSettled: () => queries.invalidateQueries({ queryKey: ['approvals'] }),
  });
}

function ByPasskey({ approval }: { approval: Approval }) {
  const decide = useDecision((client, decision) =>
    client[decision]({ approval, passkey: (publicKey) => navigator.credentials.get({ publicKey }) }),
  );
  if (!canAskFor(approval.passkeyRpId ?? ''))
    return (
      <Section title={t('Decide with a passkey')}>
        <Text size="sm">
          {t('The passkeys of this approval work on pages of {passkeyRpId} only. Open the approval there.', {
            passkeyRpId: approval.passkeyRpId,
          })}
        </Text>
      </Section>
    );
  return (
    <Section
      title={t('Decide with a passkey')}
      about={t(
        'Your device shows none of these values when it asks for the passkey: compare them here. Signing is free.',
      )}
    >
      <Buttons decide={decide} by="passkey" />
    </Section>
  );
}

function ByWallet({ approval }: { approval: Approval }) {
  const [wallet, setWallet] = useState<Wallet>();
  if (!wallet)
    return (
      <Section title={t('Decide with a wallet')} about={t('Choose the wallet of an approver.')}>
        <ChooseWallet onConnect={(connected) => setWallet(connected.wallet)} />
      </Section>
    );
  const { address } = wallet.account;
  if (![...approval.approvers, ...approval.contractApprovers].includes(address))
    return (
      <Section title={t('Decide with a wallet')}>
        <Text size="sm">{t('The wallet {address} is not an approver of this run.', { address })}</Text>
        <Button variant="default" onClick={() => setWallet(undefined)}>
          {t('Choose another wallet')}
        </Button>
      </Section>
    );
  return <WithWallet approval={approval} wallet={wallet} />;
}

function WithWallet({ approval, wallet }: { approval: Approval; wallet: Wallet }) {
  const decide = useDecision((client, decision) => client[decision]({ approval, wallet }));
  return (
    <Section
      title={t('Decide with a wallet')}
      about={t('Your wallet shows the same values. Signing is free.')}
    >
      <Buttons decide={decide} hasSigned={approval.signedBy.includes(wallet.account.address)} />
    </Section>
  );
}

function Buttons({
  decide,
  by,
  hasSigned = false,
}: {
  decide: ReturnType<typeof useDecision>;
  by?: 'passkey';
  hasSigned?: boolean;
}) {
  return (
    <>
      {decide.error && <ErrorMessage error={decide.error} />}
      <Group>
        <Button onClick={() => decide.mutate('approveRun')} loading={decide.isPending} disabled={hasSigned}>
          {t('{by, select, passkey {Approve with a passkey} other {Approve}}', { by })}
        </Button>
        <Button
          variant="outline"
          color="red"
          onClick={() => decide.mutate('refuseRun')}
          loading={decide.isPending}
        >
          {t('{by, select, passkey {Refuse with a passkey} other {Refuse}}', { by })}
        </Button>
      </Group>
    </>
  );
}
