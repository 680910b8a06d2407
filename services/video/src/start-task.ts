import type { TaskRecord } from "@modelgate/accounts";
import type { Candidate } from "@modelgate/catalog";
import { readText, Refused, type Attempted, type UpstreamAnswer, type Way } from "@modelgate/channels";
import { Failure, videoWires, type UpstreamWire, type VideoWire } from "@modelgate/contracts";
import type { ServiceCall } from "@modelgate/platform";
import { providers, type Provider, type VideoStart } from "@modelgate/providers";
import { tellLosses, type Priced } from "@modelgate/relay";
import { isRecord, videoCodecs, type JsonRecord, type VideoCodec, type VideoRequest } from "@modelgate/wires";
import type { Deps } from "./deps.ts";
import { measured, type Measured } from "./price-task.ts";

/** A request for a video that has been read. */
export interface AskedTask {
  /** The client's style. */
  readonly client: VideoCodec;
  readonly request: VideoRequest;
  /** Hints that had no place in the neutral form. */
  readonly dropped: readonly string[];
  readonly callbackUrl?: string | undefined;
  /** The task whose video is made anew; it stays with the vendor and key that have it. */
  readonly remix?: TaskRecord | undefined;
}

/** Where a task could be started. */
export interface Ways {
  readonly candidates: readonly Candidate[];
  /** The wires that may be spoken, the client's own first. */
  readonly wires: readonly VideoWire[];
}

/** What a vendor has taken. */
export interface Started {
  readonly wire: VideoWire;
  readonly operation: string;
  readonly measure: Measured;
  readonly dropped: readonly string[];
}

/** How much of a vendor's answer to a start is read. */
const answerBytes = 1024 * 1024;

/** The channels that could serve a request. */
export function waysOf(deps: Deps, { caller }: ServiceCall, { client, request, remix }: AskedTask): Ways {
  const { catalog, spoken } = deps.relay;
  const wires =
    remix === undefined ? [client.wire, ...videoWires.filter((wire) => wire !== client.wire)] : [remix.wire];
  const candidates = catalog
    .current()
    .candidates(request.model, caller.group)
    .filter((candidate) => spoken.speaks(candidate, wires))
    .flatMap((candidate) => (remix === undefined ? [candidate] : onlyAt(candidate, remix)));
  return { candidates, wires };
}

function onlyAt({ channel, upstreamModel }: Candidate, { channelId, keyId }: TaskRecord): readonly Candidate[] {
  const keys = channel.keys.filter(({ id }) => id === keyId);
  return channel.id === channelId && keys.length > 0 ? [{ upstreamModel, channel: { ...channel, keys } }] : [];
}

function asVideoWire(wire: UpstreamWire | undefined): VideoWire | undefined {
  return videoWires.find((known) => known === wire);
}

/** Starts a task at the first vendor that takes it. Throws AttemptsFailed. */
export function startAtVendor(
  deps: Deps,
  call: ServiceCall,
  asked: AskedTask,
  { price, ways, callId }: { readonly price: Priced; readonly ways: Ways; readonly callId: string },
): Promise<Attempted<Started>> {
  const { channels, spoken } = deps.relay;
  let saying: Saying | undefined;
  return channels.attempts.run<Started>({
    callId,
    model: price.model.name,
    candidates: ways.candidates,
    unrepeatable: true,
    span: call.span,
    // The client may leave: what it asked for goes on, and stands in its list.
    signal: new AbortController().signal,
    render(way, provider) {
      saying = say(deps, call, asked, ways, way, provider);
      const { headers, ...request } = saying.access.start(saying.start);
      return {
        ...request,
        headers: {
          accept: "application/json",
          "accept-encoding": "identity",
          "x-request-id": call.requestId,
          ...headers,
        },
      };
    },
    accept(answer, { candidate }) {
      if (saying === undefined) throw new Error("an answer came before its request");
      return readStarted(answer, saying, providers[candidate.channel.provider]);
    },
    unspoken({ candidate }, provider) {
      if (saying === undefined) return false;
      spoken.missing(candidate, saying.start.wire);
      return spoken.choose(candidate, provider, ways.wires) !== undefined;
    },
  });
}

/** What is said to one vendor. */
interface Saying {
  readonly access: NonNullable<Provider["video"]>;
  readonly start: VideoStart;
  readonly measure: Measured;
  readonly dropped: readonly string[];
}

function say(
  deps: Deps,
  { strict }: ServiceCall,
  asked: AskedTask,
  { wires }: Ways,
  { candidate, key }: Way,
  provider: Provider,
): Saying {
  const { client, request, dropped, remix } = asked;
  const { channel, upstreamModel: model } = candidate;
  const wire = asVideoWire(deps.relay.spoken.choose(candidate, provider, wires));
  if (wire === undefined || provider.video === undefined)
    throw new Failure("no_available_channel", "The vendor of this model makes no videos.");
  const said = tellLosses({ spelling: client.spelling, strict }, dropped, () =>
    videoCodecs[wire].renderRequest(request, { model }),
  );
  return {
    access: provider.video,
    start: {
      baseUrl: channel.baseUrl,
      key: key.secret,
      wire,
      nowMs: deps.now(),
      model,
      body: said.body,
      file: said.file,
      fromImage: request.firstFrame !== undefined,
      remixOf: remix?.operation,
    },
    measure: measured(asked, said),
    dropped: said.dropped,
  };
}

async function readStarted(
  answer: UpstreamAnswer,
  { access, start, measure, dropped }: Saying,
  provider: Provider | undefined,
): Promise<Started> {
  const text = await readText(answer, answerBytes);
  const body = parsed(text);
  if (body === undefined) throw new Failure("upstream_error", "The vendor's answer is no JSON object.");
  const id = idIn(body, text, videoCodecs[start.wire], provider);
  return { wire: start.wire, operation: access.operationOf(id, start), measure, dropped };
}

function parsed(text: string): JsonRecord | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The vendor's name of the task; a refusal that came with a good status says its code in the body. */
function idIn(body: JsonRecord, text: string, { parseStarted }: VideoCodec, provider: Provider | undefined): string {
  try {
    return parseStarted(body);
  } catch (error) {
    if (provider === undefined || typeof body["code"] !== "number") throw error;
    throw new Refused(provider.failureOf(400, text), 400, undefined);
  }
}
