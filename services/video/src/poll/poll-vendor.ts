import type { TaskRecord } from "@modelgate/accounts";
import { readText, vendorOf } from "@modelgate/channels";
import { cleanWords, signed, type Provider } from "@modelgate/providers";
import { isRecord } from "@modelgate/wires/json";
import { wires, type PollResult } from "@modelgate/wires/video";
import type { Deps } from "../deps.ts";
import type { PollOutcome } from "./advance.ts";
import { withShortStrings } from "./short-strings.ts";

/** Maximum bytes that are read of a vendor's answer to a poll. */
const answerBytes = 1024 * 1024;
/** Maximum length of a string in it: an answer may hold the video itself, which is longer. */
const longestString = 64 * 1024;

/**
 * The channel that a task was started with, and its key, or another where the configuration has that no more: it belongs to the same
 * vendor's account where a key was rotated. Undefined while there is no such channel, or none of its keys.
 */
export function routeTo({ relay }: Deps, { channelId, keyId }: TaskRecord) {
  const channel = relay.catalog.current().channels.find(({ id }) => id === channelId);
  const key = channel?.keys.find(({ id }) => id === keyId) ?? channel?.keys[0];
  const provider = channel && vendorOf(channel)?.provider;
  if (channel === undefined || key === undefined || provider === undefined) return undefined;
  return { channel, key, provider };
}

/** Asks a task's vendor how it goes. Never rejects: what cannot be learned is `unknown`. */
export async function pollVendor(deps: Deps, task: TaskRecord, signal: AbortSignal): Promise<PollOutcome> {
  try {
    return await requestState(deps, task, signal);
  } catch (error) {
    deps.relay.log.debug({ err: error, taskId: task.id, channel: task.channelId }, "a poll learned nothing");
    return { kind: "unknown" };
  }
}

async function requestState(deps: Deps, task: TaskRecord, signal: AbortSignal): Promise<PollOutcome> {
  const route = routeTo(deps, task);
  if (route === undefined) return { kind: "unroutable" };
  const { channel, key, provider } = route;
  const signing = { baseUrl: channel.baseUrl, key: key.secret, nowMs: deps.now() };
  const request = provider.request({
    act: "poll",
    ...signing,
    requestId: task.draft.requestId,
    wire: task.wire,
    task: task.operation,
  });
  const answer = await deps.relay.channels.transport.send(
    {
      ...(await signed(provider, request, signing)),
      timeoutMs: Math.min(channel.timeoutMs, deps.limits.pollTimeoutMs),
    },
    AbortSignal.any([signal, AbortSignal.timeout(deps.limits.pollTimeoutMs)]),
  );
  const text = await readText(withShortStrings(answer, longestString), answerBytes);
  return answer.status >= 300 ? refusal(answer.status, text, provider) : parsePoll(text, task);
}

/** Only a plain word about the task ends it: anything else may be the vendor's bad hour. */
function refusal(status: number, text: string, provider: Provider): PollResult {
  if (status === 404 || status === 410) return { kind: "not-found" };
  const { blame, say, vendorCode } = provider.failureOf(status, text);
  if (blame !== "request" || status < 400) return { kind: "unknown" };
  return {
    kind: "failed",
    error: { code: vendorCode ?? "upstream_rejected", message: say ?? "The vendor refused the task." },
  };
}

function parsePoll(text: string, { wire }: TaskRecord): PollResult {
  const body: unknown = JSON.parse(text);
  if (!isRecord(body)) return { kind: "unknown" };
  const result = wires[wire].vendor.parse(body);
  if (result.kind !== "failed") return result;
  const { code, message } = result.error;
  return { kind: "failed", error: { code: cleanWords(code), message: cleanWords(message) } };
}
