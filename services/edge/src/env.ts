import { proxiesVariable, serviceVariables, storeVariables, type EnvOf } from "@modelgate/platform";

/** Environment variables of the edge. Calls to an area without an address are answered with 501. */
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
    // `*` is safe: pages of other origins cannot use a visitor's key, because keys are sent in headers, not in cookies.
    corsOrigins: read.text(
      "CORS_ORIGINS",
      "*",
      "Origins of web pages that may call the API, separated by commas. `*` allows all.",
    ),
    proxies: proxiesVariable(read),
    tokenCache: {
      /** Maximum time, in ms, to cache an API key's record. Changes of a record are announced and apply immediately. */
      ttlMs: 5_000,
      /** Maximum cached API keys. */
      size: 50_000,
    },
    /** Time, in ms, after which the concurrency slots of calls are freed if their edge no longer renews them. */
    seatLeaseMs: 30_000,
    silence: {
      /** Maximum silence, in ms, between edge and service; longer than the limits in the services. */
      silenceMs: 3_600_000,
      /** Maximum silence, in ms, of a service in an event stream; longer than the maximum of HEARTBEAT_MS. */
      streamSilenceMs: 60_000,
    },
  }),
  { port: ["PORT", 8080] },
);

/** Settings of the edge: the values of the variables, and the constants above. */
export type Env = EnvOf<typeof variables>;
