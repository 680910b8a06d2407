import { bearer, socketKeys, type Endpoint } from "./endpoint.ts";

const image = { area: "media", errors: "common", keys: bearer, kinds: ["image"], streams: "images" } as const;
const audio = { area: "audio", errors: "common", keys: bearer } as const;

/** Images (interface section 4.4), audio (4.6) and realtime (4.7). */
export const mediaEndpoints = {
  imageGenerations: {
    ...image,
    method: "POST",
    path: "/v1/images/generations",
    body: "json-or-multipart",
    schema: "ImageRequest",
    summary: "Generate images.",
  },
  imageEdits: {
    ...image,
    method: "POST",
    path: "/v1/images/edits",
    body: "json-or-multipart",
    schema: "ImageRequest",
    summary: "Edit images.",
  },
  imageVariations: {
    ...image,
    method: "POST",
    path: "/v1/images/variations",
    body: "json-or-multipart",
    schema: "ImageRequest",
    summary: "Draw an image anew: an edit that needs no prompt.",
  },
  transcriptions: {
    ...audio,
    method: "POST",
    path: "/v1/audio/transcriptions",
    body: "multipart",
    kinds: ["transcription"],
    streams: "audio",
    schema: "TranscriptionForm",
    summary: "Audio to text.",
  },
  translations: {
    ...audio,
    method: "POST",
    path: "/v1/audio/translations",
    body: "multipart",
    kinds: ["transcription"],
    schema: "TranslationForm",
    summary: "Audio to English text.",
  },
  speech: {
    ...audio,
    method: "POST",
    path: "/v1/audio/speech",
    body: "json",
    kinds: ["speech"],
    streams: "audio",
    schema: "SpeechRequest",
    answers: "audio/mpeg",
    summary: "Text to speech.",
  },
  realtime: {
    method: "GET",
    path: "/v1/realtime",
    area: "realtime",
    errors: "common",
    keys: socketKeys,
    body: "none",
    kinds: ["realtime"],
    webSocket: true,
    summary: "A realtime session over WebSocket.",
  },
  createClientSecret: {
    method: "POST",
    path: "/v1/realtime/client_secrets",
    area: "realtime",
    errors: "common",
    keys: bearer,
    body: "json",
    schema: "ClientSecretRequest",
    summary: "A short-lived key that opens sessions with these settings, for browsers.",
  },
} as const satisfies Record<string, Endpoint>;
