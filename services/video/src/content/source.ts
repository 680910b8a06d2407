import type { IncomingMessage } from "node:http";
import type { TaskRecord } from "@modelgate/accounts";
import {
  prepareChannelRequest,
  NotFetched,
  ProxyFailed,
  type RemoteStream,
  type UpstreamRequest,
} from "@modelgate/channels";
import { Failure, type VideoWire } from "@modelgate/contracts";
import type { VendorRequest } from "@modelgate/providers";
import { wires, type VideoResult, type VideoVendor } from "@modelgate/wires/video";
import type { Deps } from "../deps.ts";
import { pollVendor, routeTo } from "../poll/poll-vendor.ts";
import { resultOf } from "../show-task.ts";
import { extractInlineVideo } from "./inline-video.ts";

/** The requested variant of a video, and the client's request for it. */
export interface ContentRequest {
  readonly variant: string;
  readonly request: Pick<IncomingMessage, "headers">;
  readonly signal: AbortSignal;
}

type ContentRoute = NonNullable<ReturnType<typeof routeTo>>;

/** Headers of the client's request that are forwarded to the file host. */
const forwardedHeaders = ["range", "if-range", "if-none-match", "if-modified-since"];
/** Wires whose vendors may require the API key when their files are fetched. */
const wiresWithKeyedFiles: ReadonlySet<VideoWire> = new Set(["videos", "video-generations", "veo-video"]);
/** URL scheme of a file in a storage bucket. The provider converts it to a URL that can be fetched. */
const bucketScheme = "gs:";
/** Statuses with which file hosts answer for a deleted file or an expired signed URL. */
const goneStatuses: ReadonlySet<number> = new Set([401, 403, 404, 410]);

/** Opens the content of a finished video at its vendor. Throws Failure, for example video_expired (404). */
export async function openVideoContent(deps: Deps, task: TaskRecord, content: ContentRequest): Promise<RemoteStream> {
  const route = routeTo(deps, task);
  if (route === undefined) throw new Failure("video_expired", "The channel that made this video no longer exists.");
  try {
    return requireForwardable(await openContent(deps, task, route, content), content);
  } catch (error) {
    if (error instanceof Failure) throw error;
    if (error instanceof ProxyFailed) throw new Failure("upstream_proxy_failed", undefined, { cause: error });
    const message = error instanceof NotFetched ? `The vendor's video cannot be fetched: ${error.message}.` : undefined;
    throw new Failure("upstream_error", message, { cause: error });
  }
}

async function openContent(
  deps: Deps,
  task: TaskRecord,
  route: ContentRoute,
  content: ContentRequest,
): Promise<RemoteStream> {
  const { videoMember }: VideoVendor = wires[task.wire].vendor;
  const result = resultOf(task);
  if (route.provider.downloads?.includes(task.wire) === true && result?.url === undefined)
    return videoMember === undefined
      ? await openDownload(deps, task, route, content)
      : openInlineVideo(videoMember, { deps, task, route, content });
  if (content.variant !== "video") throw new Failure("video_not_ready", `This video has no ${content.variant}.`);
  if (result?.url !== undefined && (result.expiresAt ?? Infinity) > deps.now()) {
    const stream = await openUrl(deps, task, route, result.url, content);
    if (!goneStatuses.has(stream.answer.status)) return stream;
    await stream[Symbol.asyncDispose]();
  }
  // The URL may have expired although the vendor still has the video. A poll then returns a new URL.
  const url = await pollFreshUrl(deps, task, content);
  if (url === undefined) throw new Failure("video_expired");
  return openUrl(deps, task, route, url, content);
}

/** Opens the vendor's content endpoint, or the file host to which it redirects. */
async function openDownload(
  deps: Deps,
  task: TaskRecord,
  route: ContentRoute,
  content: ContentRequest,
): Promise<RemoteStream> {
  const { url, answer } = await download(deps, task, route, content);
  const moved = redirectTarget(answer, url);
  if (moved === undefined) return { answer, [Symbol.asyncDispose]: async () => answer.abort() };
  answer.abort();
  return openUrl(deps, task, route, moved, content);
}

/**
 * Decodes the video from a vendor's JSON answer. Ranges are not supported, so the client receives the complete video.
 */
async function openInlineVideo(
  member: string,
  {
    deps,
    task,
    route,
    content,
  }: { readonly deps: Deps; readonly task: TaskRecord; readonly route: ContentRoute; readonly content: ContentRequest },
): Promise<RemoteStream> {
  if (content.variant !== "video") throw new Failure("video_not_ready", `This video has no ${content.variant}.`);
  const { answer } = await download(deps, task, route, { ...content, request: { headers: {} } });
  const video = answer.status === 200 ? extractInlineVideo(answer, member) : answer;
  return { answer: video, [Symbol.asyncDispose]: async () => answer.abort() };
}

async function download(deps: Deps, task: TaskRecord, route: ContentRoute, content: ContentRequest) {
  const call = callOf(deps, task, route);
  const { variant, signal } = content;
  const downloadRequest = {
    act: "download",
    ...call,
    task: task.operation,
    variant,
    headers: headersOf(content),
  } as const;
  const request = await completeRequest(deps, route, route.provider.request(downloadRequest));
  const answer = await deps.relay.channels.transport.send(request, signal);
  return { url: request.url, answer };
}

function redirectTarget({ status, headers }: RemoteStream["answer"], from: URL): string | undefined {
  const { location } = headers;
  const isMoved = [301, 302, 303, 307, 308].includes(status) && typeof location === "string";
  return isMoved ? URL.parse(location, from.href)?.href : undefined;
}

/** Opens a file by its URL. The API key is sent only to the vendor's host and to the storage of a bucket. */
async function openUrl(
  deps: Deps,
  task: TaskRecord,
  route: ContentRoute,
  url: string,
  content: ContentRequest,
): Promise<RemoteStream> {
  const base = new URL(route.channel.baseUrl);
  const file = URL.parse(url);
  const isOwn = file?.protocol === bucketScheme || (wiresWithKeyedFiles.has(task.wire) && file?.origin === base.origin);
  const downloaded = file !== null && isOwn ? await downloadWithKey(deps, task, route, file) : undefined;
  return deps.remote.open({
    url: downloaded?.url.href ?? url,
    headers: headersOf(content),
    secretHeaders: downloaded?.headers,
    trustedOrigin: base.origin,
    proxy: route.channel.proxy,
    timeoutMs: deps.limits.contentSilenceMs,
    signal: content.signal,
  });
}

async function downloadWithKey(deps: Deps, task: TaskRecord, route: ContentRoute, url: URL) {
  const call = callOf(deps, task, route);
  return completeRequest(deps, route, route.provider.request({ act: "file", ...call, url }));
}

async function completeRequest(deps: Deps, route: ContentRoute, request: VendorRequest): Promise<UpstreamRequest> {
  return prepareChannelRequest(request, route, { timeoutMs: deps.limits.contentSilenceMs, nowMs: deps.now() });
}

async function pollFreshUrl(deps: Deps, task: TaskRecord, { signal }: ContentRequest): Promise<string | undefined> {
  const polled = await pollVendor(deps, task, signal);
  if (polled.kind === "unknown") throw new Failure("upstream_error");
  const result: VideoResult = polled.kind === "finished" ? polled.result : {};
  return result.url;
}

function callOf(deps: Deps, { wire }: TaskRecord, { channel, key }: ContentRoute) {
  return { baseUrl: channel.baseUrl, key: key.secret, wire, nowMs: deps.now() };
}

function headersOf({ request }: ContentRequest): Readonly<Record<string, string>> {
  const forwarded = forwardedHeaders.flatMap((name) => {
    const value = request.headers[name];
    return typeof value === "string" ? [[name, value] as const] : [];
  });
  return { ...Object.fromEntries(forwarded), "accept-encoding": "identity" };
}

/** Returns the stream if the client may receive it. Otherwise closes it and throws Failure. */
function requireForwardable(stream: RemoteStream, { variant }: ContentRequest): RemoteStream {
  const { status } = stream.answer;
  if ([200, 206, 304, 416].includes(status)) return stream;
  void stream[Symbol.asyncDispose]();
  if (!goneStatuses.has(status)) throw new Failure("upstream_error", `The vendor answered with status ${status}.`);
  if (status === 404 && variant !== "video")
    throw new Failure("video_not_ready", `This video has no ${variant}, or its vendor no longer keeps it.`);
  if (status === 401) throw new Failure("upstream_auth_failed");
  throw new Failure("video_expired");
}
