/** Makes X.509 certificates. */
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

function der(tag: number, ...contents: Buffer[]): Buffer {
  const content = Buffer.concat(contents);
  const size = content.length;
  const length = size < 128 ? [size] : size < 256 ? [0x81, size] : [0x82, size >> 8, size & 255];
  return Buffer.concat([Buffer.from([tag, ...length]), content]);
}
const sequence = (...contents: Buffer[]) => der(0x30, ...contents);
const oid = (hex: string) => der(0x06, Buffer.from(hex, 'hex'));
const octets = (content: Buffer) => der(0x04, content);
const bits = (content: Buffer) => der(0x03, Buffer.of(0), content);
const YES = Buffer.from([0x01, 0x01, 0xff]);
const SHA256_WITH_RSA = sequence(oid('2a864886f70d01010b'), der(0x05));

const nameOf = (name: string) => sequence(der(0x31, sequence(oid('550403'), der(0x0c, Buffer.from(name)))));
const time = (ms: number) => der(0x18, Buffer.from(new Date(ms).toISOString().replace(/[-:T]|\.\d+/g, '')));

export type Issued = { pem: string; name: string; privateKey: KeyObject };
export type CertificateOptions = {
  name: string;
  issuer?: Issued;
  ca?: boolean;
  fromMs?: number;
  toMs?: number;
};

const DAY_MS = 86_400_000;
let serial = 1;

/** Returns a certificate of a new RSA key, signed by its issuer or by itself. */
export function issue({
  name,
  issuer,
  ca = false,
  fromMs = Date.now() - DAY_MS,
  toMs = Date.now() + DAY_MS,
}: CertificateOptions): Issued {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const constraints = sequence(oid('551d13'), YES, octets(sequence(...(ca ? [YES] : []))));
  const names = sequence(oid('551d11'), octets(sequence(der(0x82, Buffer.from(name)))));
  const signed = sequence(
    der(0xa0, der(0x02, Buffer.of(2))),
    der(0x02, Buffer.of(serial++)),
    SHA256_WITH_RSA,
    nameOf(issuer?.name ?? name),
    sequence(time(fromMs), time(toMs)),
    nameOf(name),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(constraints, names)),
  );
  const signature = sign('sha256', signed, issuer?.privateKey ?? privateKey);
  const base64 = sequence(signed, SHA256_WITH_RSA, bits(signature)).toString('base64');
  const lines = base64.match(/.{1,64}/g)?.join('\n');
  return { pem: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`, name, privateKey };
}
