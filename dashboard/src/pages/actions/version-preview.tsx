import { Stack, Text } from '@mantine/core';
import { Names } from '../../components/lists.tsx';
import { Facts } from '../../components/section.tsx';
import { type AccountLists, nameOfGroup, nameOfKey, nameOfWallet } from '../../names.ts';
import { findVersionChanges, type Replaced } from './version-changes.ts';

/** Shows who gains and loses what by a new version. */
export function VersionPreview({
  lists,
  before,
  after,
  replaced,
}: {
  lists: AccountLists;
  before: bigint;
  after: bigint;
  replaced: Replaced;
}) {
  const { groups, gained, lost } = findVersionChanges(lists, { before, after, replaced });
  const keys = (of: typeof gained) => <Names names={of.keys.map(nameOfKey)} none="None" />;
  const wallets = (of: typeof gained) => (
    <Names names={of.wallets.map((address) => nameOfWallet(lists.wallets, address))} none="None" />
  );
  return (
    <Stack gap="xs">
      <Text size="sm">
        {groups.length === 0
          ? 'No group names the version before, so none changes.'
          : 'The groups permit the new version before they no longer permit the one before: no run is refused in between.'}
        {replaced === 'removed' && ' The version before is removed from the account.'}
      </Text>
      <Facts
        label="What changes"
        facts={{
          Groups: <Names names={groups.map(nameOfGroup)} none="None" />,
          'Keys that can run the new version': keys(gained),
          'Wallets that it can use, with their secrets': wallets(gained),
          'Keys that can no longer run the version before': keys(lost),
          'Wallets that it can no longer use': wallets(lost),
        }}
      />
    </Stack>
  );
}
