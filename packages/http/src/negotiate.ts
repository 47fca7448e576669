import {
  agree,
  describeMismatch,
  OTHER_PROTOCOL_STATUS,
  PROTOCOL_HEADER,
  type Protocol,
  spoken,
} from '@latchkey/service/versions';
import type { RequestHandler } from 'express';
import { badRequest } from './errors.ts';

/** Refuses a part of another version (426). Other clients send no version. */
export function negotiate(protocol: Protocol, title: string): RequestHandler {
  return (req, res, next) => {
    const offered = req.get(PROTOCOL_HEADER);
    if (offered === undefined) return next();
    const agreed = agree(protocol, offered);
    res.setHeader(PROTOCOL_HEADER, agreed ?? spoken(protocol).join(', '));
    if (agreed !== undefined) return next();
    throw badRequest(describeMismatch(protocol, offered, ['the client', title]), {
      status: OTHER_PROTOCOL_STATUS,
    });
  };
}
