/** Test cards of Stripe's documentation (docs.stripe.com/testing) and the outcome of a payment by each. */
import { cardError, type ErrorBody, resourceMissing } from './errors.ts';

export type Card = {
  /** Id of the card as a payment method. */
  id: string;
  number: string;
  /** The payer must authenticate before the card is charged. */
  needsAction?: true;
  /** The reason why the charge fails. Absent: it succeeds. */
  decline?: Omit<ErrorBody, 'type'>;
  /** The card is declined only when it is charged: a customer can store it. */
  declinesLater?: true;
  /** Refunds are pending until a test settles them. */
  refundsLate?: true;
};

const cards: readonly Card[] = [
  { id: 'pm_card_visa', number: '4242424242424242' },
  {
    id: 'pm_card_chargeDeclined',
    number: '4000000000000002',
    decline: {
      code: 'card_declined',
      decline_code: 'generic_decline',
      message: 'Your card was declined.',
    },
  },
  {
    id: 'pm_card_chargeDeclinedInsufficientFunds',
    number: '4000000000009995',
    decline: {
      code: 'card_declined',
      decline_code: 'insufficient_funds',
      message: 'Your card has insufficient funds.',
    },
  },
  {
    id: 'pm_card_chargeCustomerFail',
    number: '4000000000000341',
    decline: {
      code: 'card_declined',
      decline_code: 'generic_decline',
      message: 'Your card was declined.',
    },
    declinesLater: true,
  },
  { id: 'pm_card_authenticationRequired', number: '4000002760003184', needsAction: true },
  { id: 'pm_card_pendingRefund', number: '4000000000007726', refundsLate: true },
];

/** Returns the card with this id. Throws Stripe's error for any other id. */
export function findCard(id: string): Card {
  const card = cards.find((known) => known.id === id);
  if (!card) throw resourceMissing('PaymentMethod', id, 'payment_method');
  return card;
}

/** Returns the test card with these last digits, which no two have in common. */
export function findCardByLast4(last4: string): Card {
  const card = cards.find(({ number }) => number.endsWith(last4));
  if (!card) throw new Error(`no test card ends with ${last4}`);
  return card;
}

/** Returns the test card with this number. Throws Stripe's card error for any other number. */
export function findCardByNumber(number: string): Card {
  const card = cards.find((known) => known.number === number.replaceAll(' ', ''));
  if (!card) throw cardError({ code: 'incorrect_number', message: 'Your card number is incorrect.' });
  return card;
}
