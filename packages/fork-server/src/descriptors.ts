import { readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { TemplateSetup } from './fork-protocol.ts';
import { readKernelFile } from './kernel-file.ts';

/** Returns the descriptors that a fork must replace, because it shares what they refer to with the template. */
export function descriptorsOf(pid: number): TemplateSetup['descriptors'] {
  const directory = `/proc/${pid}/fd`;
  const targets = new Map(
    readdirSync(directory).map((name) => [Number(name), readlinkSync(join(directory, name))]),
  );
  const withTarget = (wanted: (target: string) => boolean): number[] =>
    [...targets].filter(([, target]) => wanted(target)).map(([descriptor]) => descriptor);
  const copiesOf = (descriptor: number) => withTarget((target) => target === targets.get(descriptor));
  const epolls = withTarget((target) => target === 'anon_inode:[eventpoll]');
  const [info = '', ...others] = new Set(
    epolls.map((descriptor) => readKernelFile(`/proc/${pid}/fdinfo/${descriptor}`)),
  );
  if (info === '' || others.length > 0) throw new Error('Deno does not have exactly one epoll instance');
  const watched = info.matchAll(/^tfd:\s*(\d+)\s+events:\s*([0-9a-f]+)\s+data:\s*([0-9a-f]+)/gm);
  const wakers = withTarget((target) => target === 'anon_inode:[eventfd]');
  const known = { channel: [...copiesOf(0), ...copiesOf(1)], errors: copiesOf(2), epolls, wakers };
  const all = new Set(Object.values(known).flat());
  return {
    ...known,
    watched: [...watched]
      .map(([, descriptor, events, data]) => ({
        descriptor: Number(descriptor),
        events: Number.parseInt(events as string, 16),
        data: data as string,
      }))
      .filter(({ descriptor }) => wakers.includes(descriptor)),
    others: [...targets.keys()].filter((descriptor) => !all.has(descriptor)),
  };
}
