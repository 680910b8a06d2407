// Text wires: their codecs, and what passing and converting share.
export type { TextAsk } from "./ask.ts";
export { surplusBounds } from "./ask.ts";
export { chatCodecIn } from "./chat/index.ts";
export type { ChatDialect } from "./chat/dialect.ts";
export type { ClientFraming } from "./hub/codec.ts";
export { textCodec, textCodecs, vendorCodec, wiresServing, type ClientWire, type PassedWire } from "./codecs.ts";
export { unsteadyMembers, type Dialogue } from "./dialogue.ts";
export type { EarlyEnd, EarlyEndOptions } from "./pass.ts";
export type { AskedFees, AskedTool, SeenFees } from "./fees.ts";
export type { TextAnswer, TextEvent } from "./hub/answer.ts";
export type {
  AnswerContext,
  AnsweredRequest,
  BatchCodec,
  ClientCodec,
  ClientOnlyCodec,
  ClientTextCodec,
  CountCodec,
  ParsedText,
  StreamReader,
  StreamWriter,
  TextTarget,
  TextCodec,
  VendorCodec,
  VendorTextCodec,
} from "./hub/codec.ts";
export type { FieldSupport } from "./hub/field-support.ts";
export type { JsonObject, TextRequest } from "./hub/request.ts";
export { hasEnvelope } from "./hub/seals.ts";
export { withoutSeals } from "./hub/seals.ts";
export type { PassCodec, SeenFrame, StreamPassCodec } from "./pass.ts";
export { withoutUnpriced } from "./leave-out.ts";
export { memberOf } from "./pass.ts";
export { arrayFraming, sseFraming } from "./content/client-stream.ts";
export { MessageCollector } from "./messages/collect-message.ts";
export type { ResponsesAsk } from "./responses/client-request.ts";
export { renderLoaded } from "./ollama/answer.ts";
export { responseOfItem } from "./responses/stores.ts";
