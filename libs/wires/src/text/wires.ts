import { textWireNames, type UpstreamWire } from "@modelgate/contracts";
import { ownEntry } from "@modelgate/formats/json";
import { chatWire } from "./chat/index.ts";
import { completionsWire } from "./completions/index.ts";
import { contentWire } from "./content/index.ts";
import { converseWire } from "./converse/index.ts";
import type { ClientOnlyWire, TextClient, TextWire, VendorTextWire } from "./hub/wire.ts";
import { interactionsWire } from "./interactions/index.ts";
import { messagesWire } from "./messages/index.ts";
import { ollamaChatWire, ollamaGenerateWire } from "./ollama/index.ts";
import type { TextPass } from "./pass.ts";
import { responsesWire } from "./responses/index.ts";

export const wires = {
  chat: chatWire,
  responses: responsesWire,
  messages: messagesWire,
  content: contentWire,
  interactions: interactionsWire,
  completions: completionsWire,
  converse: converseWire,
  "ollama-chat": ollamaChatWire,
  "ollama-generate": ollamaGenerateWire,
} as const satisfies Readonly<Record<string, TextWire | ClientOnlyWire>>;

type Wires = typeof wires;

type NamesWith<Side> = { [Name in keyof Wires]: Wires[Name] extends Side ? Name : never }[keyof Wires];

export type ClientWireName = NamesWith<{ readonly client: TextClient }>;

/** Wires that vendors and clients have. A call can be forwarded from a client to a vendor of the same wire. */
export type PassThroughWireName = NamesWith<{ readonly client: TextClient; readonly pass: TextPass }>;

/** Returns a text wire of vendors. Throws Error for any other name. */
export function textWire(name: string): TextWire {
  const wire = ownEntry<TextWire | ClientOnlyWire>(wires, name);
  if (wire === undefined || !("framing" in wire)) throw new Error(`${name} is not a text wire of vendors`);
  return wire;
}

/** Returns a wire that requests can be converted to. Throws Error for any other name. */
export function vendorTextWire(name: string): VendorTextWire {
  const { vendor, ...wire } = textWire(name);
  if (vendor === undefined) throw new Error(`calls cannot be converted to ${name}`);
  return { ...wire, vendor };
}

const servingWires = new Map<ClientWireName, readonly UpstreamWire[]>();

/** Returns all wires that can serve the calls of a client's wire, the client's wire first. */
export function wiresServing(wire: ClientWireName): readonly UpstreamWire[] {
  const cached = servingWires.get(wire);
  if (cached !== undefined) return cached;
  const others = textWireNames.filter((other) => other !== wire);
  const serving = isPassThrough(wire) ? [wire, ...others] : others;
  servingWires.set(wire, serving);
  return serving;
}

function isPassThrough(wire: ClientWireName): wire is PassThroughWireName {
  return "pass" in wires[wire];
}
