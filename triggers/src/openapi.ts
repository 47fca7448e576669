import { openapiDocument } from '@latchkey/http';
import { serviceVersion } from '@latchkey/service/versions';
import { agentOrSession, agentToken, session } from './auth/authenticators.ts';
import { routes } from './routes/index.ts';

export const apiInfo = {
  title: 'Trigger service',
  version: serviceVersion,
  description: 'Fires runs of actions on webhooks, schedules, chain events and blocks.',
};

export const authenticators = { agentToken, agentOrSession, session };

/** Returns the OpenAPI description that the service serves, without starting one. */
export const servedDocument = () =>
  openapiDocument(routes, { ...apiInfo, authenticators, minBlock: false, idempotency: true });
