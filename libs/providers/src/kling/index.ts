import type { Provider } from "../provider.ts";
import { requestsAt } from "../request.ts";
import { failureOf } from "./failures.ts";
import { headers, startVideo, pollVideo, taskOf } from "./video.ts";

const answers = requestsAt(({ baseUrl }) => new URL(baseUrl), headers);

/** Kling, under `https://api.klingai.com` and the like; a key is "accessKey|secretKey". */
export const kling: Provider = {
  name: "kling",
  title: "Kling",
  baseUrl: "https://api.klingai.com",
  keyVariable: "KLING_API_KEY",
  wires: ["kling-video"],
  request: (call) => (call.act === "poll" ? pollVideo(call) : answers(call)),
  start: startVideo,
  taskOf,
  failureOf,
};
