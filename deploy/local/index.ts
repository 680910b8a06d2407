export { ChildEnded, spawnGuarded, spawnService, type Child } from "./child.ts";
export { startPostgres } from "./postgres.ts";
export { freePorts, isFree } from "./ports.ts";
export { findProgram, startNats, startRedis, startSentinel, type LocalServer, type ServerOptions } from "./servers.ts";
export {
  addressOf,
  portsOf,
  serviceNames,
  startService,
  startTogether,
  type ProcessName,
  type ServiceName,
  type ServiceSettings,
  type SuitePorts,
} from "./services.ts";
