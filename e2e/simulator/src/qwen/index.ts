import { Refusal } from "../checks/refusal.ts";
import { freshId } from "../core/ids.ts";
import { addressOfPicture } from "../pictures/index.ts";
import { admitBearer, createVendor, headerOf, type EndpointCall, type Endpoint, type Vendor } from "../vendor.ts";
import { videoHost, isVideoPath } from "../video/video-host.ts";
import { findTask } from "../video/tasks.ts";
import { readGeneration, readSynthesis } from "./read.ts";
import { beginTask, pollTask } from "./tasks.ts";
import { pollVideo, videoStarts } from "./videos.ts";

/** Models that are available as tasks only. */
const taskModels = /^wan/;

const generation: Endpoint = {
  method: "POST",
  path: /^\/api\/v1\/services\/aigc\/multimodal-generation\/generation$/,
  open({ body, headers }) {
    const { question, size, count } = readGeneration(body);
    if (taskModels.test(question.model))
      throw new Refusal(400, "url error, please check url!", { code: "InvalidParameter" });
    const host = headerOf(headers, "host");
    return {
      directive: question.directive,
      whole: ({ usage }) => ({
        output: {
          choices: Array.from({ length: count }, (_, at) => ({
            finish_reason: "stop",
            message: {
              role: "assistant",
              content: [
                { image: addressOfPicture(host, { words: `${question.words} ${at}`, ...size, format: "png" }) },
              ],
            },
          })),
        },
        ...(usage !== null && { usage: usage ?? { ...size, image_count: count } }),
        request_id: freshId("req-"),
      }),
    };
  },
};

function synthesisEndpoint(name: string, fromPictures: boolean): Endpoint {
  return {
    method: "POST",
    path: new RegExp(`^/api/v1/services/aigc/${name}/image-synthesis$`),
    open({ body, headers, key }: EndpointCall) {
      if (headerOf(headers, "x-dashscope-async") !== "enable")
        throw new Refusal(403, "current user api does not support synchronous calls.", { code: "AccessDenied" });
      const parsed = readSynthesis(body, fromPictures);
      return { directive: parsed.question.directive, whole: (behaviour) => beginTask(parsed, behaviour, key) };
    },
  };
}

const pollEndpoint: Endpoint = {
  method: "GET",
  path: /^\/api\/v1\/tasks\/([\w-]+)$/,
  open({ groups: [id = ""], key, headers, address }) {
    const video = findTask(id);
    return {
      whole: () => (video === undefined ? pollTask(id, key, headerOf(headers, "host")) : pollVideo(video, address)),
    };
  },
};

const errorCodes: Readonly<Record<number, string>> = {
  401: "InvalidApiKey",
  404: "NotFound",
  429: "Throttling.RateQuota",
};

/** Qwen's images and Wan's videos. */
export const qwen: Vendor = createVendor({
  prefix: "/dashscope",
  endpoints: [
    generation,
    synthesisEndpoint("text2image", false),
    synthesisEndpoint("image2image", true),
    ...videoStarts,
    pollEndpoint,
    videoHost,
  ],
  authenticate: ({ headers, path }) =>
    isVideoPath(path) ? "" : admitBearer(headers, "Invalid API-key provided.", "InvalidApiKey"),
  renderError: ({ status, code, message }) => ({
    code: code ?? errorCodes[status] ?? (status >= 500 ? "InternalError" : "InvalidParameter"),
    message,
    request_id: freshId("req-"),
  }),
});
