import type { TextCodec } from "./hub/codec.ts";
import type { TextWire } from "./hub/request.ts";
import type { PassCodec } from "./pass.ts";
import { chatCodec } from "./chat/index.ts";
import { chatPass } from "./chat/pass.ts";
import { contentCodec } from "./content/index.ts";
import { contentPass } from "./content/pass.ts";
import { messagesCodec } from "./messages/index.ts";
import { responsesCodec } from "./responses/index.ts";
import { responsesPass } from "./responses/pass.ts";

/** Every text wire, through the neutral form: one line each. */
export const textCodecs: Readonly<Record<TextWire, TextCodec>> = {
  chat: chatCodec,
  responses: responsesCodec,
  messages: messagesCodec,
  content: contentCodec,
};

/** Every text wire, passed through: one line each. */
export const textPasses: Readonly<Record<TextWire, PassCodec>> = {
  chat: chatPass,
  responses: responsesPass,
  content: contentPass,
} as never;
