/** Reads a quote of Intel TDX (DCAP Quoting Library API, A.3 and A.4). Its verifier says whether it is genuine. */

const TEE_TYPE_TDX = 0x81;
/** Bytes before the report of the TD, by version: a header of 48, then in version 5 the type and size of the report. */
const REPORT_AT: Record<number, number> = { 4: 48, 5: 54 };
/** Bytes from the start of the report. */
const TD_ATTRIBUTES_AT = 120;
const REPORT_DATA_AT = 520;
const REPORT_DATA_BYTES = 64;
/** Bit of the attributes that lets the host read and change the memory of the TD. */
const DEBUG_BIT = 1;

export type TdxQuote = { isDebug: boolean; reportData: string };

/** Returns undefined for anything but a TDX quote of version 4 or 5. */
export function readTdxQuote(hex: string): TdxQuote | undefined {
  const bytes = Buffer.from(hex, 'hex');
  if (bytes.length < 8 || bytes.readUInt32LE(4) !== TEE_TYPE_TDX) return undefined;
  const report = bytes.subarray(REPORT_AT[bytes.readUInt16LE(0)] ?? bytes.length);
  const reportData = report.subarray(REPORT_DATA_AT, REPORT_DATA_AT + REPORT_DATA_BYTES);
  if (reportData.length < REPORT_DATA_BYTES) return undefined;
  const isDebug = (report.readUInt8(TD_ATTRIBUTES_AT) & DEBUG_BIT) !== 0;
  return { isDebug, reportData: reportData.toString('hex') };
}
