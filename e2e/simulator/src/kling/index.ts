import { createHmac } from "node:crypto";
import { textAt } from "../checks/members.ts";
import { requireShape, dottedPath, Refusal } from "../checks/refusal.ts";
import { Shapes } from "../checks/notation.ts";
import { freshId } from "../core/ids.ts";
import { bearerOf, createVendor, type Endpoint, type Vendor, type VendorCall } from "../vendor.ts";
import { videoAddress, videoHost, isVideoPath } from "../video/video-host.ts";
import { directiveOf, findTask, poll, createTask, type Phase, type SimulatedTask } from "../video/tasks.ts";

const secretOf = (accessKey: string): string => `${accessKey}-secret`;

const videoShapes = new Shapes(String.raw`
  Prompt = /^[\s\S]{1,2500}$/u "1 to 2500 characters";
  Image = /^https?:\/\// "an address" | base64;
  Shared = {
    model_name: filled, negative_prompt?: string, cfg_scale?: number(0, 1), mode?: "std" | "pro", duration?: "5" | "10",
    camera_control?: object, sound?: "on" | "off", voice_list?: object[], callback_url?: string, external_task_id?: string
  };
  FromText = { ...Shared, prompt: Prompt, aspect_ratio?: "16:9" | "9:16" | "1:1" };
  FromImage = {
    ...Shared, image: Image, prompt?: Prompt, image_tail?: Image, static_mask?: string, dynamic_masks?: object[]
  };
`);
const shapes = { text2video: videoShapes.of("FromText"), image2video: videoShapes.of("FromImage") };

function create(kind: keyof typeof shapes): Endpoint {
  return {
    method: "POST",
    path: new RegExp(`^/v1/videos/${kind}$`),
    open({ body }) {
      requireShape(body, shapes[kind]);
      const words = textAt(body, "prompt") ?? "";
      return {
        directive: directiveOf(words),
        whole() {
          const task = createTask(`${kind}-`, {
            model: textAt(body, "model_name") ?? "",
            prompt: words,
            seconds: Number(textAt(body, "duration") ?? "5"),
            width: 1280,
            height: 720,
          });
          return envelope({ ...taskHead(task), task_status: "submitted", task_info: {} });
        },
      };
    },
  };
}

function pollEndpoint(kind: keyof typeof shapes): Endpoint {
  return {
    method: "GET",
    path: new RegExp(`^/v1/videos/${kind}/([^/]+)$`),
    open({ groups: [id = ""], address }) {
      const task = id.startsWith(`${kind}-`) ? findTask(id) : undefined;
      if (task === undefined) throw new Refusal(404, "task not found", { code: "1203" });
      return { whole: () => envelope(renderTask(task, poll(task), videoAddress(address, task.id))) };
    },
  };
}

const stateNames: Readonly<Record<Phase["state"], string>> = {
  queued: "submitted",
  in_progress: "processing",
  completed: "succeed",
  failed: "failed",
};

function renderTask(task: SimulatedTask, phase: Phase, url: string): object {
  return {
    ...taskHead(task),
    task_status: stateNames[phase.state],
    task_status_msg: phase.state === "failed" ? phase.message : "",
    ...(phase.state === "completed"
      ? { task_result: { videos: [{ id: `${task.id}-1`, url, duration: `${task.seconds}.1` }] } }
      : {}),
  };
}

function taskHead({ id, createdAt }: SimulatedTask): object {
  return { task_id: id, created_at: createdAt, updated_at: Date.now() };
}

function envelope(data: object): object {
  return { code: 0, message: "SUCCEED", request_id: freshId("req-"), data };
}

/**
 * Returns the access key of the signed token; empty for a video's file, which needs none. Throws a Refusal for an
 * invalid token.
 */
function admit({ headers, path }: VendorCall): string {
  if (isVideoPath(path)) return "";
  const [head = "", claims = "", signature = ""] = bearerOf(headers).split(".");
  if (signature === "") throw new Refusal(401, "Authorization is empty", { code: "1001" });
  const parsedClaims = claimsIn(claims);
  const accessKey = textAt(parsedClaims, "iss") ?? "";
  const expected = createHmac("sha256", secretOf(accessKey)).update(`${head}.${claims}`).digest("base64url");
  if (signature !== expected || accessKey.startsWith("bad-"))
    throw new Refusal(401, "Authorization is invalid", { code: "1002" });
  const { exp, nbf }: { exp?: unknown; nbf?: unknown } = Object(parsedClaims);
  const now = Date.now() / 1_000;
  if (typeof nbf !== "number" || nbf > now) throw new Refusal(401, "not yet valid", { code: "1003" });
  if (typeof exp !== "number" || exp < now) throw new Refusal(401, "expired", { code: "1004" });
  return accessKey;
}

function claimsIn(claims: string): unknown {
  try {
    return JSON.parse(Buffer.from(claims, "base64url").toString());
  } catch {
    return undefined;
  }
}

const errorCodes: Readonly<Record<number, number>> = {
  400: 1201,
  401: 1002,
  403: 1103,
  404: 1202,
  429: 1302,
  503: 5001,
};

export const kling: Vendor = createVendor({
  prefix: "/kling",
  endpoints: [
    create("text2video"),
    create("image2video"),
    pollEndpoint("text2video"),
    pollEndpoint("image2video"),
    videoHost,
  ],
  authenticate: admit,
  renderError: ({ status, message, code, path }) => ({
    code: Number(code ?? errorCodes[status] ?? 5000),
    message: path.length > 0 ? `${dottedPath(path)}: ${message}` : message,
    request_id: freshId("req-"),
  }),
});
