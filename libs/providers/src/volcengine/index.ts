import { older } from "../by-name/usual.ts";
import { vendorOfRow } from "../by-name/vendor.ts";
import type { Provider } from "../provider.ts";
import { failureOf } from "./failures.ts";
import { pollVideo, startVideo } from "./video.ts";

const byRow = vendorOfRow("volcengine", {
  title: "Volcengine Ark",
  baseUrl: "https://ark.cn-beijing.volces.com/api/v3",
  keyVariable: "ARK_API_KEY",
  wires: ["chat", "responses", "embeddings", "images", "seedance-video"],
  dialect: older,
  docs: "https://www.volcengine.com/docs/82379/1494384",
});

/** Volcengine Ark: a vendor of OpenAI's paths, and Seedance's videos, which are tasks with paths of their own. */
export const volcengine: Provider = {
  ...byRow,
  request: (call) => (call.act === "poll" && call.wire === "seedance-video" ? pollVideo(call) : byRow.request(call)),
  start: startVideo,
  failureOf,
};
