import { textWires, type TextWire, type UpstreamWire } from "@modelgate/contracts";
import { chatCodec } from "./chat/index.ts";
import { completionsCodec } from "./completions/index.ts";
import { contentCodec } from "./content/index.ts";
import { converseCodec } from "./converse/index.ts";
import type { ClientCodec, TextCodec, VendorTextCodec } from "./hub/codec.ts";
import { messagesCodec } from "./messages/index.ts";
import { responsesCodec } from "./responses/index.ts";

/** The text wires by their names: one line each. */
export const textCodecs = {
  chat: chatCodec,
  responses: responsesCodec,
  messages: messagesCodec,
  content: contentCodec,
  completions: completionsCodec,
  converse: converseCodec,
} as const satisfies { readonly [Wire in TextWire | "completions"]: TextCodec<Wire> };

type Codecs = typeof textCodecs;

/** The wires that a client of text may speak. */
export type ClientWire = {
  [Wire in keyof Codecs]: Codecs[Wire] extends { readonly client: ClientCodec } ? Wire : never;
}[keyof Codecs];

/** Finds the codec of a text wire. Throws Error for a wire of another kind. */
export function textCodec(wire: string): TextCodec {
  const codecs: Readonly<Record<string, TextCodec>> = textCodecs;
  const codec = Object.hasOwn(codecs, wire) ? codecs[wire] : undefined;
  if (codec === undefined) throw new Error(`${wire} is not a wire of text`);
  return codec;
}

/** Finds the codec of a wire that calls can be converted to. Throws Error for any other. */
export function vendorCodec(wire: string): VendorTextCodec {
  const { vendor, ...codec } = textCodec(wire);
  if (vendor === undefined) throw new Error(`calls cannot be converted to ${wire}`);
  return { ...codec, vendor };
}

/** Lists every wire that a client's calls can be served through, its own first. */
export function wiresServing(wire: ClientWire): readonly UpstreamWire[] {
  return [wire, ...textWires.filter((other) => other !== wire)];
}
