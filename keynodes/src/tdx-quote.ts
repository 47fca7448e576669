/** Reads a quote of Intel TDX, version 4 (DCAP Quoting Library API, A.3). Its verifier says whether it is genuine. */

const VERSION = 4;
const TEE_TYPE_TDX = 0x81;
/** Bytes from the start of the quote: a header of 48, then the report of the TD. */
const TD_ATTRIBUTES_AT = 48 + 120;
const REPORT_DATA_AT = 48 + 520;
const REPORT_DATA_BYTES = 64;
/** Of the attributes: the host can read and change the memory of the TD. */
const DEBUG_BIT = 1;

export type TdxQuote = { isDebug: boolean; reportData: string };

/** Returns undefined for anything else. */
export function readTdxQuote(hex: string): TdxQuote | undefined {
  const bytes = Buffer.from(hex, 'hex');
  if (bytes.length < REPORT_DATA_AT + REPORT_DATA_BYTES) return undefined;
  if (bytes.readUInt16LE(0) !== VERSION || bytes.readUInt32LE(4) !== TEE_TYPE_TDX) return undefined;
  return {
    isDebug: (bytes.readUInt8(TD_ATTRIBUTES_AT) & DEBUG_BIT) !== 0,
    reportData: bytes.subarray(REPORT_DATA_AT, REPORT_DATA_AT + REPORT_DATA_BYTES).toString('hex'),
  };
}
