import { serviceVariables, stateVariables, variable } from "@modelgate/platform";

const { NATS_URL: _bus, NATS_REPLICAS: _replicas, NATS_KEEP_BYTES: _keep, ...state } = stateVariables;
const { EDGE_PORT: _port, ...ports } = serviceVariables("EDGE");

/** Every variable that the edge reads. An area without an address is answered 501. */
export const variables = {
  ...ports,
  ...state,
  /** Where the edge listens. */
  PORT: variable.port(8080),
  TEXT_URL: variable.optionalUrl(),
  MEDIA_URL: variable.optionalUrl(),
  VIDEO_URL: variable.optionalUrl(),
  AUDIO_URL: variable.optionalUrl(),
  REALTIME_URL: variable.optionalUrl(),
  /** Origins whose pages may call; `*` for all. Keys travel in headers, so no cookie is ever at stake. */
  CORS_ORIGINS: variable.text("*"),
  /** How long a token's record is believed without asking Redis; changes are told at once by pub/sub. */
  TOKEN_CACHE_MS: variable.integer({ fallback: 5_000, max: 600_000 }),
  TOKEN_CACHE_SIZE: variable.integer({ fallback: 50_000, min: 1 }),
  /** Lease of a concurrency seat; it comes back after this when the edge dies. */
  SEAT_LEASE_MS: variable.integer({ fallback: 30_000, min: 300 }),
  /** Longest silence between edge and service; services have shorter ones of their own. */
  SERVICE_SILENCE_MS: variable.integer({ fallback: 3_600_000, min: 1_000 }),
  /** Longest silence of a service in a stream of events: several times what services leave between signs of life (HEARTBEAT_MS). */
  STREAM_SILENCE_MS: variable.integer({ fallback: 60_000, min: 1_000 }),
};
