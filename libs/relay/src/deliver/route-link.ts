import {
  prepareChannelRequest,
  ProxyFailed,
  readText,
  type OpenAttempt,
  type UpstreamAnswer,
} from "@modelgate/channels";
import { Failure } from "@modelgate/contracts";
import type { VendorRequest } from "@modelgate/providers";
import type { VendorLink } from "../answers/exchange.ts";
import type { UpstreamHead } from "../answers/stream-reader.ts";
import { collectAnswer } from "../answers/read-answer.ts";
import { requestFor } from "../attempt.ts";
import type { AcceptedAnswer, CallRun } from "../call-run.ts";

const errorBodyBytes = 64 * 1024;
const cancelMs = 5_000;

/** Sends further requests of a call to the vendor that answered, with the same API key. */
export class RouteLink implements VendorLink {
  readonly origin: string;
  readonly proxy: string | undefined;
  readonly signal: AbortSignal;
  readonly #run: CallRun;
  readonly #route: OpenAttempt<AcceptedAnswer>["route"];
  readonly #exchange: AcceptedAnswer["exchange"];

  constructor(run: CallRun, { route, accepted }: OpenAttempt<AcceptedAnswer>, signal: AbortSignal) {
    this.#run = run;
    this.#route = route;
    this.#exchange = accepted.exchange;
    this.origin = new URL(route.candidate.channel.baseUrl).origin;
    this.proxy = route.candidate.channel.proxy;
    this.signal = signal;
  }

  async poll(task: string): Promise<Buffer> {
    const request = this.#route.provider.request({ ...this.#call, act: "poll", task });
    return (await this.#answerTo(request)).bytes;
  }

  send(body: Buffer): Promise<UpstreamHead & { readonly bytes: Buffer }> {
    const { call, plan } = this.#run;
    const { wire, headers, query } = this.#exchange;
    const request = requestFor(call, plan.forward, this.#route, { wire, headers, query, body, isStreamed: false });
    return this.#answerTo(request, this.signal, true);
  }

  /** Requests the stream of a background answer after the event `lastEvent`. Throws Failure. */
  async follow(task: string, lastEvent: string | undefined): Promise<UpstreamAnswer> {
    return await this.#send(this.#runRequest({ act: "follow", task, lastEvent }), this.signal, false);
  }

  /** Cancels a background answer. Returns its state as JSON bytes. Throws Failure. */
  async cancel(task: string): Promise<Buffer> {
    const request = this.#runRequest({ act: "cancel", task });
    return (await this.#answerTo(request, AbortSignal.timeout(cancelMs))).bytes;
  }

  get #call() {
    const { candidate, key } = this.#route;
    const { requestId } = this.#run.call;
    const { baseUrl } = candidate.channel;
    return { baseUrl, key: key.secret, nowMs: Date.now(), requestId, wire: this.#exchange.wire };
  }

  #runRequest(action: { act: "follow" | "cancel"; task: string; lastEvent?: string | undefined }): VendorRequest {
    const request = this.#route.provider.run?.({ ...this.#call, ...action });
    if (request === undefined) throw new Failure("upstream_error", "The vendor does not support background responses.");
    return request;
  }

  async #answerTo(
    request: VendorRequest,
    signal = this.signal,
    addsMembers = false,
  ): Promise<UpstreamHead & { readonly bytes: Buffer }> {
    const { limits, budget } = this.#run.deps;
    const answer = await this.#send(request, signal, addsMembers);
    return { headers: answer.headers, bytes: await collectAnswer(answer, limits.answerBytes, budget) };
  }

  /** Sends a request, with the channel's body members if `addsMembers` is true. Throws Failure. */
  async #send(request: VendorRequest, signal: AbortSignal, addsMembers: boolean): Promise<UpstreamAnswer> {
    const { candidate, key, provider } = this.#route;
    const { channel } = candidate;
    const { transport } = this.#run.deps.channels;
    const options = { timeoutMs: channel.timeoutMs, addsMembers };
    const send = async (): Promise<UpstreamAnswer> =>
      transport.send(await prepareChannelRequest(request, { channel, key, provider }, options), signal);
    const answer = await withConnectionFailure(send());
    if (answer.status < 300) return answer;
    const { code, message } = provider.failureOf(answer.status, await readText(answer, errorBodyBytes));
    throw new Failure(code, message);
  }
}

async function withConnectionFailure<Answer>(sent: Promise<Answer>): Promise<Answer> {
  try {
    return await sent;
  } catch (cause) {
    if (cause instanceof ProxyFailed) throw new Failure("upstream_proxy_failed", undefined, { cause });
    throw new Failure("upstream_error", "The vendor accepts no further request for this call.", { cause });
  }
}
