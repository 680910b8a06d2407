import { textWires, type TextWire, type UpstreamWire } from "@modelgate/contracts";
import { chatCodec } from "./chat/index.ts";
import { completionsCodec } from "./completions/index.ts";
import { contentCodec } from "./content/index.ts";
import { converseCodec } from "./converse/index.ts";
import type { ClientCodec, ClientOnlyCodec, TextCodec, VendorTextCodec } from "./hub/codec.ts";
import { messagesCodec } from "./messages/index.ts";
import { ollamaChatCodec, ollamaGenerateCodec } from "./ollama/index.ts";
import { responsesCodec } from "./responses/index.ts";

/** The wires that vendors have, by their names: one line each. */
const vendorCodecs = {
  chat: chatCodec,
  responses: responsesCodec,
  messages: messagesCodec,
  content: contentCodec,
  completions: completionsCodec,
  converse: converseCodec,
} as const satisfies { readonly [Wire in TextWire | "completions"]: TextCodec<Wire> };

/** The wires that only clients speak. */
const clientCodecs = {
  "ollama-chat": ollamaChatCodec,
  "ollama-generate": ollamaGenerateCodec,
} as const satisfies Readonly<Record<string, ClientOnlyCodec>>;

/** The text wires by their names. */
export const textCodecs = { ...vendorCodecs, ...clientCodecs };

type Codecs = typeof textCodecs;

/** The wires that a client of text may speak. */
export type ClientWire = {
  [Wire in keyof Codecs]: Codecs[Wire] extends { readonly client: ClientCodec } ? Wire : never;
}[keyof Codecs];

/** Finds the codec of a text wire that vendors have. Throws Error for a wire of another kind. */
export function textCodec(wire: string): TextCodec {
  const codecs: Readonly<Record<string, TextCodec | ClientOnlyCodec>> = textCodecs;
  const codec = Object.hasOwn(codecs, wire) ? codecs[wire] : undefined;
  if (codec === undefined || !("name" in codec)) throw new Error(`${wire} is not a wire of text`);
  return codec;
}

/** Finds the codec of a wire that calls can be converted to. Throws Error for any other. */
export function vendorCodec(wire: string): VendorTextCodec {
  const { vendor, ...codec } = textCodec(wire);
  if (vendor === undefined) throw new Error(`calls cannot be converted to ${wire}`);
  return { ...codec, vendor };
}

/** The wires that vendors have and clients speak: their calls can be passed on. */
export type PassedWire = ClientWire & keyof typeof vendorCodecs;

/** Whether a client's calls can be passed on as they are, to vendors of its own wire. */
function isPassed(wire: ClientWire): wire is PassedWire {
  return Object.hasOwn(vendorCodecs, wire);
}

/** Lists every wire that a client's calls can be served through, its own first. */
export function wiresServing(wire: ClientWire): readonly UpstreamWire[] {
  const others = textWires.filter((other) => other !== wire);
  return isPassed(wire) ? [wire, ...others] : others;
}
