/** Stripe.js, loaded when a payment begins: no other page has the processor's script. */
import type { Stripe, StripeConstructor } from '@stripe/stripe-js';
import { loadStripe } from '@stripe/stripe-js/pure';
import { t } from '../../i18n.ts';

function loadScript(url: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = url;
    script.onload = () => resolve();
    script.onerror = () => reject(new Error('failed to load Stripe.js'));
    document.head.append(script);
  });
}

let loaded: Promise<Stripe | null> | undefined;

/** Loads Stripe.js once, from this URL or else from Stripe. Rejects when it cannot be loaded. */
export function openStripe(publishableKey: string, url: string | undefined): Promise<Stripe> {
  loaded ??=
    url === undefined
      ? loadStripe(publishableKey)
      : loadScript(url).then(() =>
          (window as unknown as { Stripe: StripeConstructor }).Stripe(publishableKey),
        );
  return loaded.then(
    (stripe) => {
      if (!stripe) throw new Error('failed to load Stripe.js');
      return stripe;
    },
    (cause) => {
      loaded = undefined;
      throw new Error(
        t('The form of the card processor did not load. Allow its script in your browser and try again.'),
        { cause },
      );
    },
  );
}
