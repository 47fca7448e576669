/** The test cards of Stripe's documentation (docs.stripe.com/testing) and the outcome of a payment by each. */
import { StripeApiError } from './errors.ts';

export type Decline = { code: string; declineCode?: string; message: string };

export type Card = {
  /** Ids of the card as a payment method: each use creates a new one. */
  aliases: readonly string[];
  number: string;
  brand: 'amex' | 'discover' | 'mastercard' | 'visa';
  funding: 'credit' | 'debit';
  /** The payer must authenticate before the card is charged. */
  needsAction?: true;
  /** The reason why the charge fails. Absent: it succeeds. */
  decline?: Decline;
  /** The dispute that a successful charge gets. */
  dispute?: { isInquiry: boolean; reason: 'fraudulent' | 'product_not_received' };
  /** `fails`: succeeds first and fails immediately after. `pending`: until a test settles it. */
  refund?: 'fails' | 'pending';
};

function declined(declineCode: string, code = 'card_declined', message = 'Your card was declined.'): Decline {
  return { code, declineCode, message };
}

const insufficientFunds = declined(
  'insufficient_funds',
  'card_declined',
  'Your card has insufficient funds.',
);

function visa(number: string, aliases: string[], effects: Partial<Card> = {}): Card {
  return { number, aliases, brand: 'visa', funding: 'credit', ...effects };
}

const cards: readonly Card[] = [
  visa('4242424242424242', ['pm_card_visa']),
  visa('4000056655665556', ['pm_card_visa_debit'], { funding: 'debit' }),
  visa('5555555555554444', ['pm_card_mastercard'], { brand: 'mastercard' }),
  visa('378282246310005', ['pm_card_amex'], { brand: 'amex' }),
  visa('6011111111111117', ['pm_card_discover'], { brand: 'discover' }),
  visa('4000000000000002', ['pm_card_chargeDeclined', 'pm_card_visa_chargeDeclined'], {
    decline: declined('generic_decline'),
  }),
  visa(
    '4000000000009995',
    ['pm_card_chargeDeclinedInsufficientFunds', 'pm_card_visa_chargeDeclinedInsufficientFunds'],
    { decline: insufficientFunds },
  ),
  visa('4000000000009987', ['pm_card_chargeDeclinedLostCard', 'pm_card_visa_chargeDeclinedLostCard'], {
    decline: declined('lost_card'),
  }),
  visa('4000000000009979', ['pm_card_chargeDeclinedStolenCard', 'pm_card_visa_chargeDeclinedStolenCard'], {
    decline: declined('stolen_card'),
  }),
  visa('4000000000000069', ['pm_card_chargeDeclinedExpiredCard'], {
    decline: { code: 'expired_card', message: 'Your card has expired.' },
  }),
  visa('4000000000000127', ['pm_card_chargeDeclinedIncorrectCvc'], {
    decline: { code: 'incorrect_cvc', message: "Your card's security code is incorrect." },
  }),
  visa('4000000000000119', ['pm_card_chargeDeclinedProcessingError'], {
    decline: {
      code: 'processing_error',
      message: 'An error occurred while processing your card. Try again in a little bit.',
    },
  }),
  visa('4000000000000341', ['pm_card_chargeCustomerFail'], { decline: declined('generic_decline') }),
  visa('4100000000000019', ['pm_card_radarBlock'], { decline: declined('fraudulent') }),
  visa('4000002760003184', ['pm_card_authenticationRequired'], { needsAction: true }),
  visa('4000000000003220', ['pm_card_threeDSecure2Required'], { needsAction: true }),
  visa('4000000000003063', ['pm_card_threeDSecureRequired'], { needsAction: true }),
  visa('4000008260003178', ['pm_card_authenticationRequiredChargeDeclinedInsufficientFunds'], {
    needsAction: true,
    decline: insufficientFunds,
  }),
  visa('4000008400001629', ['pm_card_threeDSecureRequiredChargeDeclined'], {
    needsAction: true,
    decline: declined('generic_decline'),
  }),
  visa('4000000000000259', ['pm_card_createDispute'], {
    dispute: { isInquiry: false, reason: 'fraudulent' },
  }),
  visa('4000000000002685', ['pm_card_createDisputeProductNotReceived'], {
    dispute: { isInquiry: false, reason: 'product_not_received' },
  }),
  visa('4000000000001976', ['pm_card_createDisputeInquiry'], {
    dispute: { isInquiry: true, reason: 'fraudulent' },
  }),
  visa('4000000000005126', ['pm_card_refundFail'], { refund: 'fails' }),
  visa('4000000000007726', ['pm_card_pendingRefund'], { refund: 'pending' }),
];

const byAlias = new Map(cards.flatMap((card) => card.aliases.map((alias) => [alias, card] as const)));
const byNumber = new Map(cards.map((card) => [card.number, card]));

export function findCardByAlias(alias: string): Card | undefined {
  return byAlias.get(alias);
}

/** Returns the test card with this number. Throws Stripe's card error for any other number. */
export function findCardByNumber(number: string): Card {
  const card = byNumber.get(number.replaceAll(' ', ''));
  if (card) return card;
  if (!passesLuhn(number.replaceAll(' ', '')))
    throw new StripeApiError(402, {
      type: 'card_error',
      code: 'incorrect_number',
      message: 'Your card number is incorrect.',
      param: 'number',
    });
  throw new StripeApiError(402, {
    type: 'card_error',
    code: 'card_declined',
    decline_code: 'test_mode_live_card',
    message: 'Your card was declined. Your request was in test mode, but used a non test card.',
  });
}

function passesLuhn(number: string): boolean {
  if (!/^\d{12,19}$/.test(number)) return false;
  const sum = [...number].reverse().reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 0 ? 1 : 2);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}
