import { memberOf, textAt } from "../checks/members.ts";
import { Refusal } from "../checks/refusal.ts";
import {
  directiveOf,
  videoBytesOf,
  findTask,
  poll,
  phaseOf,
  createTask,
  videoOf,
  type SimulatedTask,
} from "../video/tasks.ts";
import type { Endpoint, ParsedRequest } from "../vendor.ts";
import { readVeo } from "./read.ts";

/** Answer of the safety filters about a blocked video, for behaviours with the finish reason `content_filter`. */
const filtered = {
  raiMediaFilteredCount: 1,
  raiMediaFilteredReasons: ["We encountered an issue with the audio for your prompt. You have not been charged."],
};

const isFiltered = ({ behaviour: { finish, finishReason } }: SimulatedTask): boolean =>
  (finish ?? finishReason) === "content_filter";

/** Parses the request that starts an operation, whose name begins with `under`. */
export function beginOperation(
  body: unknown,
  { model, at, under }: { readonly model: string; readonly at: "gemini" | "vertex"; readonly under: string },
): ParsedRequest {
  const parsed = readVeo(body, model, at);
  return {
    directive: directiveOf(parsed.prompt),
    whole: () => {
      const task = createTask("op", parsed);
      const storageUri = textAt(memberOf(body, "parameters"), "storageUri");
      if (storageUri !== undefined) buckets.set(task.id, storageUri.replace(/\/+$/, ""));
      return { name: `${under}models/${model}/operations/${task.id}` };
    },
  };
}

/** Buckets of the operations whose videos are stored in a bucket, by the task. */
const buckets = new Map<string, string>();

/** Polls an operation, which advances it, and renders it. `made` renders the response with its video. */
function pollOperation(name: string, made: (task: SimulatedTask) => object): object {
  const task = findTask(name.split("/").at(-1) ?? "");
  if (task === undefined) throw new Refusal(404, "Operation not found.");
  const wasDone = phaseOf(task).state === "completed";
  const phase = poll(task);
  if (phase.state === "failed") {
    const { errorCode = "INTERNAL" } = task.behaviour;
    return { name, done: true, error: { code: 13, status: errorCode, message: phase.message } };
  }
  if (phase.state !== "completed") return { name, metadata: {} };
  if (wasDone && task.behaviour.expired === true) throw new Refusal(404, "Operation not found.");
  return { name, done: true, response: made(task) };
}

/** Endpoint that polls an operation of the Gemini API. */
export const geminiOperation: Endpoint = {
  method: "GET",
  path: /^\/v1(?:beta)?\/(models\/[^/]+\/operations\/[^/]+)$/,
  open: ({ groups: [name = ""], address }) => ({
    whole: () =>
      pollOperation(name, (task) => {
        const uri = `${address}/v1beta/files/${task.id}:download?alt=media`;
        return { generateVideoResponse: isFiltered(task) ? filtered : { generatedSamples: [{ video: { uri } }] } };
      }),
  }),
};

/** Parses a `fetchPredictOperation` request to Vertex. The answer has the video, or its address in a bucket. */
export function fetchOperation(body: unknown): ParsedRequest {
  const name = textAt(body, "operationName");
  if (name === undefined) throw new Refusal(400, "operationName is required.", { path: ["operationName"] });
  return {
    whole: () =>
      pollOperation(name, (task) => {
        if (isFiltered(task)) return filtered;
        const bucket = buckets.get(task.id);
        const film =
          bucket === undefined
            ? { bytesBase64Encoded: videoBytesOf(task).toString("base64") }
            : { gcsUri: `${bucket}/${task.id}/sample_0.mp4` };
        return { raiMediaFilteredCount: 0, videos: [{ ...film, mimeType: "video/mp4" }] };
      }),
  };
}

/** Creates the endpoint of finished videos, in the Gemini API's files or in Cloud Storage. Both require the key. */
export function videoEndpoint(path: RegExp): Endpoint {
  return {
    method: "GET",
    path,
    open({ groups: [id = ""] }) {
      const task = findTask(id);
      const film = task && videoOf(task);
      if (film === undefined) throw new Refusal(404, "File not found.");
      return { whole: () => ({}), file: () => film };
    },
  };
}
