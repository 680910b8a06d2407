import { addUnits, Failure, type Units, type UpstreamWire } from "@modelgate/contracts";
import type { JsonObject } from "@modelgate/wires/text";
import type { WithUsage, AnswerHeaders, Rendered, Target, VendorSide } from "@modelgate/wires/wire";
import { renderJson } from "../bodies/read-json.ts";
import type { AnswerReader, Exchange, VendorLink, CompleteAnswer } from "./exchange.ts";
import { taskReader } from "./finish-task.ts";
import type { UpstreamHead } from "./stream-reader.ts";
import { renderSupported, type UnsupportedRules } from "./unsupported.ts";
import { parseAnswer, parseAnyAnswer } from "./read-answer.ts";

/** List with at least one value. */
export type NonEmptyList<Value> = readonly [Value, ...Value[]];

/** A vendor's complete answer, in its neutral form and as it arrived. */
export interface VendorAnswer<Answer> {
  readonly answer: Answer;
  readonly json: JsonObject;
  readonly bytes: Buffer;
}

type ExchangeVendor<Request, Answer, Output> = Pick<
  VendorSide<Request, Answer, Output>,
  "render" | "parse" | "usage" | "taskOf" | "startsTask"
>;

type RenderedRequest = Partial<Rendered> & Pick<Rendered, "dropped">;

type ExchangeParts = Pick<Exchange, "body"> & Partial<Exchange>;

/** Call that is converted to the wires of vendors. All attempts share it. */
export interface ConvertedCall<Vendor, Request, Answer, Output extends RenderedRequest = Rendered> {
  readonly unsupportedRules: UnsupportedRules;
  /** Optional fields of the client's request that the neutral form cannot express. */
  readonly dropped: readonly string[];
  readonly bodyBytes: number;
  /**
   * Returns the requests for a vendor. The attempt sends the first one. The others are sent on the same route after its
   * answer.
   */
  requests(vendor: Vendor, target: Target): NonEmptyList<Request> | Promise<NonEmptyList<Request>>;
  /** Writes a rendered request. Absent if it is JSON and the answer is not a stream. */
  write?(rendered: Output, vendor: Vendor, target: Target): ExchangeParts | Promise<ExchangeParts>;
  /**
   * Returns the reader of an answer that is not a JSON document, such as a stream; undefined for JSON. Throws Failure
   * upstream_error for an answer of an unexpected type.
   */
  reader?(head: UpstreamHead, vendor: Vendor): AnswerReader | undefined;
  /** Returns an answer that is sent to the client without parsing; undefined if it must be parsed. */
  passUnparsed?(bytes: Buffer, vendor: Vendor, target: Target): CompleteAnswer | undefined;
  /** Completes an answer by further requests to the vendor, for example for files. */
  complete?(answer: Answer, link: VendorLink): Promise<Answer>;
  readonly taskWaitMs?: number | undefined;
  readonly firstPollMs?: number | undefined;
  /** Converts the vendor's answers, one for each request, for the client. */
  render(answers: NonEmptyList<VendorAnswer<Answer>>, vendor: Vendor): CompleteAnswer | Promise<CompleteAnswer>;
}

/**
 * Creates the exchange of one attempt. Throws Failure (400) for errors in the client's request. Not used for text
 * calls, which are rendered once for each wire and model, nor for videos, which become jobs.
 */
export async function exchangeWith<
  Vendor extends ExchangeVendor<Request, Answer, Output>,
  Request,
  Answer extends WithUsage,
  Output extends RenderedRequest,
>(
  { name, vendor }: { readonly name: UpstreamWire; readonly vendor: Vendor },
  call: ConvertedCall<Vendor, Request, Answer, Output>,
  target: Target,
): Promise<Exchange> {
  const render = (request: Request): Output =>
    renderSupported(call.unsupportedRules, call.dropped, () => vendor.render(request, target));
  const [request, ...more] = await call.requests(vendor, target);
  const [first, furtherRequests] = [render(request), more.map(render)];
  const parts = await (call.write?.(first, vendor, target) ?? writeJson(first, call.bodyBytes));
  return {
    wire: name,
    query: first.query,
    isStreamed: false,
    isUnrepeatable: vendor.startsTask,
    ...parts,
    dropped:
      more.length === 0 ? first.dropped : [...new Set([first, ...furtherRequests].flatMap(({ dropped }) => dropped))],
    read: (head) => call.reader?.(head, vendor) ?? documentReader(head, { vendor, call, target, furtherRequests }),
  };
}

async function writeJson({ body }: RenderedRequest, bodyBytes: number): Promise<ExchangeParts> {
  return { body: await renderJson(body, bodyBytes) };
}

interface SentCall<Vendor, Request, Answer, Output extends RenderedRequest> {
  readonly vendor: Vendor;
  readonly call: ConvertedCall<Vendor, Request, Answer, Output>;
  readonly target: Target;
  readonly furtherRequests: readonly Output[];
}

/** Creates the reader of a JSON answer. If further requests may follow, it is a `TaskReader`. */
function documentReader<
  Vendor extends ExchangeVendor<Request, Answer, Output>,
  Request,
  Answer extends WithUsage,
  Output extends RenderedRequest,
>(
  { headers }: UpstreamHead,
  { vendor, call, target, furtherRequests }: SentCall<Vendor, Request, Answer, Output>,
): AnswerReader {
  const { complete, taskWaitMs = 0, firstPollMs } = call;
  const readBytes = (bytes: Buffer): Promise<VendorAnswer<Answer>> => readDocument(vendor, bytes, headers);
  if (furtherRequests.length === 0 && vendor.taskOf === undefined && complete === undefined)
    return {
      kind: "complete",
      read: async (bytes) =>
        call.passUnparsed?.(bytes, vendor, target) ?? (await call.render([await readBytes(bytes)], vendor)),
    };
  return taskReader({
    taskIn: async (bytes) => vendor.taskOf?.(await parseAnswer(bytes)),
    read: readBytes,
    waitMs: taskWaitMs,
    firstPollMs,
    // The first of several answers does not report the usage of the others.
    usageIn: ({ answer }) => (furtherRequests.length === 0 ? answer.usage : undefined),
    async finish(first, link) {
      const bodies = await Promise.all(furtherRequests.map(({ body }) => renderJson(body, call.bodyBytes)));
      const sentAnswers = await sendAll(link, bodies);
      const rest = await Promise.all(sentAnswers.map((answer) => readDocument(vendor, answer.bytes, answer.headers)));
      if (complete === undefined) return await call.render([first, ...rest], vendor);
      return await call.render([{ ...first, answer: await complete(first.answer, link) }, ...rest], vendor);
    },
  });
}

async function readDocument<Request, Answer extends WithUsage, Output>(
  vendor: ExchangeVendor<Request, Answer, Output>,
  bytes: Buffer,
  headers: AnswerHeaders,
): Promise<VendorAnswer<Answer>> {
  const json = await parseAnyAnswer(bytes);
  if (vendor.parse === undefined)
    throw new Failure("upstream_error", "The vendor answered with JSON, which this endpoint does not expect.");
  const answer = vendor.parse(json, headers);
  return {
    answer: vendor.usage === undefined ? answer : { ...answer, usage: vendor.usage(json, headers) },
    json,
    bytes,
  };
}

const maxParallelRequests = 4;

/** Sends further requests of a call. Returns their answers in the order of `bodies`. */
async function sendAll(link: VendorLink, bodies: readonly Buffer[]): Promise<readonly SentAnswer[]> {
  const answers: SentAnswer[] = [];
  for (let index = 0; index < bodies.length; index += maxParallelRequests)
    answers.push(
      ...(await Promise.all(bodies.slice(index, index + maxParallelRequests).map((body) => link.send(body)))),
    );
  return answers;
}

type SentAnswer = Awaited<ReturnType<VendorLink["send"]>>;

/** Adds the usage of several answers; undefined if one of them has none. */
export function usageOfAll(answers: readonly WithUsage[]): Units | undefined {
  const all = answers.flatMap(({ usage }) => (usage === undefined ? [] : [usage]));
  return all.length < answers.length ? undefined : all.reduce((sum, usage) => addUnits(sum, usage), {});
}
