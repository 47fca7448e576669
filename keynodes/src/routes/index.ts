import { dealing } from './dealing.ts';
import { getDealing } from './get_dealing.ts';
import { getNode } from './get_node.ts';
import { health } from './health.ts';
import { release } from './release.ts';

export const routes = [release, getNode, dealing, getDealing, health] as const;
