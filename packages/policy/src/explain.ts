import type { Policy } from './policy.ts';
export const explainPolicy = (policy: Policy): string => JSON.stringify(policy);
