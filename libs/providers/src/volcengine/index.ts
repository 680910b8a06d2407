import { chineseVendors } from "../by-name/chinese.ts";
import { vendorOfRow } from "../by-name/vendor.ts";
import type { Provider } from "../provider.ts";
import { failureOf } from "./failures.ts";
import { pollVideo, startVideo } from "./video.ts";

const byRow = vendorOfRow("volcengine", chineseVendors.volcengine);

/** Volcengine Ark: the row of its name, and Seedance's videos, which are tasks. */
export const volcengine: Provider = {
  ...byRow,
  request: (call) => (call.act === "poll" && call.wire === "seedance-video" ? pollVideo(call) : byRow.request(call)),
  start: startVideo,
  failureOf,
};
