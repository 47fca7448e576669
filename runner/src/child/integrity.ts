/** Subresource Integrity of responses (https://www.w3.org/TR/SRI/). */

const { btoa, crypto } = globalThis;
const { subtle } = crypto;

/**
 * Returns whether the bytes have one of the hashes of the strongest kind in `integrity`. Tokens that are not a hash are
 * ignored, as on the web.
 */
export const hasIntegrity = async (bytes: Uint8Array<ArrayBuffer>, integrity: string): Promise<boolean> => {
  const tokens = [...integrity.matchAll(/(?<=^|\s)sha(256|384|512)-([\w+/-]+)=*(?=\?|\s|$)/g)];
  const strongest = Math.max(...tokens.map(([, bits]) => Number(bits)));
  if (tokens.length === 0) return true;
  const digest = new Uint8Array(await subtle.digest(`SHA-${strongest}`, bytes));
  const hash = btoa(String.fromCharCode(...digest)).replaceAll('=', '');
  return tokens.some(
    ([, bits, text = '']) =>
      Number(bits) === strongest && text.replaceAll('-', '+').replaceAll('_', '/') === hash,
  );
};
