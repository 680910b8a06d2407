export { idOnShardOf, isAccountId } from "./account-ids.ts";
export { plainNumber } from "./plain-number.ts";
export { isActionName, type RecordedAction } from "./audit-action.ts";
export { auditText, type AuditAction, type AuditLanguage } from "./audit-text.ts";
export {
  Alert,
  AlertDelivery,
  alertKinds,
  alertSeverities,
  AlertTarget,
  alertTargetKinds,
  alertTargetPurpose,
  AlertTargetSecret,
  deliveryStates,
  type AlertKind,
  type AlertTargetKind,
} from "./alerts.ts";
export { bodies, type BodyName } from "./bodies/index.ts";
export { Caller, callerSeconds } from "./caller.ts";
export { checkConfiguration, type CheckedConfiguration } from "./configuration/check.ts";
export { isSendableKey, storedVendorKeysPurpose } from "./configuration/keys.ts";
export { isHeaderValue, isReservedHeader } from "./configuration/request-headers.ts";
export { noProxy, proxyAddress, proxyUrlProblem } from "./configuration/proxies.ts";
export { modelPaths } from "./configuration/routing.ts";
export type { ConfigurationProblem } from "./configuration/schema.ts";
export {
  AccountConfiguration,
  ChannelConfiguration,
  type ChannelChoice,
  Configuration,
  GroupConfiguration,
  ModelConfiguration,
  PriceConfiguration,
  TokenConfiguration,
} from "./configuration/schema.ts";
export {
  needsBalance,
  modelKinds,
  type Area,
  type BodyForm,
  type Endpoint,
  type KeyCarrier,
  type ModelKind,
} from "./endpoints/endpoint.ts";
export { errorFormatOf, errorFormatOfPath, findEndpoint, listFormatOf, type FoundEndpoint } from "./endpoints/find.ts";
export {
  endpointIds,
  endpointLabel,
  endpointOf,
  endpoints,
  pathAliases,
  type AreaEndpointId,
  type EndpointId,
} from "./endpoints/table.ts";
export { endUserOf } from "./events/usage.ts";
export { CreditEvent, CreditKind } from "./events/receipt.ts";
export { CallAttempt } from "./events/usage.ts";
export { Receipt } from "./events/receipt.ts";
export { makeRefusedCall, RefusedCall } from "./events/refused-call.ts";
export { creditSubject, eventStreams, taskSubject, usageSubject } from "./events/streams.ts";
export { readTaskEvent, StoredTaskEvent, TaskEvent, TaskState, upgradeTaskEvent } from "./events/task.ts";
export {
  maxAdded,
  maxAddedCharacters,
  maxDropped,
  maxDroppedCharacters,
  maxModelCharacters,
  maxVendorMessage,
  maxTries,
  CallStatus,
  readUsageEvent,
  UsageDraft,
  UsageEvent,
} from "./events/usage.ts";
export { asFailure, Failure, type FailureDetails } from "./failures/failure.ts";
export { failureFrameOf, failureFrames, renderSessionFailure, type RenderFailureFrame } from "./failures/frames.ts";
export { failures, isFailureCode, type FailureCode, type FailureKind } from "./failures/registry.ts";
export { failureHeaders, renderFailure, type ErrorFormat } from "./failures/render.ts";
export { parseAddressRange } from "./configuration/address-range.ts";
export { fieldPath } from "./configuration/check.ts";
export { allowedValues, oneOfPredicate, schemaPredicate, type SchemaError } from "./schema-words.ts";
export { firstHeader, headerAliases, headers, ownHeaderPrefix, type IncomingHeaders } from "./headers.ts";
export { Budgets } from "./caller.ts";
export { formatUsd, dollarsToNanos, parseNanos, parseUsd, type Nanos } from "./money/nanos.ts";
export {
  compilePrice,
  costOf,
  maxCostOf,
  priceFields,
  priceUnits,
  priceUnitText,
  pricesUpTo,
  toolPriceFields,
  unpricedUnits,
  type Price,
  type PriceField,
  type ToolPriceField,
  unitPriceText,
  type ConfiguredPrice,
} from "./money/price.ts";
export { costLines, type CostLine } from "./money/cost-lines.ts";
export {
  compileResolutions,
  priceAt,
  allConfiguredPrices,
  type ResolutionPrice,
  type ConfiguredPrices,
} from "./money/resolutions.ts";
export { inOneLine } from "./one-line.ts";
export { openApi } from "./openapi/document.ts";
export { isTagName, parseTags, type Tags } from "./tags.ts";
export { parseTime } from "./configuration/check.ts";
export type { DeclaredVariable, VariableDescription } from "./variable.ts";
export {
  addUnits,
  inputTokenUnits,
  totalInputTokens,
  outputTokenUnits,
  totalOutputTokens,
  tokensIn,
  toolUnits,
  type ToolUnit,
  unitEntries,
  unitNames,
  Units,
  type UnitName,
} from "./units.ts";
export {
  imageEditWires,
  imageGenerationWires,
  rankingWires,
  realtimeWires,
  sessionWires,
  isAgent,
  textWireNames,
  upstreamWires,
  vectorsWires,
  clientVideoWires,
  videoWires,
  type ImagesWire,
  type RankingWire,
  type RealtimeWire,
  type SessionWire,
  type TextWireName,
  speechWires,
  type SpeechWire,
  type TranscriptsWire,
  vendorTranscriptsWires,
  type VendorTranscriptsWire,
  type UpstreamWire,
  type VectorsWire,
  type ClientVideoWire,
  type VideoWire,
} from "./upstream-wires.ts";
export {
  firstByteDimensionNames,
  firstByteDimensions,
  totalsDimensionNames,
  totalsDimensions,
} from "./usage-dimensions.ts";
export { wiresOfKind } from "./wires-of-kind.ts";
export { organisationOfScope, organisationScope } from "./organisation-scope.ts";
export { validatorOf, type SchemaValidator } from "./validator.ts";
export { recordParser, UnknownShape, renameMembers } from "./stored.ts";
export { withoutUndefined } from "./without-undefined.ts";
