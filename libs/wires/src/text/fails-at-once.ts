import type { VendorTextCodec } from "./hub/codec.ts";

/** Whether the first frame of a vendor's stream says that the vendor failed, or cannot be read. */
export function failsAtOnce({ framing, vendor }: VendorTextCodec, first: Buffer): boolean {
  const decoder = framing.decoder();
  const reader = vendor.reader();
  return [...decoder.push(first), ...decoder.end()].some((frame) =>
    reader.read(frame).some(({ type }) => type === "failure"),
  );
}
