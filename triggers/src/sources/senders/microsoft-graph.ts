import { parseJson } from '../content.ts';
import { MASKED } from '../safe-headers.ts';
import { isSame, textAt } from './checks.ts';
import { defineSender } from './sender.ts';

const notificationsOf = (event: unknown): unknown[] => {
  const value = typeof event === 'object' && event !== null ? Reflect.get(event, 'value') : undefined;
  return Array.isArray(value) ? value : [];
};

/** https://learn.microsoft.com/graph/change-notifications-delivery-webhooks The key is the `clientState` of the subscription. */
export const microsoftGraph = defineSender({
  isSigned({ body }, key) {
    const notifications = notificationsOf(parseJson(body));
    return (
      notifications.length > 0 &&
      notifications.every((notification) => isSame(textAt(notification, 'clientState'), key))
    );
  },
  findId({ event }) {
    const ids = notificationsOf(event).map((notification) => textAt(notification, 'id'));
    return ids.every((id) => id !== undefined) ? JSON.stringify(ids) : undefined;
  },
  handshakes: (['GET', 'POST'] as const).map((method) => ({
    method,
    challenge: 'query:validationToken',
    reply: '{challenge}',
  })),
  maskEvent: (event) => ({
    ...(event as object),
    value: notificationsOf(event).map((notification) => ({
      ...(notification as object),
      clientState: MASKED,
    })),
  }),
});
