/** “May this key run this action with this wallet?”, answered by the contract. */
import type { ExplainExecutionResult, Verdict } from '@latchkey/sdk';
import { Alert, Select, SimpleGrid, Text } from '@mantine/core';
import { CheckIcon, XIcon } from 'lucide-react';
import { useState } from 'react';
import type { Address } from 'viem';
import { Form } from '../../components/form.tsx';
import { Section } from '../../components/section.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { t } from '../../i18n.ts';
import {
  type AccountLists,
  actionOptions,
  keyOptions,
  type ListedGroup,
  nameOfGroup,
  walletOptions,
} from '../../names.ts';
import { useSession } from '../../session/session-context.tsx';

export function Ask({ groups, keys, actions, wallets }: AccountLists) {
  const { client } = useSession();
  const [asked, setAsked] = useState<{ usageKey?: string; action?: string; wallet?: string }>({});
  const [answer, setAnswer] = useState<{ asked: object; result: ExplainExecutionResult }>();
  const ask = async () => ({
    asked,
    result: await client.explainExecution({
      cid: BigInt(asked.action ?? 0),
      pkpId: asked.wallet as Address | undefined,
      usageKey: BigInt(asked.usageKey ?? 0),
    }),
  });
  const field = (name: keyof typeof asked) => ({
    value: asked[name] ?? null,
    onChange: (value: string | null) => setAsked({ ...asked, [name]: value ?? undefined }),
    searchable: true,
  });
  return (
    <Section title={t('May this key run this action with this wallet?')}>
      <Form label={t('Ask the contract')} send={ask} onDone={setAnswer} isInline gap="sm">
        <SimpleGrid cols={{ base: 1, md: 3 }}>
          <Select
            label={t('Usage key')}
            description={t('The contract decides by its hash.')}
            placeholder={t('Choose a key')}
            data={keyOptions(keys)}
            {...field('usageKey')}
            allowDeselect={false}
            required
          />
          <Select
            label={t('Action')}
            description={t('An action of the account.')}
            placeholder={t('Choose an action')}
            data={actionOptions(actions)}
            {...field('action')}
            allowDeselect={false}
            required
          />
          <Select
            label={t('Wallet')}
            description={t('Leave it empty to ask about the action only.')}
            placeholder={t('No wallet')}
            data={walletOptions(wallets)}
            {...field('wallet')}
            clearable
            clearButtonProps={{ 'aria-label': t('Ask without a wallet') }}
          />
        </SimpleGrid>
      </Form>
      {/* An answer belongs to its fields: a change of one removes it. */}
      {answer?.asked === asked && <Answer result={answer.result} groups={groups} />}
    </Section>
  );
}

/** The rule that decides, as a sentence, and the change that permits what is refused. */
const REASONS: { [rule in Verdict['rule']]: { reason: string; fix?: string } } = {
  key_unknown: {
    reason: t('This usage key does not exist, or was removed.'),
    fix: t('Check the key for missing characters, or create a key under Usage keys.'),
  },
  not_usage_key: {
    reason: t('This is an account key, which cannot run actions.'),
    fix: t('Ask with a usage key.'),
  },
  key_expired: { reason: t('The key has expired.'), fix: t('Open the key and set a later expiry.') },
  wildcard: { reason: t('The key may run the actions of every group.') },
  group: { reason: t('A group of the key permits the action.') },
  no_group_permits_action: {
    reason: t('The action is in none of the groups in which the key may run actions.'),
    fix: t('Add the action to such a group, or give the key a group that has the action.'),
  },
  wallet_unknown: {
    reason: t('The account of the key does not have this wallet.'),
    fix: t('Choose a wallet of the same account.'),
  },
  no_group_permits_wallet: {
    reason: t('No group in which the key runs actions has both the action and the wallet.'),
    fix: t('Add the wallet to a group of the key that has the action.'),
  },
};

function Answer({
  result: { action, wallet },
  groups,
}: {
  result: ExplainExecutionResult;
  groups: ListedGroup[];
}) {
  // The wallet matters only when the key may run the action.
  const decisive = action.permitted && wallet ? wallet : action;
  const { permitted, rule, groupId } = decisive;
  const { reason, fix } = REASONS[rule];
  const group = groups.find((one) => one.groupId === groupId);
  return (
    <Alert
      variant="default"
      icon={
        permitted ? (
          <CheckIcon color="var(--mantine-color-teal-8)" aria-hidden />
        ) : (
          <XIcon color="var(--mantine-color-red-8)" aria-hidden />
        )
      }
      title={
        permitted ? t('Yes') : action.permitted ? t('It may run the action, but not use the wallet') : t('No')
      }
      role="status"
    >
      <Text size="sm">
        {rule === 'group'
          ? t(
              'This group of the key permits {both, select, true {the action and the wallet} other {the action}}: {group}.',
              {
                both: wallet !== undefined && action.permitted,
                group: (
                  <TextLink to="/groups/$id" params={{ id: String(groupId) }} size="sm">
                    {group ? nameOfGroup(group) : t('Group {groupId}', { groupId })}
                  </TextLink>
                ),
              },
            )
          : reason}
      </Text>
      {fix && <Text size="sm">{fix}</Text>}
    </Alert>
  );
}
