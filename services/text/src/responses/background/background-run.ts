import { endpointOf, Failure } from "@modelgate/contracts";
import {
  ClientDisconnected,
  failureFrom,
  idsOf,
  recordRefusal,
  startSpan,
  type ServiceCall,
} from "@modelgate/platform";
import type { Call, JsonBody } from "@modelgate/relay";
import type { JsonObject } from "@modelgate/wires/text";
import type { ResponsesDeps } from "../deps.ts";
import type { StoredResponse } from "../stored-response.ts";
import { BackgroundSink } from "./background-sink.ts";
import type { BackgroundRef } from "./background-store.ts";
import type { EventFormat } from "./event-format.ts";
import { hasEnded } from "./events.ts";

/**
 * Maximum attempts to store a finished response, and the pause between them in ms. A lease must last longer than all
 * attempts together.
 */
const [maxAttempts, pauseMs] = [10, 500];

interface BackgroundDeps {
  readonly background: Pick<ResponsesDeps["background"], "maxEvents" | "maxCharacters">;
  readonly body: Pick<ResponsesDeps["body"], "maxBytes">;
  readonly relay: Pick<ResponsesDeps["relay"], "log">;
  readonly refused: Pick<ResponsesDeps["refused"], "add">;
  readonly responses: Pick<ResponsesDeps["responses"], "save" | "remove">;
  readonly interactions: Pick<ResponsesDeps["interactions"], "save" | "remove">;
  readonly backgroundStore: Pick<
    ResponsesDeps["backgroundStore"],
    "addEvents" | "addFinalEvent" | "releaseLease" | "removeEvents" | "renew"
  >;
}

/** A response or an interaction to generate in the background. */
export interface BackgroundWork {
  readonly call: Pick<ServiceCall, "caller" | "facts" | "log" | "refusesUnsupported" | "requestId" | "span">;
  /** Body of the request. It is disposed when the response has ended. */
  readonly body: Disposable & Pick<JsonBody<unknown>, "holding">;
  readonly format: EventFormat;
  /** Fields to set in the object that the vendor reports. */
  readonly patch: JsonObject;
  /** Runs the call as a stream. `onStart` is called when the money is held and the request is about to be sent. */
  readonly run: (call: Call, onStart: () => void) => Promise<void>;
  /** Called after the finished response is stored. */
  readonly onStored?: (stored: StoredResponse) => Promise<void>;
  /** Stored response until the run ends. */
  readonly queued: StoredResponse;
  readonly id: string;
}

/** Generates one response in the background: runs a normal call, and stores its events and its result. */
export class BackgroundRun {
  readonly ref: BackgroundRef;
  readonly tokenId: string;
  readonly beganAt = Date.now();
  /**
   * Resolves when the request is about to be sent or the run has ended. Rejects with Failure if the call is refused.
   */
  readonly started: Promise<void>;
  /** Resolves when the result is stored, or when storing it has failed. */
  readonly finished: Promise<void>;
  readonly #deps: BackgroundDeps;
  readonly #work: BackgroundWork;
  readonly #sink: BackgroundSink;
  readonly #begun = Promise.withResolvers<void>();
  #hasBegun = false;
  #isCancelled = false;
  #isLost = false;

  constructor(deps: BackgroundDeps, work: BackgroundWork) {
    const { body, call, format, id, patch, queued } = work;
    const { maxEvents, maxCharacters } = deps.background;
    this.ref = { accountId: call.caller.accountId, id };
    this.tokenId = call.caller.tokenId;
    this.started = this.#begun.promise;
    this.#deps = deps;
    this.#work = work;
    this.#sink = new BackgroundSink({
      storeEvents: (events) => deps.backgroundStore.addEvents(this.ref, events),
      maxEvents,
      maxCharacters,
      firstNumber: format.queuedEvents(queued.response).length,
      format,
      patch,
      memory: body.holding,
      maxHeldBytes: deps.body.maxBytes,
    });
    this.finished = this.#run();
  }

  /** Cancels the run on behalf of its client. */
  cancel(): void {
    this.#isCancelled = true;
    this.#sink.cancel();
  }

  /** Ends the run with a failure. */
  interrupt(failure: Failure): void {
    this.#sink.interrupt(failure);
  }

  /** Stops the run after another process declared it dead and stored its result. */
  stopAfterTakeover(): void {
    this.#isLost = true;
    this.interrupt(new Failure("server_overloaded", "The lease of this response ran out."));
  }

  async #run(): Promise<void> {
    const { body, call, queued } = this.#work;
    using _body = body;
    try {
      const failure = await this.#runCall();
      if (failure !== undefined && !this.#hasBegun && !this.#isCancelled) return this.#begun.reject(failure);
      await this.#sink.flushed();
      const response = this.#finalResponse(failure);
      await this.#storeResult({ ...queued, response });
    } catch (error) {
      this.#deps.relay.log.error({ ...idsOf(call), err: error }, "a background response was not stored");
    } finally {
      this.#begun.resolve();
    }
  }

  /** Runs the call. Resolves with the Failure that it threw, if any. */
  async #runCall(): Promise<Failure | undefined> {
    const { call, format, run } = this.#work;
    const span = startSpan({ name: "background response", kind: "server", parent: call.span.traceparent });
    const turnCall: Call = {
      answer: this.#sink,
      ending: this.#sink.ending,
      caller: call.caller,
      id: format.wire,
      endpoint: endpointOf(format.wire),
      requestId: call.requestId,
      log: call.log,
      span,
      refusesUnsupported: call.refusesUnsupported,
      facts: call.facts,
    };
    try {
      await run(turnCall, () => {
        this.#hasBegun = true;
        this.#begun.resolve();
      });
      this.#recordRefusal(call.facts.refusal);
      return undefined;
    } catch (error) {
      if (error instanceof ClientDisconnected) return undefined;
      const failure = failureFrom(error);
      this.#recordRefusal(failure);
      if (failure.code === "internal_error")
        call.log.error({ ...idsOf(call), err: failure.cause ?? failure }, "background response failed");
      return failure;
    } finally {
      span.end();
    }
  }

  /**
   * Records a failure that occurs after the call was started. Before that, the handler of the client's request records
   * it.
   */
  #recordRefusal(failure: Failure | undefined): void {
    const { call, format } = this.#work;
    if (!this.#hasBegun || failure === undefined) return;
    recordRefusal(this.#deps.refused, { ...call, id: format.wire }, failure);
    // The request's handler may still send the events, and would record the failure again.
    delete call.facts.refusal;
  }

  #finalResponse(failure: Failure | undefined): JsonObject {
    const response = this.#sink.response;
    const last = { ...this.#work.queued.response, ...response };
    if (response !== undefined && hasEnded(response)) return last;
    if (this.#isCancelled) return { ...last, status: "cancelled" };
    return this.#work.format.failedObject(
      last,
      failure ?? new Failure("upstream_error", "The vendor's stream ended before the response was complete."),
    );
  }

  async #storeResult(stored: StoredResponse): Promise<void> {
    const { format, onStored } = this.#work;
    const { [format.wire]: store, backgroundStore } = this.#deps;
    const { accountId, id } = this.ref;
    let { response } = stored;
    let isDeleted = false;
    await this.#retried(async () => {
      // If another process has declared the run dead, it has stored the response as failed.
      const renewal = await backgroundStore.renew(this.ref, this.tokenId);
      this.#isLost ||= renewal === "lost";
      isDeleted = renewal === "deleted";
      if (this.#isLost || isDeleted) return;
      if ((await store.save(accountId, id, { ...stored, response }, Infinity)) === "stored") return;
      response = format.failedObject(
        { ...response, [format.output]: [] },
        new Failure("upstream_error", "The response is too large to be stored."),
      );
      await store.save(accountId, id, { ...stored, input: [], response }, Infinity);
    });
    if (this.#isLost) return;
    if (!isDeleted) {
      await onStored?.({ ...stored, response });
      await backgroundStore.addFinalEvent(
        this.ref,
        format.renderNumbered(format.finalEvent(response), this.#sink.next),
      );
      // The response may have been deleted while it was stored.
      isDeleted = (await backgroundStore.renew(this.ref, this.tokenId)) === "deleted";
    }
    if (isDeleted) {
      await store.remove(accountId, id);
      await backgroundStore.removeEvents(this.ref);
    }
    await backgroundStore.releaseLease(this.ref, this.tokenId);
  }

  async #retried(work: () => Promise<void>): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await work();
      } catch (error) {
        if (attempt >= maxAttempts) throw error;
        await new Promise((resolve) => void setTimeout(resolve, pauseMs));
      }
    }
  }
}
