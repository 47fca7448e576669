import { accountConfigAbi, RECEIPT_SIGNER_CONFIGURATION } from '@latchkey/protocol';
import { type RunRecord, type SignedReceipt, verifyReceipt } from '@latchkey/sdk';
import { Accordion, Alert, Code, Stack, Text, Title } from '@mantine/core';
import { IconAlertTriangle, IconCheck } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type Address, isAddress } from 'viem';
import { useConfig } from 'wagmi';
import { readContract } from 'wagmi/actions';
import { Loaded } from '../../components/page.tsx';
import { Copy, Identifier } from '../../components/values.tsx';
import { useSession, useSessionState } from '../../session/session-context.tsx';

/** The signer that the contract names. Without a node to ask, the one that the relayer names. */
function useSigner() {
  const { client } = useSession();
  const { rpcUrl } = useSessionState().config;
  const wagmi = useConfig();
  return useQuery({
    queryKey: ['receipt-signer'],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async () => {
      const { contractAddress: address, chainId } = await client.getNodeChainConfig();
      if (rpcUrl === undefined) {
        const { receiptSigner } = await client.getSvcActionClientConfig();
        return { contractAddress: address, chainId, signer: receiptSigner, isOfContract: false };
      }
      const signer = await readContract(wagmi, {
        address,
        abi: accountConfigAbi,
        functionName: 'nodeConfigurationValue',
        args: [RECEIPT_SIGNER_CONFIGURATION],
      });
      return {
        contractAddress: address,
        chainId,
        signer: isAddress(signer) ? signer : undefined,
        isOfContract: true,
      };
    },
  });
}

type Signer = {
  contractAddress: Address;
  chainId: number;
  signer: Address | undefined;
  isOfContract: boolean;
};

/** The receipt of a run, verified in the browser. */
export function Receipt({ run, receipt }: { run: RunRecord; receipt: SignedReceipt }) {
  const signer = useSigner();
  return (
    <Stack gap="xs">
      <Title order={2} size="h4">
        Receipt
      </Title>
      <Loaded query={signer} height={80}>
        {(known) => <Verdict run={run} receipt={receipt} known={known} />}
      </Loaded>
    </Stack>
  );
}

const toText = ({ message, signature }: SignedReceipt): string =>
  JSON.stringify(
    { message, signature },
    (_name, value: unknown) => (typeof value === 'bigint' ? String(value) : value),
    2,
  );

function Verdict({ run, receipt, known }: { run: RunRecord; receipt: SignedReceipt; known: Signer }) {
  const { signer, contractAddress, chainId, isOfContract } = known;
  const isGenuine =
    signer !== undefined && verifyReceipt({ receipt, signer, contractAddress, chainId, cid: run.cid });
  const text = toText(receipt);
  return (
    <>
      {isGenuine ? (
        <Alert color="teal" icon={<IconCheck aria-hidden />} title="The receipt is genuine">
          <Text size="sm" component="div">
            It is for this action and usage key. Its signer, whom the {isOfContract ? 'contract' : 'relayer'}{' '}
            names: <Identifier value={signer} label="the signer" />
          </Text>
        </Alert>
      ) : (
        <Alert color="red" icon={<IconAlertTriangle aria-hidden />} title="The receipt could not be verified">
          {signer === undefined
            ? 'The contract names no signer of receipts. Ask the operator to publish one.'
            : 'The signer that is named now did not sign it. It may be from before the signer changed.'}
        </Alert>
      )}
      <Accordion variant="contained">
        <Accordion.Item value="receipt">
          <Accordion.Control>What the receipt says</Accordion.Control>
          <Accordion.Panel>
            <Copy value={text} label="the receipt" />
            <Code block tabIndex={0} style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
              {text}
            </Code>
          </Accordion.Panel>
        </Accordion.Item>
      </Accordion>
    </>
  );
}
