import { BlackHoleBlockstore } from 'blockstore-core/black-hole';
import { importByteStream } from 'ipfs-unixfs-importer';
import { fixedSize } from 'ipfs-unixfs-importer/chunker';
import { balanced } from 'ipfs-unixfs-importer/layout';
import { base16, base16upper } from 'multiformats/bases/base16';
import { base32, base32upper } from 'multiformats/bases/base32';
import { base36, base36upper } from 'multiformats/bases/base36';
import { base58btc } from 'multiformats/bases/base58';
import { base64url } from 'multiformats/bases/base64';
import { equals } from 'multiformats/bytes';
import { CID } from 'multiformats/cid';
import { sha256 } from 'multiformats/hashes/sha2';
import { keccak256, stringToBytes } from 'viem';

/** Maximum length of a CID text: an identity multihash could have any length. */
export const MAX_CID_LENGTH = 256;

const CHUNK_BYTES = 262_144;
/** Bytes that are hashed without a pause: a few milliseconds. */
const SLICE_BYTES = 2 * CHUNK_BYTES;
const MAX_CHILDREN = 174;
const RAW_CODEC = 0x55;
const DAG_PB_CODEC = 0x70;

/** The bases of CID texts. */
const decoder = base58btc.decoder
  .or(base16.decoder)
  .or(base16upper.decoder)
  .or(base32.decoder)
  .or(base32upper.decoder)
  .or(base36.decoder)
  .or(base36upper.decoder)
  .or(base64url.decoder);

/**
 * Returns the CIDv0 of action code as a UnixFS file: sha2-256, 262,144-byte chunks, balanced tree of 174 children,
 * dag-pb leaves. Text is encoded as UTF-8; a lone surrogate counts as U+FFFD. Yields to other work between slices of
 * large code.
 */
export async function cidOf(code: string | Uint8Array): Promise<string> {
  const bytes = typeof code === 'string' ? stringToBytes(code) : code;
  const { cid } = await importByteStream(slicesOf(bytes), new BlackHoleBlockstore(), {
    cidVersion: 0,
    rawLeaves: false,
    leafType: 'file',
    reduceSingleLeafToSelf: true,
    chunker: fixedSize({ chunkSize: CHUNK_BYTES }),
    layout: balanced({ maxChildrenPerNode: MAX_CHILDREN }),
  });
  return cid.toString();
}

async function* slicesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += SLICE_BYTES) {
    if (start > 0) await new Promise((resolve) => setTimeout(resolve, 0));
    yield bytes.subarray(start, start + SLICE_BYTES);
  }
}

/**
 * Parses a CID text: CIDv0 ("Qm…") or CIDv1 in base16 ("f"), base32 ("b"), base36 ("k"), each also in upper case, base58btc
 * ("z") or base64url ("u"). Throws a RangeError for every other text.
 */
export function parseCid(text: string): CID {
  try {
    if (text.length <= MAX_CID_LENGTH && /^(?:Qm[A-Za-z0-9]{44}|[bBfFkKuz][\w-]+)$/.test(text)) {
      const cid = CID.parse(text, decoder);
      if ((cid.version === 0) === text.startsWith('Q')) return cid;
    }
  } catch (cause) {
    throw new RangeError('not a CID', { cause });
  }
  throw new RangeError('not a CID');
}

/** Returns whether a text is a CID of these bytes: of the whole file as `cidOf` lays it out, in any version, or of one raw block. */
export async function isCidOf(text: string, bytes: Uint8Array): Promise<boolean> {
  let cid: CID;
  try {
    cid = parseCid(text);
  } catch {
    return false;
  }
  if (cid.code !== RAW_CODEC && cid.code !== DAG_PB_CODEC) return false;
  const own = cid.code === RAW_CODEC ? await sha256.digest(bytes) : parseCid(await cidOf(bytes)).multihash;
  return equals(own.bytes, cid.multihash.bytes);
}

/** Returns the on-chain id of an action: keccak256 of the CID text, unchanged, in UTF-8. */
export function cidHash(cid: string): bigint {
  return BigInt(keccak256(stringToBytes(cid)));
}
