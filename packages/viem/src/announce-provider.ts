import type { EIP1193Provider } from 'viem';

export interface AnnounceParameters {
  /** Name that the page shows. Default: Latchkey. */
  name?: string | undefined;
  /** Data URI of an image. Default: a key. */
  icon?: `data:image/${string}` | undefined;
  /** Domain name in reverse of the one who announces it. Default: `dev.latchkey`. */
  rdns?: string | undefined;
  /** Where pages ask. Default: `window`. */
  target?: EventTarget | undefined;
}

/** A key. */
const ICON =
  'data:image/svg+xml,%3Csvg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="%23555"%3E%3Ccircle cx="7" cy="12" r="5"/%3E%3Cpath d="M10 11h12v6h-3v-4h-9z"/%3E%3C/svg%3E';

/** Announces the provider to the page (EIP-6963), now and whenever the page asks. Returns a function that ends it. */
export function announceProvider(provider: EIP1193Provider, parameters: AnnounceParameters = {}): () => void {
  const { window } = globalThis as { window?: EventTarget };
  const { name = 'Latchkey', icon = ICON, rdns = 'dev.latchkey', target = window } = parameters;
  if (!target) throw new TypeError('there is no window here: pass a target');
  const info = Object.freeze({ uuid: crypto.randomUUID(), name, icon, rdns });
  const detail = Object.freeze({ info, provider });
  const announce = () => target.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }));
  target.addEventListener('eip6963:requestProvider', announce);
  announce();
  return () => target.removeEventListener('eip6963:requestProvider', announce);
}
