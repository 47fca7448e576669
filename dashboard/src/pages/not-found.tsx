import { Anchor, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Page } from '../components/page.tsx';

export function NotFound() {
  return (
    <Page title="There is no such page">
      <Text>
        Go to the{' '}
        <Anchor component={Link} to="/">
          overview
        </Anchor>
        .
      </Text>
    </Page>
  );
}
