import type { TaskRecord } from "@modelgate/accounts";
import { prepareChannelRequest, readText, vendorOf } from "@modelgate/channels";
import { cleanText, type Provider } from "@modelgate/providers";
import { isRecord } from "@modelgate/formats/json";
import { wires, type PollResult } from "@modelgate/wires/video";
import type { Deps } from "../deps.ts";
import type { PollOutcome } from "./advance.ts";
import { withShortStrings } from "./short-strings.ts";

/** Maximum bytes that are read of a vendor's answer to a poll. */
const answerBytes = 1024 * 1024;
/** Maximum characters that are read of each string in the answer, because one may contain the video. */
const maxStringCharacters = 64 * 1024;

/**
 * Returns the channel and API key of a task, if the channel still exists. Another key belongs to the same vendor
 * account, so it may replace a removed key.
 */
export function routeTo({ relay }: Deps, { channelId, keyId }: TaskRecord) {
  const channel = relay.catalog.current().channels.find(({ id }) => id === channelId);
  const key = channel?.keys.find(({ id }) => id === keyId) ?? channel?.keys[0];
  const provider = channel && vendorOf(channel)?.provider;
  if (channel === undefined || key === undefined || provider === undefined) return undefined;
  return { channel, key, provider };
}

/** Polls a task at its vendor. Never rejects; an error is returned as `unknown`. */
export async function pollVendor(deps: Deps, task: TaskRecord, signal: AbortSignal): Promise<PollOutcome> {
  try {
    return await requestState(deps, task, signal);
  } catch (error) {
    deps.relay.log.debug({ err: error, taskId: task.id, channel: task.channelId }, "a poll failed");
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
    await prepareChannelRequest(request, route, {
      timeoutMs: Math.min(channel.timeoutMs, deps.limits.pollTimeoutMs),
      nowMs: signing.nowMs,
    }),
    AbortSignal.any([signal, AbortSignal.timeout(deps.limits.pollTimeoutMs)]),
  );
  const text = await readText(withShortStrings(answer, maxStringCharacters), answerBytes);
  return answer.status >= 300 ? parseErrorStatus(answer.status, text, provider) : parsePoll(text, task);
}

/** Interprets an error status of a poll. An error that does not clearly concern the task may be temporary. */
function parseErrorStatus(status: number, text: string, provider: Provider): PollResult {
  if (status === 404 || status === 410) return { kind: "not-found" };
  const { blame, message, vendorCode } = provider.failureOf(status, text);
  if (blame !== "request" || status < 400) return { kind: "unknown" };
  return {
    kind: "failed",
    error: { code: vendorCode ?? "upstream_rejected", message: message ?? "The vendor refused the task." },
  };
}

function parsePoll(text: string, { wire }: TaskRecord): PollResult {
  const body: unknown = JSON.parse(text);
  if (!isRecord(body)) return { kind: "unknown" };
  const result = wires[wire].vendor.parse(body);
  if (result.kind !== "failed") return result;
  const { code, message } = result.error;
  return { kind: "failed", error: { code: cleanText(code), message: cleanText(message) } };
}
