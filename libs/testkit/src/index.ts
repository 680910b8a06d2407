export { adjustEnv, type Limits } from "./limits/limits.ts";
export { startServiceAlone, type AloneService } from "./alone.ts";
export { builtProgram } from "@modelgate/build";
export { ChildEnded, findProgram, freePorts, startNats } from "@modelgate/deploy/local";
export {
  startBackends,
  startLocalBackends,
  startLocalRedis,
  type Backends,
  type LocalBackends,
  type LocalRedis,
} from "./backends.ts";
export { runGatectl } from "./gatectl.ts";
export { testUsageDraft } from "./usage-draft.ts";
export { makeAuthority, type Authority } from "./certificates.ts";
export { canStartCluster, startClusterBackends } from "./redis-cluster.ts";
export {
  sharePostgres,
  startLocalPostgres,
  startPostgres,
  type LocalPostgres,
  type PostgresBackend,
} from "./postgres.ts";
export { startNatsCluster, type NatsClusterBackends } from "./nats-cluster.ts";
export { moveRedisData, startReplica, type ReplicaServer } from "./redis-replica.ts";
export { startSentinels, type SentinelBackends } from "./redis-sentinels.ts";
export { isRunning } from "./server-control.ts";
export { startTlsBackends, type TlsBackends } from "./tls-backends.ts";
export { simulatorAt, type ReceivedRequest, type SimulatorClient } from "./simulator-client.ts";
export { shapes, startLocalSuite, startSuite, type Shape, type Suite, type SuiteOptions } from "./suite.ts";
export { python, PythonForks, type PythonPlace } from "./python/python.ts";
export { until } from "./until.ts";
export { wavHead } from "./wav-head.ts";
export {
  listen,
  startHttpServer,
  startSocketServer,
  startWebSocketServer,
  type TestServer,
  type WebSocketTestServer,
} from "./servers.ts";
export { openSlowProxy, type SlowProxy } from "./slow-proxy.ts";
export { sendEvent, startSessionVendor, type SessionVendor } from "./vendor/session-vendor.ts";
export {
  startScriptedServer,
  type Script,
  type ScriptedAnswer,
  type ScriptedRequest,
  type ScriptedServer,
} from "./vendor/scripted-server.ts";
export {
  sse,
  streamOf,
  textAnswers,
  textUsage,
  textWireOf,
  type TextAnswer,
  type TextWire,
} from "./vendor/text-answers.ts";
