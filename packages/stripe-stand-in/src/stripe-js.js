/**
 * A stand-in for Stripe.js (docs.stripe.com/js), served at `/v3/`: the Payment Element for cards, `confirmPayment`,
 * `confirmSetup`, `retrievePaymentIntent` and `retrieveSetupIntent`.
 *
 * Differences from Stripe.js: the card form is in the page, not in a frame of Stripe, and payments never leave the page.
 */
(() => {
  const { origin } = new URL(document.currentScript.src);
  const POLL_MS = 200;

  const fields = {
    number: { label: 'Card number', autocomplete: 'cc-number' },
    expiry: { label: 'Expiration date (MM / YY)', autocomplete: 'cc-exp' },
    cvc: { label: 'Security code', autocomplete: 'cc-csc' },
  };

  const invalid = (code, message) => ({ error: { type: 'validation_error', code, message } });

  const styled = (element, style) => {
    Object.assign(element.style, style);
    return element;
  };

  function createField(name, onInput) {
    const { label, autocomplete } = fields[name];
    const input = document.createElement('input');
    Object.assign(input, { name, autocomplete, inputMode: 'numeric' });
    input.addEventListener('input', onInput);
    styled(input, {
      background: 'transparent',
      border: '1px solid currentColor',
      borderRadius: '6px',
      color: 'inherit',
      font: 'inherit',
      padding: '8px',
      width: '100%',
      boxSizing: 'border-box',
    });
    const outer = styled(document.createElement('label'), { display: 'grid', gap: '4px' });
    outer.append(label, input);
    return { outer, input };
  }

  /** The Payment Element. */
  function createElement() {
    const handlers = new Map();
    const inputs = {};
    let form;
    const notify = (event, value) => {
      for (const handler of handlers.get(event) ?? []) handler({ elementType: 'payment', ...value });
    };
    const values = () =>
      Object.fromEntries(Object.keys(fields).map((name) => [name, inputs[name]?.value.trim() ?? '']));
    const onInput = () => {
      const entered = Object.values(values());
      notify('change', {
        complete: entered.every((value) => value !== ''),
        empty: entered.every((value) => value === ''),
        collapsed: false,
        value: { type: 'card' },
      });
    };
    const element = {
      values,
      mount(target) {
        form = styled(document.createElement('div'), { display: 'grid', gap: '12px', fontSize: '14px' });
        for (const name of Object.keys(fields)) {
          const { outer, input } = createField(name, onInput);
          inputs[name] = input;
          form.append(outer);
        }
        (typeof target === 'string' ? document.querySelector(target) : target).append(form);
        setTimeout(() => notify('ready'));
      },
      on(event, handler) {
        handlers.set(event, [...(handlers.get(event) ?? []), handler]);
        return element;
      },
      off(event, handler) {
        handlers.set(
          event,
          (handlers.get(event) ?? []).filter((other) => handler !== undefined && other !== handler),
        );
        return element;
      },
      update() {},
      unmount: () => form?.remove(),
      destroy: () => form?.remove(),
    };
    return element;
  }

  /** Returns the error of a card that is not entered completely, or its parameters. */
  function readCard({ number, expiry, cvc }) {
    if (number.replaceAll(' ', '').length < 12)
      return invalid('incomplete_number', 'Your card number is incomplete.');
    const [, month, year] = expiry.match(/^(\d{1,2}) *\/? *(\d{2}|\d{4})$/) ?? [];
    if (year === undefined) return invalid('incomplete_expiry', "Your card's expiration date is incomplete.");
    if (!/^\d{3,4}$/.test(cvc)) return invalid('incomplete_cvc', "Your card's security code is incomplete.");
    return {
      card: {
        'payment_method_data[type]': 'card',
        'payment_method_data[card][number]': number,
        'payment_method_data[card][exp_month]': month,
        'payment_method_data[card][exp_year]': year,
        'payment_method_data[card][cvc]': cvc,
      },
    };
  }

  const idOf = (clientSecret) => clientSecret.split('_secret_')[0];
  const isSetup = (clientSecret) => clientSecret.startsWith('seti_');

  /** Sends a request about the intent of this secret. */
  async function send(publishableKey, clientSecret, path, init) {
    const [collection, name] = isSetup(clientSecret)
      ? ['setup_intents', 'setupIntent']
      : ['payment_intents', 'paymentIntent'];
    try {
      const response = await fetch(`${origin}/v1/${collection}/${idOf(clientSecret)}${path}`, {
        ...init,
        headers: { Authorization: `Bearer ${publishableKey}` },
      });
      const body = await response.json();
      return response.ok ? { [name]: body } : { error: body.error };
    } catch {
      return {
        error: {
          type: 'api_connection_error',
          message: 'We are experiencing issues connecting to our payments provider. Please try again.',
        },
      };
    }
  }

  /** Shows the page of the payer's bank until the payer has answered there. */
  async function authenticate(url, read) {
    const dialog = document.createElement('dialog');
    dialog.setAttribute('aria-label', '3-D Secure');
    dialog.addEventListener('cancel', (event) => event.preventDefault());
    const frame = styled(document.createElement('iframe'), { border: '0', width: '320px', height: '260px' });
    Object.assign(frame, { src: url, title: 'Your bank' });
    dialog.append(frame);
    document.body.append(dialog);
    dialog.showModal();
    let found = await read();
    while ((found.paymentIntent ?? found.setupIntent)?.status === 'requires_action') {
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      found = await read();
    }
    dialog.remove();
    return found;
  }

  window.Stripe = (publishableKey) => {
    const notImplemented = () => {
      throw new Error('The stand-in for Stripe.js does not have this function.');
    };
    const retrieve = (clientSecret) =>
      send(publishableKey, clientSecret, `?${new URLSearchParams({ client_secret: clientSecret })}`);

    /** Confirms with the card of the form, or with a payment method that the customer has stored. */
    async function confirm({ elements, clientSecret = elements.clientSecret, confirmParams = {} }) {
      const { payment_method } = confirmParams;
      const { error, card } =
        payment_method === undefined
          ? readCard(elements.getElement('payment').values())
          : { card: { payment_method } };
      if (error) return { error };
      const body = new URLSearchParams({ client_secret: clientSecret, ...card });
      let found = await send(publishableKey, clientSecret, '/confirm', { method: 'POST', body });
      const action = (found.paymentIntent ?? found.setupIntent)?.next_action;
      if (action) found = await authenticate(action.use_stripe_sdk.stripe_js, () => retrieve(clientSecret));
      const intent = found.paymentIntent ?? found.setupIntent;
      return intent?.status === 'requires_payment_method'
        ? { error: intent.last_payment_error ?? intent.last_setup_error }
        : found;
    }

    return {
      elements({ clientSecret }) {
        const created = new Map();
        return {
          clientSecret,
          create(type) {
            if (type !== 'payment') return notImplemented();
            const element = createElement();
            created.set(type, element);
            return element;
          },
          getElement: (type) => created.get(type) ?? null,
          update() {},
          submit: async () => {
            const { error } = readCard(created.get('payment').values());
            return error ? { error } : {};
          },
          fetchUpdates: async () => ({}),
        };
      },
      confirmPayment: confirm,
      confirmSetup: confirm,
      retrievePaymentIntent: retrieve,
      retrieveSetupIntent: retrieve,
      createToken: notImplemented,
      createPaymentMethod: notImplemented,
      confirmCardPayment: notImplemented,
    };
  };
})();
