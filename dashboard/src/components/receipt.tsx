import { accountConfigAbi, RECEIPT_SIGNER_CONFIGURATION } from '@latchkey/protocol';
import { type SignedReceipt, type VerifyReceiptParameters, verifyReceipt } from '@latchkey/sdk';
import { Accordion, Alert, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { CircleCheckIcon, CircleXIcon } from 'lucide-react';
import { type Address, isAddress } from 'viem';
import { useConfig } from 'wagmi';
import { readContract } from 'wagmi/actions';
import { t } from '../i18n.ts';
import { useSession, useSessionState } from '../session/session-context.tsx';
import { Loaded } from './page.tsx';
import { CodeBlock } from './section.tsx';
import { Copy, Identifier } from './values.tsx';

/** Fields that the receipt must match, as far as the page knows them. */
type Stated = Pick<VerifyReceiptParameters, 'cid' | 'jsParams' | 'response'>;

type Deployment = {
  contractAddress: Address;
  chainId: number;
  signer: Address | undefined;
  namedBy: 'contract' | 'relayer';
};

/** Loads the signer that the contract names or, without `rpcUrl`, the signer that the relayer names. */
function useDeployment() {
  const { client } = useSession();
  const { rpcUrl } = useSessionState().config;
  const wagmi = useConfig();
  return useQuery({
    queryKey: ['receipt-signer'],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async (): Promise<Deployment> => {
      const { contractAddress, chainId } = await client.getNodeChainConfig();
      if (rpcUrl === undefined) {
        const { receiptSigner: signer } = await client.getSvcActionClientConfig();
        return { contractAddress, chainId, signer, namedBy: 'relayer' };
      }
      const signer = await readContract(wagmi, {
        address: contractAddress,
        abi: accountConfigAbi,
        functionName: 'nodeConfigurationValue',
        args: [RECEIPT_SIGNER_CONFIGURATION],
      });
      return {
        contractAddress,
        chainId,
        signer: isAddress(signer) ? signer : undefined,
        namedBy: 'contract',
      };
    },
  });
}

/** A receipt, compared in the browser with what it must state and with the published signer. */
export function Receipt({ receipt, stated }: { receipt: SignedReceipt; stated: Stated }) {
  const deployment = useDeployment();
  return (
    <Loaded query={deployment} height={80}>
      {(known) => (
        <Stack gap="xs">
          <Verdict receipt={receipt} stated={stated} deployment={known} />
          <Contents receipt={receipt} />
        </Stack>
      )}
    </Loaded>
  );
}

function Verdict({
  receipt,
  stated,
  deployment: { signer, namedBy, ...deployment },
}: {
  receipt: SignedReceipt;
  stated: Stated;
  deployment: Deployment;
}) {
  const isGenuine = signer !== undefined && verifyReceipt({ receipt, signer, ...deployment, ...stated });
  const { jsParams, response } = stated;
  const compared = jsParams === undefined ? 'code' : response === undefined ? 'parameters' : 'all';
  const [Icon, color] = isGenuine ? [CircleCheckIcon, 'teal'] : [CircleXIcon, 'red'];
  return (
    <Alert
      variant="default"
      icon={<Icon color={`var(--mantine-color-${color}-8)`} aria-hidden />}
      title={isGenuine ? t('Receipt verified') : t('The receipt is not valid')}
    >
      <Text size="sm">
        {isGenuine
          ? t(
              '{compared, select, all {It states this code, these parameters and this response} parameters {It states this code and these parameters} other {It states this code}}, and is signed by the signer that the {namedBy, select, contract {contract} other {relayer}} names.',
              { compared, namedBy },
            )
          : signer === undefined
            ? t(
                'The {namedBy, select, contract {contract} other {relayer}} names no signer of receipts. Ask the operator to publish one.',
                { namedBy },
              )
            : t(
                'It states another run, or another signer signed it, perhaps an earlier one. Do not trust the response.',
              )}
      </Text>
      {namedBy === 'relayer' && (
        <Text size="sm">
          {t('Set rpcUrl in config.json to compare it with the signer that the contract names.')}
        </Text>
      )}
      {signer !== undefined && <Identifier value={signer} label={t('Copy the address of the signer')} />}
    </Alert>
  );
}

function Contents({ receipt: { message, signature } }: { receipt: SignedReceipt }) {
  const text = JSON.stringify(
    { message, signature },
    (_name, value: unknown) => (typeof value === 'bigint' ? String(value) : value),
    2,
  );
  return (
    <Accordion variant="contained">
      <Accordion.Item value="receipt">
        <Accordion.Control>{t('Signed statement')}</Accordion.Control>
        <Accordion.Panel>
          <Copy value={text} label={t('Copy the receipt')} />
          <CodeBlock label={t('Receipt')}>{text}</CodeBlock>
        </Accordion.Panel>
      </Accordion.Item>
    </Accordion>
  );
}
