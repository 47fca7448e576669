import { z } from 'zod';

export const hexOf32Bytes = z.string().regex(/^[0-9a-f]{64}$/, 'expected 64 hex digits in lower case');
