import { ActionError, type RunLimits } from '@latchkey/runner-protocol';

export type RunInput = {
  code: string;
  /** Passed to `main`; null and undefined become `{}`. */
  jsParams: unknown;
  /** Further parameters, each with the name of the text in `jsParams` that holds its JSON. They do not count against the limit. */
  jsonParams: Record<string, string>;
};

/** Returns the JSON of the parameters of `main`. Throws an `ActionError` when code or parameters exceed their limits. */
export function paramsOf(
  { code, jsParams, jsonParams }: RunInput,
  { maxCodeBytes, maxParamsBytes }: Pick<RunLimits, 'maxCodeBytes' | 'maxParamsBytes'>,
): string {
  if (Buffer.byteLength(code) > maxCodeBytes)
    throw new ActionError('CodeLimitError', `the code has more than ${maxCodeBytes} bytes`);
  let json: string;
  try {
    json = JSON.stringify(jsParams ?? {});
  } catch {
    throw new ActionError('ParamsError', 'the parameters are not JSON, or nested too deeply');
  }
  if (Buffer.byteLength(json) > maxParamsBytes)
    throw new ActionError('ParamsLimitError', `the parameters have more than ${maxParamsBytes} bytes`);
  const added = Object.entries(jsonParams).map(
    ([name, from]) => `,${JSON.stringify(name)}:${toJson(String(Reflect.get(jsParams as object, from)))}`,
  );
  // Every added text comes from another parameter, so the object is not empty.
  return added.length === 0 ? json : `${json.slice(0, -1)}${added.join('')}}`;
}

/** Returns the JSON in a text, after a byte order mark if there is one, or the JSON of the text when it is not JSON. */
function toJson(text: string): string {
  const json = text.replace(/^\ufeff/, '');
  try {
    JSON.parse(json);
    return json;
  } catch {
    return JSON.stringify(text);
  }
}
