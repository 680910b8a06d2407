import { contentLimitFailure } from "@modelgate/accounts";
import { Failure } from "@modelgate/contracts";
import { gatewayFailureOf, Gauge, runOnSharedTick, type Registry, type ServiceCall } from "@modelgate/platform";
import { resolveServingModel, type JsonBody } from "@modelgate/relay";
import type { JsonObject } from "@modelgate/wires/text";
import type { ResponsesDeps } from "../deps.ts";
import { newAnswerId } from "../../text-kind.ts";
import { BackgroundRun, type BackgroundWork } from "./background-run.ts";
import type { EventFormat } from "./event-format.ts";

/** Minimum number of lease renewals within the duration of a lease. */
const checksPerLease = 4;
/** Maximum ms until this process notices a cancellation that another process received. */
const maxCheckMs = 1_000;

/** A response or an interaction that is prepared for the background. */
export interface BackgroundJob extends Pick<BackgroundWork, "onStored" | "patch" | "queued" | "run"> {
  readonly model: string;
}

/** Prepares the job of the response `id`. Throws Failure (400) as a call in the foreground would. */
export type PrepareJob = (id: string) => Promise<BackgroundJob>;

/** Background responses of this process. Interactions are called responses here too. */
export class BackgroundRuns implements Disposable {
  readonly #deps: ResponsesDeps;
  readonly #open = new Map<string, BackgroundRun>();
  readonly #renewing = new Set<BackgroundRun>();
  readonly #timer: Disposable;
  /** Number of responses that are being started. */
  #opening = 0;
  #isDraining = false;
  #drained: (() => void) | undefined;

  constructor(deps: ResponsesDeps, registry: Registry) {
    this.#deps = deps;
    const everyMs = Math.min(maxCheckMs, Math.ceil(deps.background.leaseMs / checksPerLease));
    this.#timer = runOnSharedTick(everyMs, () => this.#check());
    const runs = this.#open;
    deps.ending.addEventListener("abort", () => {
      const failure = gatewayFailureOf(deps.ending) ?? new Failure("server_overloaded");
      for (const run of runs.values()) run.interrupt(failure);
    });
    registry.registerMetric(
      new Gauge({
        name: "modelgate_background_responses",
        help: "Running background responses.",
        registers: [],
        collect() {
          this.set(runs.size);
        },
      }),
    );
  }

  /** Starts a response and returns its first state. Throws Failure if it is refused. */
  async begin(
    call: ServiceCall,
    body: JsonBody<unknown>,
    format: EventFormat,
    prepare: PrepareJob,
  ): Promise<JsonObject> {
    const { maxResponses } = this.#deps.background;
    if (this.#isDraining || this.#open.size + this.#opening >= maxResponses) {
      body[Symbol.dispose]();
      throw new Failure(
        "server_overloaded",
        "The gateway is at its limit of background responses; try again shortly.",
        {
          retryAfterSeconds: 1,
        },
      );
    }
    this.#opening++;
    try {
      return await this.#begin(call, body, format, prepare);
    } finally {
      this.#opening--;
      this.#checkDrained();
    }
  }

  /** Cancels a response if this process generates it. */
  cancel(id: string): void {
    this.#open.get(id)?.cancel();
  }

  /** Refuses further responses, and resolves when all open ones have ended. */
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

  async #begin(
    call: ServiceCall,
    body: JsonBody<unknown>,
    format: EventFormat,
    prepare: PrepareJob,
  ): Promise<JsonObject> {
    const { backgroundStore: store, background, relay, [format.wire]: objects } = this.#deps;
    const { accountId, tokenId } = call.caller;
    const id = newAnswerId(this.#deps, format.wire);
    const backgroundRef = { accountId, id };
    let hasLease = false;
    let run: BackgroundRun | undefined;
    try {
      const { model, queued, ...job } = await prepare(id);
      resolveServingModel(relay, call, model);
      if (!(await store.takeLease(backgroundRef, tokenId)))
        throw new Failure(
          "rate_limit_exceeded",
          `A key can have at most ${background.maxPerToken} background responses at the same time.`,
          { retryAfterSeconds: 1 },
        );
      hasLease = true;
      const verdict = await objects.save(accountId, id, queued, body.bytes.length);
      if (verdict === "full") throw contentLimitFailure();
      if (verdict === "too-large")
        throw new Failure("request_too_large", "The request is too large to run in the background.");
      const events = format.queuedEvents(queued.response).map((event, number) => format.renderNumbered(event, number));
      if (!(await store.addEvents(backgroundRef, events))) throw contentLimitFailure();
      run = new BackgroundRun(this.#deps, { ...job, call, body, format, queued, id });
      this.#track(id, run);
      await run.started;
      return queued.response;
    } catch (error) {
      if (run === undefined) body[Symbol.dispose]();
      if (hasLease) {
        await objects.remove(accountId, id);
        await store.removeEvents(backgroundRef);
        await store.releaseLease(backgroundRef, tokenId);
      }
      throw error;
    }
  }

  #track(id: string, run: BackgroundRun): void {
    this.#open.set(id, run);
    void run.finished.then(() => {
      this.#open.delete(id);
      this.#checkDrained();
    });
  }

  #check(): void {
    const { maxDurationMs } = this.#deps.background;
    for (const run of this.#open.values()) {
      if (Date.now() - run.beganAt > maxDurationMs)
        run.interrupt(new Failure("upstream_timeout", `The response took longer than ${maxDurationMs} ms.`));
      if (!this.#renewing.has(run)) void this.#renew(run);
    }
  }

  /** Renews a lease. Never rejects; while Redis is unavailable the lease may expire. */
  async #renew(run: BackgroundRun): Promise<void> {
    this.#renewing.add(run);
    try {
      const verdict = await this.#deps.backgroundStore.renew(run.ref, run.tokenId);
      if (verdict === "cancelled" || verdict === "deleted") run.cancel();
      if (verdict === "lost") run.stopAfterTakeover();
      // If the response has ended meanwhile, its lease was released before it was renewed.
      if (!this.#open.has(run.ref.id)) await this.#deps.backgroundStore.releaseLease(run.ref, run.tokenId);
    } catch (error) {
      this.#deps.relay.log.warn({ err: error, response: run.ref.id }, "a background response's lease was not renewed");
    } finally {
      this.#renewing.delete(run);
    }
  }

  #checkDrained(): void {
    if (this.#open.size === 0 && this.#opening === 0) this.#drained?.();
  }
}
