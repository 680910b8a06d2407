import { parseFrameRecord, type StreamPassCodec } from "@modelgate/wires/text";
import { eventFraming } from "./framing.ts";
import { PassTranslator, type PassOptions } from "./pass-translator.ts";
import type { StreamReader } from "./stream-reader.ts";

/** Reads a stream that passes to its client; `options` are made anew for every stream. */
export function passReader(
  pass: StreamPassCodec,
  options: (how: { readonly mayBeCut: boolean }) => PassOptions,
): StreamReader {
  return {
    kind: "stream",
    framing: eventFraming,
    begins: (first) => beginsIn(pass, first),
    translator: (how) => new PassTranslator(options(how)),
  };
}

const dataField = /^data:[ \t]*\S/m;

/** Whether an answer of a wire can begin with a frame: with one of its events that is no error, or without any data. */
export function beginsIn(pass: StreamPassCodec, first: Buffer): boolean {
  const event = parseFrameRecord(first);
  if (event === undefined) return !dataField.test(first.toString());
  return !pass.see(first).failed && pass.begins(event);
}
