import { contentFull } from "@modelgate/accounts";
import { Failure } from "@modelgate/contracts";
import { endedBy, Gauge, onBeat, type Registry, type ServiceCall } from "@modelgate/platform";
import { priced, reparseJson, type JsonBody } from "@modelgate/relay";
import { wires, type JsonObject } from "@modelgate/wires/text";
import type { ResponsesDeps } from "../deps.ts";
import { responseIn } from "../answered-response.ts";
import { itemsOf } from "../conversation.ts";
import { prepareResponses, type ReadResponses } from "../prepare.ts";
import { newAnswerId } from "../../text-kind.ts";
import { BackgroundRun, eventsOfQueued } from "./background-run.ts";

/** Lease renewals per lease. */
const checksPerLease = 4;
/** Maximum time, in ms, until this process notices a cancellation that another process received. */
const maxCheckMs = 1_000;

/** All background responses of this process. */
export class BackgroundRuns implements Disposable {
  readonly #deps: ResponsesDeps;
  readonly #open = new Map<string, BackgroundRun>();
  readonly #renewing = new Set<BackgroundRun>();
  readonly #timer: Disposable;
  /** Number of responses that are being opened. */
  #opening = 0;
  #isDraining = false;
  #drained: (() => void) | undefined;

  constructor(deps: ResponsesDeps, registry: Registry) {
    this.#deps = deps;
    const everyMs = Math.min(maxCheckMs, Math.ceil(deps.background.leaseMs / checksPerLease));
    this.#timer = onBeat(everyMs, () => this.#check());
    const open = this.#open;
    deps.ending.addEventListener("abort", () => {
      const failure = endedBy(deps.ending) ?? new Failure("server_overloaded");
      for (const run of open.values()) run.interrupt(failure);
    });
    registry.registerMetric(
      new Gauge({
        name: "modelgate_background_responses",
        help: "Responses in the background.",
        registers: [],
        collect() {
          this.set(open.size);
        },
      }),
    );
  }

  /**
   * Starts a response and returns it as queued. Disposes the body when the response has ended. Throws Failure for
   * whatever a foreground call would refuse, and where the maximum number of responses is reached.
   */
  async begin(call: ServiceCall, body: JsonBody<ReadResponses>): Promise<JsonObject> {
    const { most } = this.#deps.background;
    if (this.#isDraining || this.#open.size + this.#opening >= most) {
      body[Symbol.dispose]();
      throw new Failure("server_overloaded", "The gateway makes as many background responses as it may; try again.", {
        retryAfterSeconds: 1,
      });
    }
    this.#opening++;
    try {
      return await this.#begin(call, body);
    } finally {
      this.#opening--;
      this.#checkDrained();
    }
  }

  /** Cancels a response of this process. */
  cancel(id: string): void {
    this.#open.get(id)?.cancel();
  }

  /** Accepts no more responses. Shortly before the end of the drain time, ends open responses as failed. */
  async drain(): Promise<void> {
    this.#isDraining = true;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#drained = resolve;
    this.#checkDrained();
    await promise;
  }

  [Symbol.dispose](): void {
    this.#timer[Symbol.dispose]();
  }

  async #begin(call: ServiceCall, body: JsonBody<ReadResponses>): Promise<JsonObject> {
    const { backgroundStore: store, background, relay, responses } = this.#deps;
    const { accountId, tokenId } = call.caller;
    const id = newAnswerId(this.#deps, "responses");
    const at = { accountId, id };
    let isEntered = false;
    let run: BackgroundRun | undefined;
    try {
      const prepared = await prepareResponses(this.#deps, call, body);
      priced(relay, call, prepared.params.model);
      if (!(await store.enter(at, tokenId)))
        throw new Failure(
          "rate_limit_exceeded",
          `A key may have at most ${background.perToken} responses made in the background at once.`,
          { retryAfterSeconds: 1 },
        );
      isEntered = true;
      const requestBody = await reparseJson(body.bytes);
      const response = queuedResponse(id, prepared.params.model, requestBody);
      const queued = { response, input: itemsOf(requestBody["input"]), ancestors: prepared.ancestors };
      const kept = await responses.save(accountId, id, queued, body.bytes.length);
      if (kept === "full") throw contentFull();
      if (kept === "too-large")
        throw new Failure("request_too_large", "The request is too large to be kept for the background.");
      if (!(await store.addEvents(at, eventsOfQueued(response)))) throw contentFull();
      run = new BackgroundRun(this.#deps, { call, body, prepared, queued, id });
      this.#keep(id, run);
      await run.begun;
      return response;
    } catch (error) {
      if (run === undefined) body[Symbol.dispose]();
      if (isEntered) {
        await responses.remove(accountId, id);
        await store.removeEvents(at);
        await store.leave(at, tokenId);
      }
      throw error;
    }
  }

  #keep(id: string, run: BackgroundRun): void {
    this.#open.set(id, run);
    void run.over.then(() => {
      this.#open.delete(id);
      this.#checkDrained();
    });
  }

  #check(): void {
    const { longestMs } = this.#deps.background;
    for (const run of this.#open.values()) {
      if (Date.now() - run.beganAt > longestMs)
        run.interrupt(new Failure("upstream_timeout", `The response took longer than ${longestMs} ms.`));
      if (!this.#renewing.has(run)) void this.#renew(run);
    }
  }

  /** Renews a lease. Never rejects: while Redis is unavailable the lease continues to expire. */
  async #renew(run: BackgroundRun): Promise<void> {
    this.#renewing.add(run);
    try {
      const verdict = await this.#deps.backgroundStore.renew(run.at, run.tokenId);
      if (verdict === "cancelled") run.cancel();
      // A response that has just ended has already released its lease.
      if (verdict === "lost" && this.#open.has(run.at.id)) run.lost();
    } catch (error) {
      this.#deps.relay.log.warn({ err: error, response: run.at.id }, "a background response's lease was not renewed");
    } finally {
      this.#renewing.delete(run);
    }
  }

  #checkDrained(): void {
    if (this.#open.size === 0 && this.#opening === 0) this.#drained?.();
  }
}

/** Returns a queued response. */
function queuedResponse(id: string, model: string, requestBody: JsonObject): JsonObject {
  const now = Math.floor(Date.now() / 1_000);
  const request = { model, stream: true, instructions: [], turns: [] };
  const writer = wires.responses.client.stream({ model, requestBody, request, answerId: id, now, inputTokens: 0 });
  const begun = responseIn(writer.write({ type: "start", id, model, createdAt: now }));
  return { ...begun, status: "queued" };
}
