import type { TaskRecord } from "@modelgate/accounts";
import type { Candidate } from "@modelgate/catalog";
import { readUpTo, VendorRefusal, type WireRoute, type UpstreamAnswer } from "@modelgate/channels";
import { Failure, videoWires, type VideoWire } from "@modelgate/contracts";
import type { Provider, StartCall } from "@modelgate/providers";
import type { Call } from "@modelgate/relay";
import { isRecord, type JsonRecord } from "@modelgate/formats/json";
import { wires, type VideoRequest, type VideoVendor } from "@modelgate/wires/video";
import type { Deps } from "./deps.ts";
import type { Frames } from "./frames.ts";
import {
  measureVideo,
  renderVideo,
  type VideoMeasure,
  type UsableRoutes,
  type VideoTarget,
  type VideoTaskRequest,
} from "./price-task.ts";

/** A task that a vendor has accepted. */
export interface StartedTask {
  readonly wire: VideoWire;
  readonly operation: string;
  readonly measure: VideoMeasure;
  readonly dropped: readonly string[];
}

/** Maximum bytes that are read of a vendor's answer to the start of a task. */
const answerBytes = 1024 * 1024;

/** Returns the channels and wires that can serve a request. A remix can use only those of its source. */
export function usableRoutes(
  deps: Deps,
  { caller }: Pick<Call, "caller">,
  { clientWire, request, remix }: VideoTaskRequest,
): UsableRoutes {
  const { catalog, channels } = deps.relay;
  const wires = remix === undefined ? [clientWire, ...videoWires.filter((wire) => wire !== clientWire)] : [remix.wire];
  const candidates = catalog
    .current()
    .candidates(request.model, caller.group)
    .filter((candidate) => channels.supportedWires.supportsAny(candidate, wires))
    .flatMap((candidate) => (remix === undefined ? [candidate] : onlyRouteOf(candidate, remix)));
  return { candidates, wires };
}

/**
 * Restricts a candidate to the channel and key of a task; empty for another channel, or if the channel no longer has
 * the key.
 */
function onlyRouteOf({ channel, upstreamModel }: Candidate, { channelId, keyId }: TaskRecord): readonly Candidate[] {
  const keys = channel.keys.filter(({ id }) => id === keyId);
  return channel.id === channelId && keys.length > 0 ? [{ upstreamModel, channel: { ...channel, keys } }] : [];
}

/** Returns the request with its images in the form that the vendor accepts. Throws Failure. */
export async function withFetchedImages(
  { client: { spelling } }: VideoTaskRequest,
  frames: Frames,
  { wire, candidate }: WireRoute<VideoWire>,
): Promise<VideoRequest> {
  try {
    return await frames.requestFor(wires[wire].vendor, candidate.channel.proxy);
  } catch (error) {
    if (!(error instanceof Failure) || (error.param !== "firstFrame" && error.param !== "lastFrame")) throw error;
    const param = spelling[error.param] ?? error.param;
    throw new Failure(error.code, error.message.replace(error.param, param), { param, cause: error });
  }
}

/** The start of a task, rendered for one vendor. */
export interface RenderedStart {
  readonly provider: Provider;
  readonly start: StartCall;
  readonly measure: VideoMeasure;
  readonly dropped: readonly string[];
}

/** Renders the start of a task for one vendor. Throws the errors of `renderVideo`. */
export function renderStart(
  deps: Deps,
  {
    refusesUnsupported,
    requestId,
    unpriced,
  }: Pick<Call, "refusesUnsupported" | "requestId"> & Pick<VideoTarget, "unpriced">,
  videoRequest: VideoTaskRequest,
  { candidate, key, provider, wire }: WireRoute<VideoWire>,
): RenderedStart {
  const { request, remix } = videoRequest;
  const { channel, upstreamModel: model } = candidate;
  const rendered = renderVideo(videoRequest, { wire, model, refusesUnsupported, unpriced });
  return {
    provider,
    start: {
      act: "start",
      requestId,
      baseUrl: channel.baseUrl,
      key: key.secret,
      wire,
      nowMs: deps.now(),
      model,
      body: rendered.body,
      file: rendered.file,
      fromImage: request.firstFrame !== undefined,
      remixOf: remix?.operation,
    },
    measure: measureVideo(videoRequest, rendered),
    dropped: rendered.dropped,
  };
}

/**
 * Reads a vendor's answer to the start of a task. Throws VendorRefusal if the answer is a refusal, and Failure if it
 * names no task: the vendor may have started one, so the start is not repeated.
 */
export async function readStartedTask(
  answer: UpstreamAnswer,
  { provider, start, measure, dropped }: RenderedStart,
): Promise<StartedTask> {
  const { text } = await readUpTo(answer, answerBytes);
  const body = parseJsonBody(text);
  if (body === undefined) throw new Failure("upstream_error", "The vendor's answer is not a JSON object.");
  const id = readTaskId({ body, text }, wires[start.wire].vendor, provider);
  return { wire: start.wire, operation: provider.taskOf?.(id, start) ?? id, measure, dropped };
}

function parseJsonBody(text: string): JsonRecord | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Returns the vendor's id of the task. Throws VendorRefusal if the answer reports an error despite its success status.
 */
function readTaskId(
  { body, text }: { readonly body: JsonRecord; readonly text: string },
  { started }: VideoVendor,
  provider: Provider,
): string {
  try {
    return started(body);
  } catch (error) {
    throw reportsError(body) ? new VendorRefusal(provider.failureOf(400, text), 400, undefined) : error;
  }
}

/** Codes with which vendors and gateways report success, in lower case. */
const successCodes: ReadonlySet<string> = new Set(["", "0", "200", "10000", "ok", "success"]);

function reportsError({ code, error }: JsonRecord): boolean {
  if (typeof error === "string" ? error !== "" : isRecord(error)) return true;
  return (typeof code === "number" || typeof code === "string") && !successCodes.has(String(code).toLowerCase());
}
