// Text wires: their codecs, and what passing and converting share.
export type { TextAsk } from "./ask.ts";
export { surplusBounds } from "./bounds.ts";
export { chatCodecIn } from "./chat/dialect-codec.ts";
export type { ChatDialect } from "./chat/dialect.ts";
export type { ClientFraming } from "./client-framing.ts";
export { textCodec, textCodecs, vendorCodec, wiresServing, type ClientWire, type PassedWire } from "./codecs.ts";
export { unsteadyMembers, type Dialogue } from "./dialogue.ts";
export type { EarlyEnd, EarlyEndOptions } from "./early-end.ts";
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
  Parsed,
  Rendered,
  RequestPath,
  StreamReader,
  StreamWriter,
  Target,
  TextCodec,
  VendorCodec,
  VendorTextCodec,
} from "./hub/codec.ts";
export type { JsonObject, TextRequest } from "./hub/request.ts";
export { hasEnvelope } from "./hub/seals.ts";
export { unsealed } from "./hub/unsealed.ts";
export type { PassCodec, SeenFrame, StreamPassCodec } from "./pass.ts";
export { withoutUnpriced } from "./leave-out.ts";
export { memberOf } from "./pass-json.ts";
export { arrayFraming, sseFraming } from "./content/framing.ts";
export { MessageCollector } from "./messages/collect-message.ts";
export type { ResponsesAsk } from "./responses/ask.ts";
export { renderLoaded } from "./ollama/loaded.ts";
export { responseOfItem } from "./responses/item-ids.ts";
