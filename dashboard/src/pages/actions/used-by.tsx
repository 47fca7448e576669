/** Who uses an action: usage keys and wallets through its groups, and triggers. */
import { cidHash, cidOf } from '@latchkey/protocol';
import type { Trigger, TriggersClient } from '@latchkey/sdk';
import { useQuery } from '@tanstack/react-query';
import { zeroAddress } from 'viem';
import { accessOf } from '../../access.ts';
import { Links, LoadedAll } from '../../components/lists.tsx';
import { KeyLinks, WalletLink } from '../../components/names.tsx';
import { Loaded } from '../../components/page.tsx';
import { Dimmed, Facts, Section } from '../../components/section.tsx';
import { t } from '../../i18n.ts';
import type { ListedGroup } from '../../names.ts';
import { readAll, useUsageKeys, useWallets } from '../../queries.ts';
import { WithTriggers } from '../../session/triggers.tsx';
import { TriggerTable } from '../triggers.tsx';

type Shown = { hash: bigint; groups: ListedGroup[] };

export function UsedBy(shown: Shown) {
  return (
    <>
      <Section
        title={t('Keys and wallets')}
        about={t('Who can run this action, and what it can use, through its groups.')}
      >
        <KeysAndWallets {...shown} />
      </Section>
      <Section title={t('Triggers')} about={t('They run this action by its CID, or have its code.')}>
        <TriggersOf hash={shown.hash} none={t('No trigger runs this action.')} />
      </Section>
    </>
  );
}

function KeysAndWallets({ hash, groups }: Shown) {
  const queries = { keys: useUsageKeys(), wallets: useWallets() };
  return (
    <LoadedAll queries={queries}>
      {({ keys, wallets }) => {
        const access = accessOf({ groups, keys }, hash);
        const isEvery = access.wallets.includes(zeroAddress);
        return (
          <Facts
            label={t('Keys and wallets of the action')}
            facts={{
              [t('Usage keys')]: (
                <KeyLinks
                  keys={access.keys}
                  none={t('No usage key can run it. Give one a group of the action under Usage keys.')}
                />
              ),
              [t('Wallets')]: (
                <Links
                  items={isEvery ? [zeroAddress] : access.wallets}
                  none={t('No wallet: its groups have none.')}
                >
                  {(address) => <WalletLink key={address} wallets={wallets} address={address} />}
                </Links>
              ),
            }}
          />
        );
      }}
    </LoadedAll>
  );
}

/** The triggers of the account that run the action with this hash. */
export function TriggersOf({ hash, none }: { hash: bigint; none: string }) {
  return <WithTriggers>{(client) => <TriggersIn client={client} hash={hash} none={none} />}</WithTriggers>;
}

function TriggersIn({ client, hash, none }: { client: TriggersClient; hash: bigint; none: string }) {
  const triggers = useQuery({
    queryKey: ['triggers', 'of', String(hash)],
    queryFn: () => findTriggers(client, hash),
  });
  return (
    <Loaded query={triggers} height={80}>
      {(found) => (found.length === 0 ? <Dimmed>{none}</Dimmed> : <TriggerTable triggers={found} />)}
    </Loaded>
  );
}

async function findTriggers(client: TriggersClient, hash: bigint): Promise<Trigger[]> {
  const triggers = await readAll((page) => client.listTriggers(page));
  const hashes = await Promise.all(triggers.map(hashOf));
  return triggers.filter((_trigger, index) => hashes[index] === hash);
}

const hashOf = async ({ cid, code = '' }: Trigger): Promise<bigint> => cidHash(cid ?? (await cidOf(code)));
