import type { Provider } from "../provider.ts";
import { requestsAt } from "../request.ts";
import { failureOf } from "./failures.ts";
import { pollVideo, startVideo, taskOf } from "./video.ts";

/** It makes videos only: nothing else carries its key. */
const answers = requestsAt(
  ({ baseUrl }) => new URL(baseUrl),
  () => ({}),
);

/** Jimeng, under `https://visual.volcengineapi.com`; a key is "accessKey|secretKey". */
export const jimeng: Provider = {
  name: "jimeng",
  title: "Jimeng",
  baseUrl: "https://visual.volcengineapi.com",
  keyVariable: "JIMENG_API_KEY",
  wires: ["jimeng-video"],
  keyForm: { pattern: /^[^|]+\|[^|]+$/, words: "accessKey|secretKey" },
  request: (call) => (call.act === "poll" ? pollVideo(call) : answers(call)),
  start: startVideo,
  taskOf,
  failureOf,
};
