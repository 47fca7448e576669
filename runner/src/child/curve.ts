/**
 * Compiles secp256k1 from a file beside this script, at its first use. Takes what it needs from the global scope before an
 * action can change it.
 */
const { readFileSync } = Deno;
const { Module, Instance } = WebAssembly;
const random = crypto.getRandomValues.bind(crypto);

/**
 * @param file - In the directory of this script.
 * @param throwError - Called by the compiled code with the number of an error.
 */
export const instantiate = (file: string, throwError: (code: number) => void): WebAssembly.Exports => {
  const generateInt32 = () => random(new Int32Array(1))[0];
  const imports = { './rand.js': { generateInt32 }, './validate_error.js': { throwError } };
  return new Instance(new Module(readFileSync(`${import.meta.dirname}/${file}`)), imports).exports;
};
