import { z } from 'zod';

/** A text for which `isValid` is true. Another one is malformed: 400 with the rule. */
export const checkedText = (isValid: (text: string) => boolean, rule: string, text = z.string()) =>
  text.refine(isValid, { error: rule, params: { malformed: true } });
