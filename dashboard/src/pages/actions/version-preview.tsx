import { Stack, Text } from '@mantine/core';
import { Names } from '../../components/lists.tsx';
import { Facts } from '../../components/section.tsx';
import { t } from '../../i18n.ts';
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
  const keys = (of: typeof gained) => <Names names={of.keys.map(nameOfKey)} none={t('None')} />;
  const wallets = (of: typeof gained) => (
    <Names names={of.wallets.map((address) => nameOfWallet(lists.wallets, address))} none={t('None')} />
  );
  return (
    <Stack gap="xs">
      <Text size="sm">
        {groups.length === 0
          ? t('No group names the version before, so none changes.')
          : t(
              'The groups permit the new version before they no longer permit the one before: no run is refused in between.',
            )}
        {replaced === 'removed' && <> {t('The version before is removed from the account.')}</>}
      </Text>
      <Facts
        label={t('What changes')}
        facts={{
          [t('Groups')]: <Names names={groups.map(nameOfGroup)} none={t('None')} />,
          [t('Keys that can run the new version')]: keys(gained),
          [t('Wallets that it can use, with their secrets')]: wallets(gained),
          [t('Keys that can no longer run the version before')]: keys(lost),
          [t('Wallets that it can no longer use')]: wallets(lost),
        }}
      />
    </Stack>
  );
}
