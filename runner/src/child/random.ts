/** `Math.random` from the random numbers of the system: V8's own would repeat in every fork of the template. */
const NUMBERS = 64;
const getRandomValues = crypto.getRandomValues.bind(crypto);

const bits = new Uint32Array(2 * NUMBERS);
let used = bits.length;

/**
 * Forgets the random numbers that a fork has in common with others. Deno's generator seeds itself again after a fork, but first
 * hands out the rest of its block of 256 bytes.
 */
export const reseed = (): void => {
  getRandomValues(new Uint8Array(1024));
  used = bits.length;
};

/** Returns a number from 0 to 1 (exclusive) with 53 random bits. */
export const { random } = {
  random(): number {
    if (used === bits.length) {
      getRandomValues(bits);
      used = 0;
    }
    const high = (bits[used] as number) >>> 5;
    const low = (bits[used + 1] as number) >>> 6;
    used += 2;
    return (high * 2 ** 26 + low) / 2 ** 53;
  },
};
