import { useQuery } from '@tanstack/react-query';

/** The policy of which the code was built; null for other code, or when that cannot be found out, and undefined until then. */
export function usePolicy(code: string | undefined) {
  // Built code has its name. Other code needs no parser of policies.
  const isCandidate = code?.includes('PolicyError') ?? false;
  const { data, isError } = useQuery({
    queryKey: ['policy-of', code],
    queryFn: async () => (await import('./policy-code.ts')).policyOf(code ?? ''),
    enabled: isCandidate,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  return isCandidate && !isError ? data : null;
}
