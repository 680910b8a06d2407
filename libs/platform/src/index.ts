export { acceptWebSockets, type AcceptWebSocket } from "./web-socket/accept.ts";
export { checkHandshake } from "./web-socket/accept.ts";
export { answerFailure, answerJson, refuseUpgrade } from "./answer.ts";
export { announceTrailer, type AnswerSink, type SinkWatcher } from "./answer-sink.ts";
export {
  recordRefusal,
  recordStreamRefusal,
  type AreaHandlers,
  type CallFacts,
  type EndpointHandler,
  type ServiceCall,
} from "./area-handler.ts";
export type { UpgradeCall, UpgradeCallHandler } from "./area-upgrade.ts";
export { BufferBudget, type BudgetShares, type Holder, type Holding } from "./buffer-budget.ts";
export type { Progress } from "./bus-progress.ts";
export type { BusMessage, PublishResult } from "./bus-publisher.ts";
export { openBus, type BatchHandler, type Bus, type BusLimits } from "./bus.ts";
export {
  busVariables,
  readEnv,
  serviceVariables,
  stateVariables,
  contentVariables,
  storeVariables,
  type EnvOf,
  type ServiceVariables,
  type ContentEnv,
  type StoreEnv,
} from "./service-variables.ts";
export { StartError } from "./start-error.ts";
export { describeVariables, readVariables, type Declaration, type VariableReader } from "./variables.ts";
export { startSpooling, type IncomingSpoolFile, type Spool } from "./form/follow-file.ts";
export type { FormField, FormFile, FormPart } from "./form/form-file.ts";
export { bufferForm, type BufferedFile, type BufferedForm } from "./form/buffer-form.ts";
export { openForm, type Form, type FormLimits } from "./form/open-form.ts";
export { spoolFile, type SpooledFile } from "./form/follow-file.ts";
export { gatewayFailureOf, endingOf, shutdownRequest, restartFailure, unlessEnded } from "./ending.ts";
export { inTurns, inTurnsIfLong, nextTurn } from "./in-turns.ts";
export { listen, type HttpServer, type UpgradeHandler } from "./http-server.ts";
export { discardRestOfBody } from "./linger.ts";
export { createLogger, type Logger } from "./log.ts";
export {
  Counter,
  Gauge,
  Histogram,
  observeRequest,
  observeStore,
  registerLeaseCount,
  type Registry,
  statusOf,
} from "./metrics.ts";
export { SeriesCounter, SeriesHistogram, type ValueSeries } from "./series.ts";
export { ClientDisconnected, readBody, type Body, type BodyLimits } from "./read-body.ts";
export {
  authoriseBySecret,
  operatorHandler,
  operatorRoles,
  visitor,
  type Authorise,
  type Operator,
  type OperatorRole,
  type OrganisationAccess,
  type TeamAccess,
  type OperatorCall,
  type OperatorRoutes,
} from "./operator/operator-api.ts";
export { StreamedAnswer } from "./operator/operator-api.ts";
export { AnswerWithHeaders } from "./operator/operator-api.ts";
export { once } from "./memo.ts";
export type { PaceLimits } from "./pace.ts";
export { runOnSharedTick, msUntilSharedTick } from "./shared-tick.ts";
export { OpenList, type ListEntry } from "./open-list.ts";
export { WorkCheck, readServerState, type WorkCheckOptions, type RedisServerState } from "./redis-writes.ts";
export { readRedisMemory, type RedisMemory } from "./redis-memory.ts";
export { executeTransaction, openRedis, orUnavailable, type Redis } from "./redis.ts";
export { openSubscriber } from "./redis-subscriber.ts";
export { RefusedCalls, takeRefusedCalls, type WaitingRefusal } from "./refused-calls.ts";
export { failureFrom } from "./store-failure.ts";
export { idSource, isRequestId } from "./tracing.ts";
export { serveArea, type LocalArea, type LocalAreas } from "./process/area-server.ts";
export { watchProcesses, version, type ProcessList, type ProcessStatus } from "./process/presence.ts";
export { drainServices } from "./process/process-services.ts";
export { runProcess } from "./process/run-process.ts";
export { runWorkers, type WorkerPlan } from "./process/run-workers.ts";
export {
  defineService,
  type AdjustEnv,
  type OpenService,
  type Service,
  type ServiceContext,
} from "./process/service.ts";
export { SharedParts, sharedPart } from "./process/shared.ts";
export { readCertificateEnd, type TlsServer } from "./certificate-end.ts";
export { readContentCertificateEnds, storeContentCertificateEnds } from "./process/content-certificates.ts";
export { sharedBus, sharedContentRedis, sharedRedis, sharedRefusedCalls } from "./process/stores.ts";
export { defineScript, type Script } from "./script/define-script.ts";
export type { Values } from "./script/values.ts";
export { idsOf, startSpan, traceIdOf, type RequestIds, type Span } from "./tracing.ts";
export { makeCipher, type Cipher } from "./cipher.ts";
export type { Secrets } from "./secrets.ts";
export { signCaller, verifyCaller } from "./secrets.ts";
export { BoundedMap } from "./memo.ts";
export { clientAddress, proxiesVariable } from "./client-address.ts";
