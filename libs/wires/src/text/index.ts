// Text wires by name, and functions for forwarded and converted calls.
export { surplusOutputLimits, type TextParams } from "./params.ts";
export { withAcceptedFiles } from "./chat/client-request.ts";
export { chatWireForDialect } from "./chat/index.ts";
export type { ChatDialect } from "./chat/dialect.ts";
export type { ClientFraming } from "./hub/wire.ts";
export {
  textWire,
  wires,
  vendorTextWire,
  wiresServing,
  type ClientWireName,
  type PassThroughWireName,
} from "./wires.ts";
export { reasoningMembers, unstableMembers, type Dialogue } from "./dialogue.ts";
export type { RequestedFees, RequestedTier, RequestedTool, ReportedExtraUsage, ReportedIteration } from "./fees.ts";
export type { FinishReason, TextAnswer, TextEvent, FailureEvent } from "./hub/answer.ts";
export type {
  AnswerContext,
  AnswerCollector,
  AnsweredRequest,
  BatchConversion,
  TextClient,
  ClientOnlyWire,
  TokenCount,
  ParsedText,
  StreamReader,
  StreamWriter,
  TextTarget,
  TextWire,
  TextVendor,
  VendorRun,
  VendorTextWire,
} from "./hub/wire.ts";
export type { FieldSupport, TextRequest } from "./hub/request.ts";
export type { JsonRecord as JsonObject } from "@modelgate/formats/json";
export { envelopeBytes, withoutSignatures } from "./hub/signatures.ts";
export type { EarlyEnd, EarlyEndOptions, FittedBody, PassTarget, TextPass, SeenFrame, TextStreamPass } from "./pass.ts";
export { pathBefore, withoutUnpriced } from "./leave-out.ts";
export { isKnownModel } from "./hub/openai-models.ts";
export { memberOf, withOutputLimit } from "./pass.ts";
export { arrayFraming, sseFraming } from "./content/client-stream.ts";
export { MessageCollector } from "./messages/collect-message.ts";
export { InteractionCollector } from "./interactions/collect.ts";
export { stepsOf, type InteractionsParams } from "./interactions/client-request.ts";
export type { ResponsesParams } from "./responses/client-request.ts";
export { renderLoaded } from "./ollama/answer.ts";
export { responseOfItem } from "./responses/stores.ts";
