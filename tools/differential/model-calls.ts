/** Runs calls on the model. */
import type { Address } from 'viem';
import { type Call, encodeResult, type Named } from './abi.ts';
import { Model, Revert, type Writes } from './model.ts';
import { accountWrites, usageKeyWrites } from './model-accounts.ts';
import { configurationWrites } from './model-configuration.ts';
import { actionWrites, groupWrites, memberWrites, walletWrites } from './model-contents.ts';
import { signedWrites, signedWriteViews } from './model-signed.ts';
import { type ViewFunctions, views } from './views.ts';

export type Outcome =
  | { success: true; result: unknown[]; events: Named[] }
  | { success: false; error: Named };

export class CallableModel extends Model {
  private readonly views: ViewFunctions = { ...views(this), ...signedWriteViews(this) };
  private readonly writes: Writes = this.allWrites();

  /** Runs a transaction or an eth_call: a revert undoes all of it. */
  call(caller: Address, now: bigint, call: Call): Outcome {
    this.caller = caller;
    this.now = now;
    this.events = [];
    this.beforeAcceptance = undefined;
    try {
      return { success: true, result: this.dispatch(call), events: this.events };
    } catch (error) {
      if (!(error instanceof Revert)) throw error;
      if (this.beforeAcceptance !== undefined) this.state = this.beforeAcceptance;
      return { success: false, error: { name: error.name, args: error.args } };
    }
  }

  private dispatch({ name, args }: Call): unknown[] {
    const run = this.writes[name] ?? this.views[name];
    if (run === undefined) throw new Error(`the model has no ${name}`);
    return run(...(args as never[]));
  }

  private allWrites(): Writes {
    return {
      ...accountWrites(this),
      ...usageKeyWrites(this),
      ...groupWrites(this),
      ...actionWrites(this),
      ...walletWrites(this),
      ...memberWrites(this),
      ...configurationWrites(this),
      ...signedWrites(this, (call) => this.dispatch(call)),
      multicall: (calls: Call[]) =>
        this.atomically(() => [calls.map((call) => encodeResult(call.name, this.dispatch(call)))]),
      unknownFunction: (data: string) => {
        throw new Revert('FunctionNotFound', data === '0x' ? '0x00000000' : data.slice(0, 10));
      },
    };
  }
}
