/** Pages that are loaded when they are opened. */
import { Alert, Button, Stack, Text } from '@mantine/core';
import { type ErrorComponentProps, lazyRouteComponent, useRouter } from '@tanstack/react-router';
import { ErrorMessage } from './components/error-message.tsx';
import { t } from './i18n.ts';

export type LoadPage = () => Promise<{ default: () => React.ReactNode }>;

class MissingPage extends Error {}

let arePagesShown = false;

/** From now on the router loads the page of a path before it shows it. Before the sign-in it would load a page that is not shown. */
export function showPages(): void {
  arePagesShown = true;
}

/** The router would reload the document when a file is missing, and a reload ends the session. */
export function lazyPage(load: LoadPage) {
  const Page = lazyRouteComponent(() =>
    load().catch((cause: unknown) => {
      throw new MissingPage('The page was not loaded.', { cause });
    }),
  );
  const preload = async (): Promise<void> => {
    if (arePagesShown) await Page.preload?.();
  };
  return Object.assign(() => <Page />, { preload });
}

/** Shown in place of a page that failed. The rest of the application, with its session, stays. */
export function PageFailed({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const retry = (): void => {
    reset();
    void router.invalidate();
  };
  if (!(error instanceof MissingPage)) return <ErrorMessage error={error} onRetry={retry} />;
  return (
    <Alert color="orange" title={t('This page was not loaded')} role="alert">
      <Stack align="start" gap="xs">
        <Text size="sm">
          {t(
            'The connection failed, or there is a new version of the dashboard. Try again. When it fails again, finish what you do on the other pages, then reload: you sign in again afterwards.',
          )}
        </Text>
        <Button size="xs" variant="default" onClick={retry}>
          {t('Try again')}
        </Button>
      </Stack>
    </Alert>
  );
}
