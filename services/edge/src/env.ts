import { serviceVariables, storeVariables, type EnvOf } from "@modelgate/platform";

/** Every variable that the edge reads. An area without an address is answered 501. */
export const variables = serviceVariables(
  "edge",
  (read) => ({
    ...storeVariables(read),
    areas: {
      text: read.optionalUrl("TEXT_URL", "Address of the text service."),
      media: read.optionalUrl("MEDIA_URL", "Address of the media service."),
      video: read.optionalUrl("VIDEO_URL", "Address of the video service."),
      audio: read.optionalUrl("AUDIO_URL", "Address of the audio service."),
      realtime: read.optionalUrl("REALTIME_URL", "Address of the realtime service."),
    },
    // Keys travel in headers, so no cookie is ever at stake.
    corsOrigins: read.text("CORS_ORIGINS", "*", "Origins whose pages may call, separated by commas; `*` for all."),
    tokenCache: {
      /** Time for which a token's record is used without asking Redis again; changes take effect at once all the same. */
      ttlMs: 5_000,
      /** Maximum tokens that are remembered. */
      size: 50_000,
    },
    /** Lease of a call's seat in its token's `concurrency`. The seats of an edge that died are free after it. */
    seatLeaseMs: 30_000,
    silence: {
      /** Longest silence between edge and service; services have shorter ones. */
      silenceMs: 3_600_000,
      /** Longest silence of a service in a stream of events: longer than HEARTBEAT_MS may be, which is the silence of a healthy one. */
      streamSilenceMs: 60_000,
    },
  }),
  { port: ["PORT", 8080] },
);

/** The values of those variables. */
export type Env = EnvOf<typeof variables>;
