/** Consent of the operator of this node: in which groups it deals, and from when. */
import { serviceUnavailable } from '@latchkey/http';
import type { Block } from '../blocks.ts';
import { type Decisions, readDecisions } from '../operator-decisions.ts';
import type { ApprovalReader } from './approvals.ts';
import { DealingError } from './stored-dealing.ts';

/** `due`: the waiting time has passed without a decision of the operator. */
type ConsentState = 'none' | 'accepted' | 'refused' | 'waiting' | 'due';
export type ConsentView = {
  state: ConsentState;
  /** Time left by the time of the latest block; 0 unless the node waits. */
  remainingSec: number;
  /** Unix time of the block that changed the approval, null unless the node waits. */
  sinceSec: number | null;
};

export type Consent = {
  /** Returns what the node does with the group that the contract approves; its text is empty for none. */
  view: (at: Block, approved: string) => Promise<ConsentView>;
  /** Rejects with a DealingError when the node must not deal in the approved group at this block. */
  require: (at: Block, approved: string) => Promise<void>;
  /** Rejects with a DealingError when the operator refused the group. */
  requireNotRefused: (group: string) => Promise<void>;
};

export type ConsentOptions = {
  /** Data directory of the node. */
  directory: string;
  approvals: ApprovalReader;
  waitSec: number;
};

/**
 * Returns the decision about a group. After a refusal, groups without a decision are refused too: otherwise the refused nodes could be
 * approved again in another group until a waiting time passes unnoticed.
 */
function decisionOn({ groups }: Decisions, text: string): 'accepted' | 'refused' | undefined {
  const decided = groups.find(({ group }) => group === text)?.decision;
  return decided ?? (groups.at(-1)?.decision === 'refused' ? 'refused' : undefined);
}

export function createConsent({ directory, approvals, waitSec }: ConsentOptions): Consent {
  const decision = async (group: string) => decisionOn(await readDecisions(directory), group);
  const view = async (at: Block, approved: string): Promise<ConsentView> => {
    if (approved === '') return decidedAs('none');
    const decided = await decision(approved);
    if (decided) return decidedAs(decided);
    const sinceSec = waitSec === 0 ? undefined : await approvals.lastChangeSec(at, approved, waitSec);
    const remainingSec = sinceSec === undefined ? 0 : sinceSec + waitSec - at.timestampSec;
    if (sinceSec === undefined || remainingSec <= 0) return decidedAs('due');
    return { state: 'waiting', remainingSec, sinceSec };
  };
  return {
    view,
    async require(at, approved) {
      const { state, remainingSec } = await view(at, approved).catch((cause) => {
        throw cause instanceof Error && cause.name === 'FileError'
          ? cause
          : serviceUnavailable('the chain does not say when it approved the group', { cause });
      });
      if (state === 'refused') throw refusal();
      if (state === 'waiting')
        throw new DealingError(
          'refused',
          `the contract approved this group recently: this node deals in it in ${remainingSec} seconds, or when its operator runs "npm run keys -- accept" on its machine`,
        );
    },
    async requireNotRefused(group) {
      if ((await decision(group)) === 'refused') throw refusal();
    },
  };
}

const decidedAs = (state: Exclude<ConsentState, 'waiting'>): ConsentView => ({
  state,
  remainingSec: 0,
  sinceSec: null,
});

const refusal = () =>
  new DealingError(
    'refused',
    'the operator of this node refused this group: it takes part after "npm run keys -- accept" on its machine',
  );
