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
      ttlMs: read.integer(
        "TOKEN_CACHE_MS",
        5_000,
        "How long a token's record is used without asking Redis again; changes take effect at once all the same.",
        { max: 600_000 },
      ),
      size: read.integer("TOKEN_CACHE_SIZE", 50_000, "Most tokens that are remembered.", { min: 1 }),
    },
    seatLeaseMs: read.integer(
      "SEAT_LEASE_MS",
      30_000,
      "Lease of a call's place in its token's `concurrency`; the places of an edge that died are free after it.",
      { min: 300 },
    ),
    silence: {
      silenceMs: read.integer(
        "SERVICE_SILENCE_MS",
        3_600_000,
        "Longest silence between edge and service; services have shorter ones of their own.",
        { min: 1_000 },
      ),
      streamSilenceMs: read.integer(
        "STREAM_SILENCE_MS",
        60_000,
        "Longest silence of a service in a stream of events: several times what services leave between signs of life (HEARTBEAT_MS).",
        { min: 1_000 },
      ),
    },
  }),
  { port: ["PORT", 8080] },
);

/** The values of those variables. */
export type Env = EnvOf<typeof variables>;
