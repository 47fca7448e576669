import { Anchor, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Page } from '../components/page.tsx';
import { t } from '../i18n.ts';

export function NotFound() {
  return (
    <Page title={t('There is no such page')}>
      <Text>
        {t('Go to the <link>overview</link>.', {
          link: (inner) => (
            <Anchor component={Link} to="/">
              {inner}
            </Anchor>
          ),
        })}
      </Text>
    </Page>
  );
}
