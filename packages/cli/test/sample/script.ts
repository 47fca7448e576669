interface Params {
  a: number;
  b: number;
}

// biome-ignore lint/correctness/noUnusedVariables: the service calls it.
const main = ({ a, b }: Params): number => a + b;
