/** The triggers that run their actions with a usage key. */
import type { TriggersClient } from '@latchkey/sdk';
import { Loaded } from '../../components/page.tsx';
import { Dimmed } from '../../components/section.tsx';
import { t } from '../../i18n.ts';
import { useTriggers } from '../../queries.ts';
import { WithTriggers } from '../../session/triggers.tsx';
import { TriggerTable } from '../triggers.tsx';

export function TriggersOfKey({ usageKeyHash }: { usageKeyHash: bigint }) {
  return <WithTriggers>{(client) => <Found client={client} usageKeyHash={usageKeyHash} />}</WithTriggers>;
}

function Found({ client, usageKeyHash }: { client: TriggersClient; usageKeyHash: bigint }) {
  return (
    <Loaded query={useTriggers(client)} height={80}>
      {(all) => {
        const found = all.filter((trigger) => trigger.usageKeyHash === usageKeyHash);
        return found.length === 0 ? (
          <Dimmed>{t('No trigger uses this key.')}</Dimmed>
        ) : (
          <TriggerTable triggers={found} />
        );
      }}
    </Loaded>
  );
}
