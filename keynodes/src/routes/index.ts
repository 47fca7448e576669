import { attestRunner } from './attest_runner.ts';
import { dealing } from './dealing.ts';
import { getAttestation } from './get_attestation.ts';
import { getDealing } from './get_dealing.ts';
import { getNode } from './get_node.ts';
import { getRunnerChallenge } from './get_runner_challenge.ts';
import { health } from './health.ts';
import { release } from './release.ts';
import { releases } from './releases.ts';

export const routes = [
  release,
  releases,
  getRunnerChallenge,
  attestRunner,
  getNode,
  dealing,
  getDealing,
  getAttestation,
  health,
] as const;
