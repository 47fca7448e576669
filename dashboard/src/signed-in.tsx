/** The frame of every page of an account: navigation, account, colours. */
import {
  ActionIcon,
  AppShell,
  Badge,
  Burger,
  Group,
  NavLink,
  ScrollArea,
  Text,
  Tooltip,
} from '@mantine/core';
import { useDisclosure, useMediaQuery } from '@mantine/hooks';
import { Link, Outlet, useLocation } from '@tanstack/react-router';
import {
  ActivityIcon,
  BotIcon,
  CheckCheckIcon,
  CodeIcon,
  CreditCardIcon,
  HistoryIcon,
  HouseIcon,
  KeyIcon,
  LockIcon,
  LogOutIcon,
  PlayIcon,
  SettingsIcon,
  UsersIcon,
  WalletIcon,
  WebhookIcon,
  ZapIcon,
} from 'lucide-react';
import { type Address, isAddressEqual } from 'viem';
import { ColorScheme } from './components/color-scheme.tsx';
import { CreditNotice } from './components/credit-notice.tsx';
import { Loaded } from './components/page.tsx';
import { useAskedLeave } from './components/unsaved.tsx';
import { formatMicros, Identifier } from './components/values.tsx';
import { t } from './i18n.ts';
import { showPages } from './lazy-page.tsx';
import { OpenAccount } from './pages/open-account.tsx';
import { AcceptAccount, TakeBackAccount } from './pages/transferred-account.tsx';
import { useBalance, useWalletAccount } from './queries.ts';
import { SearchButton } from './search/search-button.tsx';
import type { ChainSecuredSession } from './session/session.ts';
import { useSession, useSessionState } from './session/session-context.tsx';
import { SessionNotice } from './session/session-notice.tsx';
import { WalletProvider } from './session/wallet-provider.tsx';
import { WriteProvider } from './session/write.tsx';

const links = [
  ['/', t('Overview'), HouseIcon],
  ['/keys', t('Usage keys'), KeyIcon],
  ['/groups', t('Groups'), UsersIcon],
  ['/actions', t('Actions'), CodeIcon],
  ['/wallets', t('Wallets'), WalletIcon],
  ['/secrets', t('Secrets'), LockIcon],
  ['/runs', t('Runs'), PlayIcon],
  ['/requests', t('Requests'), ActivityIcon],
  ['/approvals', t('Approvals'), CheckCheckIcon],
  ['/triggers', t('Triggers'), ZapIcon],
  ['/agents', t('Agents'), BotIcon],
  ['/webhooks', t('Webhooks'), WebhookIcon],
  ['/billing', t('Billing'), CreditCardIcon],
  ['/audit', t('History'), HistoryIcon],
  ['/settings', t('Settings'), SettingsIcon],
] as const;

showPages();

export default function SignedIn() {
  return (
    <WalletProvider>
      <WriteProvider>
        <Frame />
      </WriteProvider>
    </WalletProvider>
  );
}

function Frame() {
  const [isOpen, { toggle, close }] = useDisclosure(false);
  const { pathname } = useLocation();
  const isPhone = useMediaQuery('(max-width: 48em)', false, { getInitialValueInEffect: false });
  return (
    <AppShell
      header={{ height: 60 }}
      navbar={{ width: 220, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding="md"
    >
      <a className="skip-link" href="#content">
        {t('Skip to the content')}
      </a>
      <AppShell.Header px="md">
        <Group h="100%" justify="space-between" wrap="nowrap">
          <Group wrap="nowrap">
            <Burger
              opened={isOpen}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label={t('Navigation')}
              aria-expanded={isOpen}
            />
            <Text fw={700} size="lg">
              Latchkey
            </Text>
          </Group>
          <Account />
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="xs" aria-label={t('Pages')} inert={isPhone && !isOpen}>
        <ScrollArea>
          {links.map(([to, label, Icon]) => (
            <NavLink
              key={to}
              component={Link}
              to={to}
              label={label}
              leftSection={<Icon size={18} aria-hidden />}
              active={to === '/' ? pathname === '/' : pathname.startsWith(to)}
              onClick={close}
            />
          ))}
        </ScrollArea>
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1}>
        <SessionNotice />
        <CreditNotice />
        <AccountGate />
      </AppShell.Main>
    </AppShell>
  );
}

/** The page. Or, for a wallet without an account, the form that opens one, the account that waits for it, or the account it transferred. */
function AccountGate() {
  const session = useSession();
  return session.mode === 'api' ? <Outlet /> : <WalletGate session={session} />;
}

function WalletGate({ session }: { session: ChainSecuredSession }) {
  const account = useWalletAccount(session);
  return (
    <Loaded query={account}>
      {(known) => {
        const isOwn = (wallet: Address | undefined) =>
          wallet !== undefined && isAddressEqual(wallet, session.address);
        if (isOwn(known.giver)) return <TakeBackAccount session={session} account={known} />;
        if (known.managed || !isOwn(known.walletAddress)) return <OpenAccount />;
        return known.accepted ? <Outlet /> : <AcceptAccount session={session} account={known} />;
      }}
    </Loaded>
  );
}

function Account() {
  const session = useSession();
  const balance = useBalance();
  return (
    <Group gap="xs" wrap="nowrap">
      <Text
        component={Link}
        to="/billing"
        size="sm"
        visibleFrom="xs"
        miw={70}
        ta="right"
        c="var(--mantine-color-anchor)"
        td="none"
      >
        {balance.data
          ? t('{amount} credit', { amount: formatMicros(balance.data.creditMicros) })
          : t('Credit')}
      </Text>
      {session.mode === 'api' ? (
        <Badge visibleFrom="sm">{t('Managed')}</Badge>
      ) : (
        <Group gap="xs" wrap="nowrap" visibleFrom="sm">
          <Badge>{t('ChainSecured')}</Badge>
          <Identifier value={session.address} label={t('Copy the admin wallet')} />
        </Group>
      )}
      <SearchButton pages={links} />
      <ColorScheme />
      <SignOut />
    </Group>
  );
}

/** Asks first when the page would lose something. */
function SignOut() {
  const { signOut } = useSessionState();
  const [askOrSignOut, dialog] = useAskedLeave(signOut);
  return (
    <>
      <Tooltip label={t('Sign out')}>
        <ActionIcon variant="subtle" color="gray" onClick={askOrSignOut} aria-label={t('Sign out')}>
          <LogOutIcon size={18} aria-hidden />
        </ActionIcon>
      </Tooltip>
      {dialog}
    </>
  );
}
