/** Properties of the fields of a kind of trigger. */
import type { TriggersClient } from '@latchkey/sdk';

/** The configuration in its wire form. */
export type WireConfig = { [field: string]: unknown };

export type FieldsProps = {
  client: TriggersClient;
  config: WireConfig;
  onChange: (config: WireConfig) => void;
  /** True for a new trigger. An existing one keeps its secret, which replies do not contain, while its configuration stays the same. */
  isNew: boolean;
};
