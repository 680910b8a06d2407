import { createHash, createHmac } from "node:crypto";
import { listAt, numberAt, textAt } from "../checks/members.ts";
import { requireShape, dottedPath, Refusal } from "../checks/refusal.ts";
import { shapeOf, Shapes } from "../checks/notation.ts";
import { freshId } from "../core/ids.ts";
import {
  createVendor,
  headerOf,
  type EndpointCall,
  type Endpoint,
  type ParsedRequest,
  type Vendor,
  type VendorCall,
} from "../vendor.ts";
import { videoAddress, videoHost, isVideoPath } from "../video/video-host.ts";
import { directiveOf, findTask, poll, createTask, type Phase } from "../video/tasks.ts";

const submitShape = new Shapes(
  String.raw`It = {
    req_key: filled, prompt?: /^[\s\S]{0,800}$/u "at most 800 characters", binary_data_base64?: base64[1..2],
    image_urls?: (/^https?:\/\// "an address")[1..2], seed?: integer(-1), frames?: Frames,
    aspect_ratio?: "16:9" | "4:3" | "1:1" | "3:4" | "9:16" | "21:9"
  };`,
  {
    more: {
      Frames: (value, path) =>
        value === 121 || value === 241 ? undefined : { path, problem: "value", expected: "121 or 241" },
    },
  },
).of("It");
const resultShape = shapeOf("{ req_key: filled, task_id: filled, req_json?: string }");

const actions: Readonly<Record<string, (asking: EndpointCall) => ParsedRequest>> = {
  CVSync2AsyncSubmitTask({ body }) {
    requireShape(body, submitShape);
    const words = textAt(body, "prompt") ?? "";
    if (words === "" && listAt(body, "binary_data_base64").length + listAt(body, "image_urls").length === 0)
      throw new Refusal(400, "prompt is empty", { code: "50200" });
    return {
      directive: directiveOf(words),
      whole() {
        const seconds = ((numberAt(body, "frames") ?? 121) - 1) / 24;
        const model = textAt(body, "req_key") ?? "";
        const task = createTask("7392", { model, prompt: words, seconds, width: 1280, height: 720 });
        return envelope({ task_id: task.id });
      },
    };
  },
  CVSync2AsyncGetResult({ body, address }) {
    requireShape(body, resultShape);
    const task = findTask(textAt(body, "task_id") ?? "");
    if (task === undefined || task.model !== textAt(body, "req_key"))
      return { whole: () => envelope({ status: "not_found" }) };
    return {
      whole() {
        const phase = poll(task);
        if (phase.state === "failed") return envelope({ status: "done" }, 50_511, phase.message);
        const url = phase.state === "completed" ? { video_url: videoAddress(address, task.id) } : {};
        return envelope({ status: stateNames[phase.state], ...url });
      },
    };
  },
};

const stateNames: Readonly<Record<Phase["state"], string>> = {
  queued: "in_queue",
  in_progress: "generating",
  completed: "done",
  failed: "done",
};

const actionEndpoint: Endpoint = {
  method: "POST",
  path: /^\/$/,
  open(asking) {
    const name = asking.query.get("Action") ?? "";
    const action = Object.hasOwn(actions, name) ? actions[name] : undefined;
    if (action === undefined || asking.query.get("Version") !== "2022-08-31")
      throw new Refusal(400, "There is no such action or version.", { code: "50200" });
    return action({ ...asking, address: asking.address.replace(/\/$/, "") });
  },
};

function envelope(data: object, code = 10_000, message = "Success"): object {
  return { code, message, request_id: freshId("20"), status: code, time_elapsed: "1 ms", data };
}

/**
 * Returns the access key of the signature; empty for a video's file, which needs none. Throws a Refusal for an invalid
 * signature.
 */
function admit(call: VendorCall): string {
  const { headers, path, body, method, query } = call;
  if (isVideoPath(path)) return "";
  const [, accessKey = "", scope = "", names = "", signature = ""] =
    /^HMAC-SHA256 Credential=([^/]+)\/(\S+), SignedHeaders=(\S+), Signature=([0-9a-f]{64})$/.exec(
      headerOf(headers, "authorization"),
    ) ?? [];
  const bodyHash = createHash("sha256").update(body).digest("hex");
  const signed = names.split(";").map((name) => `${name}:${headerOf(headers, name)}`);
  const [reached = ""] = (call.response.req.url ?? "").split("?");
  const parameters = [...query]
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .sort();
  const canonical = [method, reached, parameters.join("&"), ...signed, "", names, bodyHash].join("\n");
  const text = [
    "HMAC-SHA256",
    headerOf(headers, "x-date"),
    scope,
    createHash("sha256").update(canonical).digest("hex"),
  ];
  const key = scope.split("/").reduce<Buffer | string>(hmac, `${accessKey}-secret`);
  const isGood =
    signature === hmac(key, text.join("\n")).toString("hex") &&
    names === "content-type;host;x-content-sha256;x-date" &&
    headerOf(headers, "x-content-sha256") === bodyHash &&
    /^\d{8}\/cn-north-1\/cv\/request$/.test(scope);
  if (!isGood || accessKey.startsWith("bad-"))
    throw new Refusal(401, "The signature does not match.", { code: "SignatureDoesNotMatch" });
  return accessKey;
}

function hmac(key: Buffer | string, data: string): Buffer {
  return createHmac("sha256", key).update(data).digest();
}

const errorCodes: Readonly<Record<number, number>> = { 400: 50_200, 404: 50_200, 429: 50_429 };

/** Jimeng, a vendor of videos. The query parameter `Action` selects the operation, and each request is signed. */
export const jimeng: Vendor = createVendor({
  prefix: "/jimeng",
  endpoints: [actionEndpoint, videoHost],
  authenticate: admit,
  renderError({ status, message, code, path }) {
    if (status === 401)
      return {
        ResponseMetadata: { RequestId: freshId("20"), Error: { Code: code ?? "Unauthorized", Message: message } },
      };
    const words = path.length > 0 ? `${dottedPath(path)}: ${message}` : message;
    return {
      code: Number(code ?? errorCodes[status] ?? 50_500),
      message: words,
      data: null,
      request_id: freshId("20"),
    };
  },
});
