import { setTimeout as pause } from "node:timers/promises";
import type { Suite } from "@modelgate/testkit";
import { failureOf, modelOf, send, type Area, type CallResult, type ClientCall, type Vendor } from "../area.ts";

const vendors: readonly [Vendor, Vendor] = [
  {
    name: "video",
    kind: "video",
    price: { second: 0.01 },
    provider: "openai",
    path: "openai/v1",
    upstreamModel: "sora-2",
  },
  {
    name: "video-signed",
    kind: "video",
    price: { second: 0.01 },
    provider: "kling",
    path: "kling",
    upstreamModel: "kling-v1",
    key: "AKchaos|AKchaos-secret",
  },
];

/** Pause between two polls, and after a failed one, in ms. */
const [pollPauseMs, afterFailureMs] = [60, 250];
/** Maximum ms for which a task is polled; longer than its lifetime. */
const maxPollingMs = 40_000;

/** Videos: started, polled and downloaded. Every third task is not polled. */
export const video: Area = {
  name: "video",
  vendors,
  faultBehaviours: {
    // Longer than the timeouts of the video service.
    stalls: { delayMs: 3_000 },
    // The task is created without an answer.
    cuts: { closeAfterAccept: true },
  },
  async call(call) {
    const vendor = vendors[call.turn % 2] ?? vendors[0];
    const prompt = `A boat of ${call.requestId}; {{simulate: {"delayMs": 30, "polls": 2}}}`;
    const disconnects = call.disconnects === "in the answer" ? "never" : call.disconnects;
    const body = { model: modelOf(vendor, call.channelCount), prompt };
    const answer = await send(call, { path: "/v1/videos", body }, disconnects);
    const result: CallResult = { failures: [], disconnected: answer.end === "disconnected", whole: 0, requested: 1 };
    if (result.disconnected) return result;
    const failure = failureOf(answer);
    if (failure !== undefined) return { ...result, failures: [failure] };
    if (call.turn % 3 === 2) return result;
    const { id }: { readonly id: string } = JSON.parse(answer.body);
    return { ...result, ...(await pollToEnd(call, id)) };
  },
  async countRepeated(suite, idPrefix, refusing) {
    const channelNames = refusing ? ["spare"] : ["main", "spare"];
    const started = await Promise.all(
      vendors.flatMap(({ name }) =>
        channelNames.map((channelName) => startedRequestIds(suite, `${name}-${channelName}`, idPrefix)),
      ),
    );
    const all = started.flat();
    return all.length - new Set(all).size;
  },
};

interface PolledTask {
  readonly status?: string;
  readonly error?: { readonly code?: string };
}

/** Polls a task to its end, then downloads its file. */
async function pollToEnd(call: ClientCall, id: string): Promise<Partial<CallResult>> {
  const failures: string[] = [];
  for (const begin = Date.now(); Date.now() - begin < maxPollingMs;) {
    const answer = await send(call, { path: `/v1/videos/${id}`, method: "GET" }, "never");
    const failure = failureOf(answer);
    if (failure !== undefined) failures.push(`look: ${failure}`);
    const { status, error }: PolledTask = failure === undefined ? JSON.parse(answer.body) : {};
    if (status === "failed") return { failures: [...failures, `task failed: ${error?.code ?? "no code"}`] };
    if (status === "completed") return downloadFile(call, id, failures);
    await pause(failure === undefined ? pollPauseMs : afterFailureMs);
  }
  return { failures: [...failures, "task did not end"] };
}

/** Downloads a file. The task must be charged even if that fails. */
async function downloadFile(call: ClientCall, id: string, failures: readonly string[]): Promise<Partial<CallResult>> {
  const disconnects = call.disconnects === "in the answer" ? "in the answer" : "never";
  const answer = await send(call, { path: `/v1/videos/${id}/content`, method: "GET" }, disconnects);
  if (answer.end === "disconnected") return { failures, disconnected: true, whole: 1 };
  const failure = failureOf(answer) ?? (answer.body.includes("ftyp") ? undefined : "no film");
  return { failures: failure === undefined ? failures : [...failures, `file: ${failure}`], whole: 1 };
}

async function startedRequestIds({ simulator }: Suite, instance: string, idPrefix: string): Promise<readonly string[]> {
  return (await simulator.requests(instance)).flatMap(({ method, body }) => {
    const found = /A boat of ([\w-]+);/.exec(body)?.[1];
    return method === "POST" && found?.startsWith(idPrefix) === true ? [found] : [];
  });
}
