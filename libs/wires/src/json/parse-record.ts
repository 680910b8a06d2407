import { isRecord, type JsonRecord } from "./fields.ts";

/** The JSON object that a text is; undefined for anything else. */
export function parseRecord(text: string): JsonRecord | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
