import type { JsonRecord } from "../json/fields.ts";
import { askedOfChat } from "./chat/fees.ts";
import { chatCodec } from "./chat/index.ts";
import { chatPass } from "./chat/pass.ts";
import { completionsCodec } from "./completions/index.ts";
import { completionsPass } from "./completions/pass.ts";
import { contentCodec } from "./content/index.ts";
import { askedOfContent } from "./content/fees.ts";
import { contentPass } from "./content/pass.ts";
import type { AskedFees } from "./fees.ts";
import type { ClientCodec, TextCodec } from "./hub/codec.ts";
import type { TextWire } from "./hub/request.ts";
import { messagesCodec } from "./messages/index.ts";
import { askedOfMessages, capTools as capMessagesTools } from "./messages/fees.ts";
import { messagesPass } from "./messages/pass.ts";
import type { PassCodec } from "./pass.ts";
import { responsesCodec } from "./responses/index.ts";
import { askedOfResponses, capTools as capResponsesTools } from "./responses/fees.ts";
import { responsesPass } from "./responses/pass.ts";

/** Every text wire that converts to every other: one line each. */
export const textCodecs: Readonly<Record<TextWire, TextCodec>> = {
  chat: chatCodec,
  responses: responsesCodec,
  messages: messagesCodec,
  content: contentCodec,
};

/** The wires that a client of text may speak; the old completions are spoken to vendors only as they came. */
export type ClientWire = TextWire | "completions";

export const clientCodecs: Readonly<Record<ClientWire, ClientCodec>> = { ...textCodecs, completions: completionsCodec };

/** What a request in a wire asks of its vendor that is charged beside tokens; undefined for nothing. */
export const askedFeesIn: Readonly<Record<ClientWire, (body: JsonRecord) => AskedFees | undefined>> = {
  chat: askedOfChat,
  responses: askedOfResponses,
  messages: askedOfMessages,
  content: askedOfContent,
  completions: askedOfChat,
};

/** A request with its vendor-side tools bounded to so many calls, in the wires that have a word for it. */
export const cappedToolsIn = { responses: capResponsesTools, messages: capMessagesTools } as const satisfies Partial<
  Record<ClientWire, (body: Buffer, most: number) => Buffer>
>;

/** Every text wire, passed through: one line each. */
export const textPasses: Readonly<Record<ClientWire, PassCodec>> = {
  chat: chatPass,
  responses: responsesPass,
  messages: messagesPass,
  content: contentPass,
  completions: completionsPass,
};
