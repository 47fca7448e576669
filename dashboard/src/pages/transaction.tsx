/** One transaction of a wallet, by its id or by a hash. */
import type { WalletTransaction } from '@latchkey/sdk';
import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { formatEther, formatGwei } from 'viem';
import { CreditAccess } from '../components/credit-access.tsx';
import { ActionName, KeyName, WalletName } from '../components/names.tsx';
import { Loaded, Missing, Page } from '../components/page.tsx';
import { CodeBlock, Facts, Section } from '../components/section.tsx';
import { TextLink } from '../components/text-link.tsx';
import { Identifier, short, Time } from '../components/values.tsx';
import { locale, t } from '../i18n.ts';
import { useSession } from '../session/session-context.tsx';
import { ExplorerLink, TransactionStatus, useChainName } from './wallets/transactions.tsx';

/** Of the newest transactions of the account: those in which a hash is looked for. */
const READ = 1_000;
const isHash = (text: string): boolean => /^0x[0-9a-f]{64}$/i.test(text);

export default function Transaction() {
  const { id } = useParams({ from: '/transactions/$id' });
  return (
    <Page title={t('Transaction')}>
      <CreditAccess>
        <LoadedTransaction key={id} id={id} />
      </CreditAccess>
    </Page>
  );
}

function LoadedTransaction({ id }: { id: string }) {
  const { client, mode } = useSession();
  const transaction = useQuery({
    queryKey: ['transactions', 'one', id],
    queryFn: async () => {
      if (!isHash(id)) return client.getTransaction({ id });
      const { items } = await client.listTransactions({ pageSize: READ });
      const found = items.find(({ hashes }) =>
        hashes.some((hash) => hash.toLowerCase() === id.toLowerCase()),
      );
      return found ? client.getTransaction({ id: found.id }) : null;
    },
    refetchOnWindowFocus: mode === 'api',
  });
  const missing = (
    <Missing
      title={t('There is no such transaction')}
      why={
        isHash(id)
          ? t('The newest {count} transactions of the account’s wallets have no such hash.', {
              count: READ.toLocaleString(locale),
            })
          : t('A settled one is listed for 30 days.')
      }
      to="/wallets"
    />
  );
  return (
    <Loaded query={transaction} missing={missing}>
      {(found) => (found ? <Details transaction={found} /> : missing)}
    </Loaded>
  );
}

function Details({ transaction }: { transaction: WalletTransaction }) {
  const { hash, hashes, explorerUrl, reason, blockNumber, to, data, cancelRequestedAt } = transaction;
  const others = hashes.filter((other) => other !== hash);
  const chainName = useChainName();
  return (
    <Stack gap="lg">
      <Facts
        label={t('Transaction')}
        facts={{
          [t('Status')]: <TransactionStatus transaction={transaction} />,
          [t('Reason')]: reason,
          [t('Hash')]: hash && <Identifier value={hash} label={t('Copy the hash')} />,
          [t('Earlier hashes')]:
            others.length > 0 &&
            others.map((other) => (
              <Identifier key={other} value={other} label={t('Copy the earlier hash')} />
            )),
          [t('Explorer')]: explorerUrl && <ExplorerLink url={explorerUrl}>{short(hash)}</ExplorerLink>,
          [t('Wallet')]: <WalletName address={transaction.wallet} />,
          [t('Chain')]: chainName(transaction.chainId),
          [t('Nonce')]: transaction.nonce,
          [t('To')]: to ? <Identifier value={to} label={t('Copy the recipient')} /> : t('A new contract'),
          [t('Value')]: t('{amount} in the coin of the chain', { amount: formatEther(transaction.value) }),
          [t('Gas')]: transaction.gas.toLocaleString(locale),
          [t('Highest fee per gas')]: `${formatGwei(transaction.maxFeePerGas)} gwei`,
          [t('Block')]: blockNumber === undefined ? false : String(blockNumber),
          [t('Run')]: (
            <TextLink to="/runs/$id" params={{ id: transaction.runId }} size="sm">
              {transaction.runId}
            </TextLink>
          ),
          [t('Action')]: <ActionName cid={transaction.cid} />,
          [t('Usage key')]: <KeyName hash={transaction.usageKeyHash} />,
          [t('Stored')]: <Time value={transaction.createdAt} />,
          [t('Changed')]: <Time value={transaction.changedAt} />,
          [t('Cancellation asked')]: cancelRequestedAt && <Time value={cancelRequestedAt} />,
        }}
      />
      {data !== undefined && data !== '0x' && (
        <Section title={t('Calldata')}>
          <CodeBlock label={t('Calldata')}>{data}</CodeBlock>
        </Section>
      )}
    </Stack>
  );
}
