import { proxiesVariable, serviceVariables, storeVariables, type EnvOf } from "@modelgate/platform";

/**
 * Environment variables of the edge. Calls to an area are answered with 501 if the area has no address and this process
 * does not run it.
 */
export const variables = serviceVariables(
  "edge",
  (read) => ({
    ...storeVariables(read),
    areas: {
      text: read.optionalHttpAddress("TEXT_URL", "Address of the text service."),
      media: read.optionalHttpAddress("MEDIA_URL", "Address of the media service."),
      video: read.optionalHttpAddress("VIDEO_URL", "Address of the video service."),
      audio: read.optionalHttpAddress("AUDIO_URL", "Address of the audio service."),
      realtime: read.optionalHttpAddress("REALTIME_URL", "Address of the realtime service."),
    },
    // `*` is safe: keys are sent in headers, not in cookies, so pages of other origins cannot use a visitor's key.
    corsOrigins: read.text(
      "CORS_ORIGINS",
      "*",
      "Origins of web pages that may call the API, separated by commas. `*` allows all.",
    ),
    proxies: proxiesVariable(read),
    tokenCache: {
      /** Maximum ms to cache an API key's record. Changes of a record apply immediately. */
      ttlMs: 5_000,
      size: 50_000,
    },
    /** Time in ms after which a seat is free if the edge of its call no longer renews it. */
    seatLeaseMs: 30_000,
    silence: {
      /** Maximum ms of silence between edge and service; longer than the limits in the services. */
      silenceMs: 3_600_000,
      /** Maximum ms of silence in an event stream; longer than the maximum of HEARTBEAT_MS. */
      streamSilenceMs: 60_000,
    },
  }),
  { port: ["PORT", 8080] },
);

/** Settings of the edge. */
export type Env = EnvOf<typeof variables>;
