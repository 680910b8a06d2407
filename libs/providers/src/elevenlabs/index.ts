import { Failure } from "@modelgate/contracts";
import { failureOf } from "../openai/failures.ts";
import type { Provider } from "../provider.ts";
import { requestTo } from "../request.ts";

/** ElevenLabs' speech and transcripts. Errors are `{detail: {status, message}}`. */
export const elevenlabs: Provider = {
  name: "elevenlabs",
  title: "ElevenLabs",
  baseUrl: "https://api.elevenlabs.io",
  keyVariable: "ELEVENLABS_API_KEY",
  wires: ["elevenlabs-speech", "elevenlabs-transcripts"],
  request(call) {
    if (call.act !== "answer")
      throw new Failure("upstream_error", "The vendor of this model has no tasks or sessions.");
    const { voice = "", ...query } = call.query ?? {};
    const base = call.baseUrl.replace(/\/+$/, "").replace(/\/v1$/, "");
    // The header of a WAV file contains its length, so the vendor cannot stream it.
    const streamed = query["output_format"]?.startsWith("wav") === true ? "" : "/stream";
    const path =
      call.wire === "elevenlabs-speech" ? `text-to-speech/${encodeURIComponent(voice)}${streamed}` : "speech-to-text";
    return requestTo(new URL(`${base}/v1/${path}`), { ...call, query }, { "xi-api-key": call.key });
  },
  failureOf,
};
