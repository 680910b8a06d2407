import { failureOf as usualFailureOf } from "../openai/failures.ts";
import type { Provider } from "../provider.ts";
import { requestBuilder } from "../request.ts";

export const deepgram: Provider = {
  name: "deepgram",
  title: "Deepgram",
  baseUrl: "https://api.deepgram.com",
  keyVariable: "DEEPGRAM_API_KEY",
  wires: ["deepgram-speech", "deepgram-transcripts"],
  request: requestBuilder(
    ({ baseUrl, wire }) => {
      const base = baseUrl.replace(/\/+$/, "").replace(/\/v1$/, "");
      return new URL(`${base}/v1/${wire === "deepgram-speech" ? "speak" : "listen"}`);
    },
    ({ key }) => ({ authorization: `Token ${key}` }),
  ),
  // Errors are `{err_code, err_msg}`.
  failureOf: (status, body) => usualFailureOf(status, body.replace(/"err_msg"\s*:/, '"message":')),
};
