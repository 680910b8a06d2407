import { memberOf, textAt } from "../checks/members.ts";
import { Refusal } from "../checks/refusal.ts";
import {
  directiveOf,
  filmOf,
  findTask,
  lookAt,
  phaseOf,
  takeTask,
  videoOf,
  type SimulatedTask,
} from "../video/tasks.ts";
import type { Endpoint, Understood } from "../vendor.ts";
import { readVeo } from "./read.ts";

/** What the safety filters say of a film that they hold back: the finish `content_filter` of its behaviour. */
const filtered = {
  raiMediaFilteredCount: 1,
  raiMediaFilteredReasons: ["We encountered an issue with the audio for your prompt. You have not been charged."],
};

const isFiltered = ({ behaviour: { finish, finishReason } }: SimulatedTask): boolean =>
  (finish ?? finishReason) === "content_filter";

/** Begins an operation, whose name begins with `under`. */
export function beginOperation(
  body: unknown,
  { model, at, under }: { readonly model: string; readonly at: "gemini" | "vertex"; readonly under: string },
): Understood {
  const asked = readVeo(body, model, at);
  return {
    directive: directiveOf(asked.prompt),
    whole: () => {
      const task = takeTask("op", asked);
      const storageUri = textAt(memberOf(body, "parameters"), "storageUri");
      if (storageUri !== undefined) buckets.set(task.id, storageUri.replace(/\/+$/, ""));
      return { name: `${under}models/${model}/operations/${task.id}` };
    },
  };
}

/** Where operations put their films that are to be put anywhere. */
const buckets = new Map<string, string>();

/** An operation as it is now; a look moves it on. `made` is the response that has its film. */
function shown(name: string, made: (task: SimulatedTask) => object): object {
  const task = findTask(name.split("/").at(-1) ?? "");
  if (task === undefined) throw new Refusal(404, "Operation not found.");
  const wasDone = phaseOf(task).state === "completed";
  const phase = lookAt(task);
  if (phase.state === "failed") {
    const { errorCode = "INTERNAL" } = task.behaviour;
    return { name, done: true, error: { code: 13, status: errorCode, message: phase.message } };
  }
  if (phase.state !== "completed") return { name, metadata: {} };
  if (wasDone && task.behaviour.expired === true) throw new Refusal(404, "Operation not found.");
  return { name, done: true, response: made(task) };
}

/** GET of an operation's name at the Gemini API. */
export const geminiOperation: Endpoint = {
  method: "GET",
  path: /^\/v1(?:beta)?\/(models\/[^/]+\/operations\/[^/]+)$/,
  open: ({ groups: [name = ""], address }) => ({
    whole: () =>
      shown(name, (task) => {
        const uri = `${address}/v1beta/files/${task.id}:download?alt=media`;
        return { generateVideoResponse: isFiltered(task) ? filtered : { generatedSamples: [{ video: { uri } }] } };
      }),
  }),
};

/** `fetchPredictOperation` of Vertex: the film in the answer, or its address in a bucket. */
export function fetchOperation(body: unknown): Understood {
  const name = textAt(body, "operationName");
  if (name === undefined) throw new Refusal(400, "operationName is required.", { path: ["operationName"] });
  return {
    whole: () =>
      shown(name, (task) => {
        if (isFiltered(task)) return filtered;
        const bucket = buckets.get(task.id);
        const film =
          bucket === undefined
            ? { bytesBase64Encoded: filmOf(task).toString("base64") }
            : { gcsUri: `${bucket}/${task.id}/sample_0.mp4` };
        return { raiMediaFilteredCount: 0, videos: [{ ...film, mimeType: "video/mp4" }] };
      }),
  };
}

/** A finished film, of the Gemini API's files and of storage: both behind the key. */
export function filmAt(path: RegExp): Endpoint {
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
