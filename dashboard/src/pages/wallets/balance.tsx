/** The balance of a wallet on the chain of the service. */
import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type Address, formatEther } from 'viem';
import { getBalance } from 'viem/actions';
import { useConfig } from 'wagmi';
import { Loaded } from '../../components/page.tsx';
import { Facts } from '../../components/section.tsx';
import { t } from '../../i18n.ts';
import { useSession, useSessionState } from '../../session/session-context.tsx';

export function Balance({ address }: { address: Address }) {
  const { config, chain } = useSessionState();
  const session = useSession();
  const wagmi = useConfig();
  const ownNode = session.mode === 'chainSecured' ? session.wallet : undefined;
  const node = config.rpcUrl === undefined ? ownNode : wagmi.getClient();
  const balance = useQuery({
    queryKey: ['balance of', address],
    queryFn: () => (node ? getBalance(node, { address }) : null),
  });
  return (
    <Loaded query={balance} height={40}>
      {(wei) =>
        wei === null ? (
          <Text size="sm">{t('Set rpcUrl in config.json to see the balance.')}</Text>
        ) : (
          <Facts label={t('Balance')} facts={{ [chain.chainName]: `${formatEther(wei)} ${chain.token}` }} />
        )
      }
    </Loaded>
  );
}
