import { locale, t } from './i18n.ts';
import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import './style.css';
import { createBareClient, getNodeChainConfig, LatchkeyError } from '@latchkey/sdk';
import { Center, createTheme, MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { ErrorMessage } from './components/error-message.tsx';
import { loadConfig } from './config.ts';
import { router } from './router.tsx';
import { SessionProvider } from './session/session-context.tsx';

const FONTS = [
  "'Instrument Sans'",
  "'Instrument Sans fallback'",
  "'Instrument Sans fallback of Android'",
  "'Instrument Sans fallback of Linux'",
  'system-ui',
  'sans-serif',
].join();

const theme = createTheme({
  // See style.css. Code is in Mantine's default, the monospace font of the system.
  fontFamily: FONTS,
  headings: { fontFamily: FONTS },
  primaryColor: 'indigo',
  // White text has a contrast of 4.5 on it.
  primaryShade: 8,
  defaultRadius: 'md',
  autoContrast: true,
  // Buttons and inputs are at least 44 pixels high on touch screens: see style.css.
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    // Above the field, so that the list does not cover the button of the form.
    Select: { defaultProps: { comboboxProps: { position: 'top' } } },
    MultiSelect: { defaultProps: { comboboxProps: { position: 'top' } } },
    Badge: { defaultProps: { variant: 'light', tt: 'none', miw: 'max-content' } },
    Modal: { defaultProps: { closeButtonProps: { 'aria-label': t('Close') } } },
    PasswordInput: {
      defaultProps: { visibilityToggleButtonProps: { 'aria-label': t('Toggle password visibility') } },
    },
    Notification: { defaultProps: { closeButtonProps: { 'aria-label': t('Dismiss') } } },
  },
});

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      // The SDK retries requests that can succeed later.
      retry: false,
      throwOnError: false,
    },
    mutations: { retry: false },
  },
});

document.documentElement.lang = locale;
const root = createRoot(document.getElementById('root') as HTMLElement);

async function start(): Promise<void> {
  try {
    const config = await loadConfig();
    const chain = await getNodeChainConfig(createBareClient({ url: config.relayerUrl }));
    root.render(
      <StrictMode>
        <MantineProvider theme={theme} defaultColorScheme="auto">
          <Notifications position="bottom-right" />
          <QueryClientProvider client={queries}>
            <SessionProvider config={config} chain={chain}>
              <RouterProvider router={router} />
            </SessionProvider>
          </QueryClientProvider>
        </MantineProvider>
      </StrictMode>,
    );
  } catch (error) {
    const shown =
      error instanceof LatchkeyError
        ? new Error(t('The service does not answer. Reload the page in a minute.'))
        : error;
    root.render(
      <MantineProvider theme={theme} defaultColorScheme="auto">
        <Center h="100vh" p="md">
          <ErrorMessage error={shown} onRetry={() => void start()} />
        </Center>
      </MantineProvider>,
    );
  }
}

void start();
