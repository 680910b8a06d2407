import { memberOf, textAt } from "../checks/members.ts";
import { Refusal } from "../checks/refusal.ts";
import { directiveOf, videoBytesOf, findTask, poll, phaseOf, createTask, type SimulatedTask } from "../video/tasks.ts";
import type { Endpoint, ParsedRequest } from "../vendor.ts";
import { readVeo } from "./read.ts";

/** Answer about a video that the safety filters blocked. */
const filteredAnswer = {
  raiMediaFilteredCount: 1,
  raiMediaFilteredReasons: ["We encountered an issue with the audio for your prompt. You have not been charged."],
};

const isFiltered = ({ behaviour }: SimulatedTask): boolean => behaviour.finish === "content_filter";

/** Parses the request for an operation. `under` is the beginning of the name of the operation. */
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

/** Buckets in which clients want their videos, by task. */
const buckets = new Map<string, string>();

/** Polls and renders an operation. `resultOf` renders the result of a completed task. */
function pollOperation(name: string, resultOf: (task: SimulatedTask) => object): object {
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
  return { name, done: true, response: resultOf(task) };
}

export const geminiOperation: Endpoint = {
  method: "GET",
  path: /^\/v1(?:beta)?\/(models\/[^/]+\/operations\/[^/]+)$/,
  open: ({ groups: [name = ""], address }) => ({
    whole: () =>
      pollOperation(name, (task) => {
        const uri = `${address}/v1beta/files/${task.id}:download?alt=media`;
        return {
          generateVideoResponse: isFiltered(task) ? filteredAnswer : { generatedSamples: [{ video: { uri } }] },
        };
      }),
  }),
};

/** Parses a `fetchPredictOperation` request to Vertex AI. */
export function fetchOperation(body: unknown): ParsedRequest {
  const name = textAt(body, "operationName");
  if (name === undefined) throw new Refusal(400, "operationName is required.", { path: ["operationName"] });
  return {
    whole: () =>
      pollOperation(name, (task) => {
        if (isFiltered(task)) return filteredAnswer;
        const bucket = buckets.get(task.id);
        const film =
          bucket === undefined
            ? { bytesBase64Encoded: videoBytesOf(task).toString("base64") }
            : { gcsUri: `${bucket}/${task.id}/sample_0.mp4` };
        return { raiMediaFilteredCount: 0, videos: [{ ...film, mimeType: "video/mp4" }] };
      }),
  };
}
