import { getNode } from './get_node.ts';
import { health } from './health.ts';
import { release } from './release.ts';

export const routes = [release, getNode, health] as const;
