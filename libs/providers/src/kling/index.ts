import type { Provider } from "../provider.ts";
import { failureOf } from "./failures.ts";
import { klingHeaders, klingVideo } from "./video.ts";

/** Kling, under `https://api.klingai.com` and the like; a key is "accessKey|secretKey". */
export const kling: Provider = {
  name: "kling",
  wires: ["kling-video"],
  address: ({ baseUrl }) => new URL(baseUrl),
  headers: ({ key }) => klingHeaders({ key, nowMs: Date.now() }),
  failureOf,
  video: klingVideo,
};
