import { accountConfigAbi, RECEIPT_SIGNER_CONFIGURATION } from '@latchkey/protocol';
import { type RunActionResult, verifyReceipt } from '@latchkey/sdk';
import { Alert, Text } from '@mantine/core';
import { IconCircleCheck, IconCircleX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type Address, isAddress } from 'viem';
import { readContract } from 'viem/actions';
import { useClient } from 'wagmi';
import { ErrorMessage } from '../../components/error-message.tsx';
import { Identifier } from '../../components/values.tsx';
import { useSession, useSessionState } from '../../session/session-context.tsx';

/** A run that has ended. */
export type Ran = { result: RunActionResult; cid: string; jsParams: { [name: string]: unknown } };

/** Compares the receipt of a run with its code, parameters and response, and its signer with that of the contract. */
export function Receipt({ ran: { result, cid, jsParams } }: { ran: Ran }) {
  const { client } = useSession();
  const { config } = useSessionState();
  const chain = useClient();
  const { receipt, runId, hasError, response } = result;
  const isOnChain = config.rpcUrl !== undefined && chain !== undefined;
  const verified = useQuery({
    queryKey: ['receipt', runId],
    enabled: receipt !== undefined,
    queryFn: async () => {
      if (!receipt) return null;
      const { chainId, contractAddress } = await client.getNodeChainConfig();
      const signer = isOnChain
        ? await readContract(chain, {
            address: contractAddress,
            abi: accountConfigAbi,
            functionName: 'nodeConfigurationValue',
            args: [RECEIPT_SIGNER_CONFIGURATION],
          })
        : (await client.getSvcActionClientConfig()).receiptSigner;
      if (!isAddress(signer)) return { isGenuine: false, signer: undefined };
      const stated = { receipt, signer: signer as Address, chainId, contractAddress, cid, jsParams };
      return { isGenuine: verifyReceipt(hasError ? stated : { ...stated, response }), signer };
    },
  });
  if (!receipt) return <Text size="sm">This run has no receipt: it ended before its code began.</Text>;
  if (verified.error) return <ErrorMessage error={verified.error} onRetry={() => void verified.refetch()} />;
  if (!verified.data) return <Text size="sm">Verifying the receipt…</Text>;
  const { isGenuine, signer } = verified.data;
  const named = isOnChain
    ? 'the signer that the contract names'
    : 'the signer that the relayer names. Set rpcUrl in config.json to compare it with the contract';
  return (
    <Alert
      variant="default"
      icon={
        isGenuine ? (
          <IconCircleCheck color="var(--mantine-color-teal-8)" aria-hidden />
        ) : (
          <IconCircleX color="var(--mantine-color-red-8)" aria-hidden />
        )
      }
      title={isGenuine ? 'Receipt verified' : 'The receipt is not valid'}
    >
      <Text size="sm">
        {isGenuine
          ? `It states this code, these parameters${hasError ? ' and the failure' : ' and this response'}, and is signed by ${named}.`
          : signer === undefined
            ? 'The contract names no signer of receipts.'
            : 'It does not state this run, or another signer signed it. Do not trust the response.'}
      </Text>
      {signer !== undefined && <Identifier value={signer} label="the address of the signer" />}
    </Alert>
  );
}
