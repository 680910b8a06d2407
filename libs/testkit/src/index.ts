export { startServiceAlone, type AloneService } from "./alone.ts";
export { ChildEnded, findProgram, freePorts } from "@modelgate/deploy/local";
export {
  startBackends,
  startLocalBackends,
  type Backends,
  type LocalBackends,
  type ServerControl,
} from "./backends.ts";
export { clusterIsPossible, startClusterBackends } from "./redis-cluster.ts";
export { startNatsCluster, type NatsClusterBackends } from "./nats-cluster.ts";
export { startSentinels, type SentinelBackends } from "./redis-sentinels.ts";
export { startTlsBackends, type TlsBackends } from "./tls-backends.ts";
export type { SeenRequest, SimulatorClient } from "./simulator-client.ts";
export { startLocalSuite, startSuite, type Suite, type SuiteOptions } from "./suite.ts";
export { until } from "./until.ts";
