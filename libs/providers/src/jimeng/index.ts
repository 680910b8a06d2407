import type { Provider } from "../provider.ts";
import { failureOf } from "./failures.ts";
import { jimengVideo } from "./video.ts";

/** Jimeng, under `https://visual.volcengineapi.com`; a key is "accessKey|secretKey". */
export const jimeng: Provider = {
  name: "jimeng",
  wires: ["jimeng-video"],
  address: ({ baseUrl }) => new URL(baseUrl),
  keyForm: { pattern: /^[^|]+\|[^|]+$/, words: "accessKey|secretKey" },
  // The signature covers the body: `video` makes whole requests.
  headers: () => ({}),
  failureOf,
  video: jimengVideo,
};
