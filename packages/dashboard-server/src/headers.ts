/** The `config.json` of the dashboard: docs/dashboard.md says what each field means. */
export type DashboardConfig = {
  relayerUrl: string;
  triggersUrl: string;
  indexerUrl?: string | undefined;
  rpcUrl?: string | undefined;
  contractAddress?: string | undefined;
  stripeJsUrl?: string | undefined;
};

/** docs.stripe.com/security/guide#content-security-policy */
const STRIPE = {
  script: ['https://js.stripe.com', 'https://*.js.stripe.com'],
  frame: ['https://js.stripe.com', 'https://*.js.stripe.com', 'https://hooks.stripe.com'],
  connect: ['https://api.stripe.com'],
};

/** The Content-Security-Policy of the dashboard: its own files, the services of the configuration, and Stripe. */
function contentSecurityPolicy({
  relayerUrl,
  triggersUrl,
  indexerUrl,
  rpcUrl,
  stripeJsUrl,
}: DashboardConfig): string {
  const services = [relayerUrl, triggersUrl, indexerUrl, rpcUrl]
    .filter((url) => url !== undefined)
    .map((url) => new URL(url).origin);
  const own = stripeJsUrl === undefined ? undefined : [new URL(stripeJsUrl).origin];
  const stripe = own === undefined ? STRIPE : { script: own, frame: own, connect: own };
  return [
    "default-src 'none'",
    `script-src 'self' ${stripe.script.join(' ')}`,
    // The components set their sizes in style attributes.
    "style-src 'self' 'unsafe-inline'",
    // Wallets announce their icons as data URLs.
    "img-src 'self' data:",
    "font-src 'self'",
    `connect-src 'self' ${[...services, ...stripe.connect].join(' ')}`,
    `frame-src ${stripe.frame.join(' ')}`,
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** The headers of every reply. */
export const headersFor = (config: DashboardConfig): Record<string, string> => ({
  'Content-Security-Policy': contentSecurityPolicy(config),
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
});
