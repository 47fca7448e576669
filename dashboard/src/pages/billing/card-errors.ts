/** Advice after an error of a card. */
import type { StripeError } from '@stripe/stripe-js';

const fixes: { [code: string]: string } = {
  insufficient_funds: 'Use another card, or a smaller amount.',
  lost_card: 'Use another card.',
  stolen_card: 'Use another card.',
  expired_card: 'Use a card that is valid.',
  fraudulent: 'Use another card, or ask your bank.',
  incorrect_cvc: 'Check the security code, the three or four digits on the card.',
  incorrect_number: 'Check the number of the card.',
  incomplete_number: 'Enter the whole number of the card.',
  invalid_expiry_month: 'Check the date until which the card is valid.',
  invalid_expiry_year: 'Check the date until which the card is valid.',
  processing_error: 'Nothing was charged. Try again in a minute.',
  payment_intent_authentication_failure: 'Confirm the payment with your bank, or use another card.',
  authentication_required: 'Confirm the payment with your bank.',
  card_declined: 'Use another card, or ask your bank why.',
};

/** Returns an error with Stripe's message and what to do. */
export function explainCardError({ message, code, decline_code: reason }: StripeError): Error {
  const fix = (reason && fixes[reason]) ?? (code && fixes[code]);
  return new Error([message ?? 'The payment failed.', fix ?? 'Nothing was credited. Try again.'].join(' '));
}
