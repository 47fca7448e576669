/** Searches the memory of processes for secrets. Linux only. */
import { open, readFile } from 'node:fs/promises';

const BLOCK_BYTES = 16 * 1024 * 1024;
/** Longer than every form. */
const OVERLAP_BYTES = 512;
/** Bytes of each form by which candidates are found. */
const PREFIX_BYTES = 4;

/**
 * Returns the forms in which memory could have these bytes: as they are, as in the limbs of a bigint of V8 and in little endian, in
 * hexadecimal, base64 and decimal digits, with one or two bytes per character.
 */
export function formsOf(bytes: Uint8Array): Buffer[] {
  const raw = Buffer.from(bytes);
  const hex = raw.toString('hex');
  const texts = [
    ...[hex, hex.toUpperCase(), raw.toString('base64').replace(/=+$/, ''), raw.toString('base64url')],
    ...[raw, Buffer.from(raw).reverse()].map((number) => BigInt(`0x${number.toString('hex')}`).toString()),
  ];
  const forms = [raw, Buffer.from(raw).reverse(), ...texts.flatMap(bothWidths)];
  return forms;
}

const bothWidths = (text: string): Buffer[] => [Buffer.from(text), Buffer.from(text, 'utf16le')];

/** One call at a time. Returns the names of the forms that the readable memory of a process contains. */
export async function findInMemory(pid: number, forms: ReadonlyMap<string, Buffer[]>): Promise<string[]> {
  const found = new Set<string>();
  /** By their first bytes: one look at each place of the memory finds all. */
  const byPrefix = new Map<number, { name: string; form: Buffer }[]>();
  for (const [name, each] of forms)
    for (const form of each) {
      const prefix = form.readUInt32LE(0);
      byPrefix.set(prefix, [...(byPrefix.get(prefix) ?? []), { name, form }]);
    }
  const filter = new Uint8Array(1 << 24);
  for (const prefix of byPrefix.keys()) filter[prefix & 0xffffff] = 1;
  const searchPage = (block: Buffer, from: number, to: number, end: number): void => {
    let next = (block[from] as number) | ((block[from + 1] as number) << 8);
    for (let i = from; i < to; i++) {
      next |= (block[i + 2] as number) << 16;
      const low = next;
      next >>>= 8;
      if (filter[low] === 0) continue;
      for (const { name, form } of byPrefix.get(block.readUInt32LE(i)) ?? [])
        if (block.compare(form, 0, form.length, i, Math.min(i + form.length, end)) === 0) found.add(name);
    }
  };
  await using memory = await open(`/proc/${pid}/mem`, 'r');
  for (const line of (await readFile(`/proc/${pid}/maps`, 'utf8')).split('\n')) {
    const [, from = '', to = '', access = ''] = /^([0-9a-f]+)-([0-9a-f]+) (\S+)/.exec(line) ?? [];
    // Files that are mapped read-only hold nothing that the process wrote.
    if (!access.startsWith('r') || (!access.includes('w') && / \/\S+$/.test(line))) continue;
    const end = Number(`0x${to}`);
    for (let at = Number(`0x${from}`); at < end; at += BLOCK_BYTES) {
      const { bytesRead } = await memory
        .read(block, 0, Math.min(block.length, end - at), at)
        .catch(() => ({ bytesRead: 0 }));
      const last = Math.min(bytesRead, BLOCK_BYTES);
      for (let page = 0; page < last; page += PAGE_BYTES)
        if (block.compare(EMPTY_PAGE, 0, PAGE_BYTES, page, page + PAGE_BYTES) !== 0)
          searchPage(block, page, Math.min(page + PAGE_BYTES, bytesRead - PREFIX_BYTES + 1), bytesRead);
    }
  }
  return [...found].toSorted();
}

const PAGE_BYTES = 4096;
const EMPTY_PAGE = Buffer.alloc(PAGE_BYTES);
const block = Buffer.alloc(BLOCK_BYTES + OVERLAP_BYTES);
