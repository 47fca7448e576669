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
import { useSession } from '../session/session-context.tsx';
import { ExplorerLink, TransactionStatus, useChainName } from './wallets/transactions.tsx';

/** Of the newest transactions of the account: those in which a hash is looked for. */
const READ = 1_000;
const isHash = (text: string): boolean => /^0x[0-9a-f]{64}$/i.test(text);

export default function Transaction() {
  const { id } = useParams({ from: '/transactions/$id' });
  return (
    <Page title="Transaction">
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
      one="transaction"
      why={
        isHash(id)
          ? `The newest ${READ.toLocaleString('en')} transactions of the account’s wallets have no such hash.`
          : 'A settled one is listed for 30 days.'
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
        label="Transaction"
        facts={{
          Status: <TransactionStatus transaction={transaction} />,
          Reason: reason,
          Hash: hash && <Identifier value={hash} label="the hash" />,
          'Earlier hashes':
            others.length > 0 &&
            others.map((other) => <Identifier key={other} value={other} label="the earlier hash" />),
          Explorer: explorerUrl && <ExplorerLink url={explorerUrl}>{short(hash)}</ExplorerLink>,
          Wallet: <WalletName address={transaction.wallet} />,
          Chain: chainName(transaction.chainId),
          Nonce: transaction.nonce,
          To: to ? <Identifier value={to} label="the recipient" /> : 'A new contract',
          Value: formatEther(transaction.value),
          Gas: transaction.gas.toLocaleString('en'),
          'Highest fee per gas': `${formatGwei(transaction.maxFeePerGas)} gwei`,
          Block: blockNumber === undefined ? false : String(blockNumber),
          Run: (
            <TextLink to="/runs/$id" params={{ id: transaction.runId }} size="sm">
              {transaction.runId}
            </TextLink>
          ),
          Action: <ActionName cid={transaction.cid} />,
          'Usage key': <KeyName hash={transaction.usageKeyHash} />,
          Stored: <Time value={transaction.createdAt} />,
          Changed: <Time value={transaction.changedAt} />,
          'Cancellation asked': cancelRequestedAt && <Time value={cancelRequestedAt} />,
        }}
      />
      {data !== undefined && data !== '0x' && (
        <Section title="Calldata">
          <CodeBlock label="Calldata">{data}</CodeBlock>
        </Section>
      )}
    </Stack>
  );
}
