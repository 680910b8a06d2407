import { memberOf, numberAt, textAt } from "../checks/members.ts";
import { requireShape, Refusal, wrongField } from "../checks/refusal.ts";
import { Shapes } from "../checks/notation.ts";
import type { Shape } from "../checks/shape.ts";
import { freshId } from "../core/ids.ts";
import { headerOf, type Endpoint } from "../vendor.ts";
import { videoAddress } from "../video/video-host.ts";
import { directiveOf, poll, sidesOf, createTask, type Phase, type SimulatedTask } from "../video/tasks.ts";

const shapes = new Shapes(String.raw`
  Picture = /^(?:https?:\/\/|data:image\/[\w.+-]+;base64,)/ "an address or a data URL";
  Words = { prompt?: string, negative_prompt?: string };
  Shared = { duration?: integer(2, 15), seed?: integer(0, 2147483647), prompt_extend?: boolean, watermark?: boolean };
  Resolution = "480P" | "720P" | "1080P";
  // Models up to 2.6 accept a size, or a picture's resolution; later ones a resolution, a ratio and media.
  Former = {
    model: filled, input: { ...Words, img_url?: Picture },
    parameters?: {
      ...Shared, size?: /^\d{3,4}\*\d{3,4}$/ "a size such as 1280*720", resolution?: Resolution, audio?: boolean,
      shot_type?: string
    }
  };
  BothFrames = {
    model: filled, input: { first_frame_url: Picture, last_frame_url: Picture, ...Words },
    parameters?: { ...Shared, resolution?: Resolution }
  };
  Later = {
    model: filled, input: { ...Words, media?: { type: "first_frame" | "last_frame", url: Picture }[1..2] },
    parameters?: { ...Shared, resolution?: "720P" | "1080P", ratio?: "16:9" | "9:16" | "1:1" | "4:3" | "3:4" }
  };
`);
const [former, bothFrames, later] = [shapes.of("Former"), shapes.of("BothFrames"), shapes.of("Later")];

function synthesisEndpoint(service: string, shapeOf: (model: string) => Shape): Endpoint {
  return {
    method: "POST",
    path: new RegExp(`^/api/v1/services/aigc/${service}/video-synthesis$`),
    open({ body, headers }) {
      if (headerOf(headers, "x-dashscope-async") !== "enable")
        throw new Refusal(403, "current user api does not support synchronous calls.", { code: "AccessDenied" });
      const model = textAt(body, "model") ?? "";
      requireShape(body, shapeOf(model));
      const prompt = textAt(memberOf(body, "input"), "prompt") ?? "";
      const parameters = memberOf(body, "parameters");
      const request = { model, prompt, seconds: numberAt(parameters, "duration") ?? 5, ...sizeOf(parameters) };
      if (model.includes("t2v") && prompt === "") throw wrongField(["input", "prompt"], "prompt is required.");
      return {
        directive: directiveOf(prompt),
        whole: () => answer({ task_id: createTask("wan-", request).id, task_status: "PENDING" }),
      };
    },
  };
}

function sizeOf(parameters: unknown): { readonly width: number; readonly height: number } {
  const [, width, height] = /^(\d+)\*(\d+)$/.exec(textAt(parameters, "size") ?? "")?.map(Number) ?? [];
  if (width !== undefined && height !== undefined) return { width, height };
  const lines = Number.parseInt(textAt(parameters, "resolution") ?? "1080P", 10);
  return sidesOf(lines, textAt(parameters, "ratio") ?? "16:9");
}

/** Endpoints that start Wan's videos. */
export const videoStarts: readonly Endpoint[] = [
  synthesisEndpoint("video-generation", (model) => (/^wanx?2\.[1-6]/.test(model) ? former : later)),
  synthesisEndpoint("image2video", () => bothFrames),
];

const states: Readonly<Record<Phase["state"], string>> = {
  queued: "PENDING",
  in_progress: "RUNNING",
  completed: "SUCCEEDED",
  failed: "FAILED",
};

export function pollVideo(task: SimulatedTask, address: string): object {
  const phase = poll(task);
  const output = { task_id: task.id, task_status: states[phase.state] };
  if (phase.state === "failed")
    return answer({ ...output, code: task.behaviour.errorCode ?? "InternalError", message: phase.message });
  if (phase.state !== "completed") return answer(output);
  return {
    ...answer({ ...output, video_url: videoAddress(address, task.id), orig_prompt: task.prompt }),
    usage: {
      video_count: 1,
      duration: task.seconds,
      size: `${task.width}*${task.height}`,
      SR: Math.min(task.width, task.height),
    },
  };
}

function answer(output: object): object {
  return { output, request_id: freshId("req-") };
}
