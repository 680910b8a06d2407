import { endpointOf, Failure, present } from "@modelgate/contracts";
import { ClientGone, failureFrom, idsOf, startSpan, type ServiceCall } from "@modelgate/platform";
import type { Call, JsonBody } from "@modelgate/relay";
import { spliceMembers, withoutMembers } from "@modelgate/wires/json";
import type { JsonObject } from "@modelgate/wires/text";
import { addTurn } from "../conversations/conversation-turns.ts";
import type { ResponsesDeps } from "../deps.ts";
import type { PreparedResponses, ReadResponses } from "../prepare.ts";
import { runPrepared } from "../run-responses.ts";
import type { StoredResponse } from "../stored-response.ts";
import { BackgroundSink } from "./background-sink.ts";
import type { BackgroundId } from "./background-store.ts";
import { failedResponse, finalEvent, isOver } from "./events.ts";

/**
 * Maximum attempts to store a finished response, and the pause between two attempts. The lease outlasts all of them.
 */
const [maxAttempts, pauseMs] = [10, 500];
/** Events that are stored before a vendor is chosen: created and queued. */
const firstEvents = ["response.created", "response.queued"] as const;

/** A response to make in the background. */
export interface BackgroundWork {
  readonly call: Pick<ServiceCall, "caller" | "facts" | "log" | "requestId" | "span" | "strict">;
  /** Disposed when the response has ended. */
  readonly body: JsonBody<ReadResponses>;
  readonly prepared: PreparedResponses;
  /** The response in the form in which it is stored until it ends. */
  readonly queued: StoredResponse;
  readonly id: string;
}

/** One response that is made while no client waits: a normal call whose events and result are stored. */
export class BackgroundRun {
  readonly at: BackgroundId;
  readonly tokenId: string;
  readonly beganAt = Date.now();
  /**
   * Resolves when the money is reserved and the request is about to be sent, or when the run has ended. Rejects where
   * the request is refused earlier.
   */
  readonly begun: Promise<void>;
  /** Resolves when the result is stored. */
  readonly over: Promise<void>;
  readonly #deps: ResponsesDeps;
  readonly #work: BackgroundWork;
  readonly #sink: BackgroundSink;
  readonly #begun = Promise.withResolvers<void>();
  #hasBegun = false;
  #isCancelled = false;
  #isLost = false;

  constructor(deps: ResponsesDeps, work: BackgroundWork) {
    const { call, id, queued } = work;
    const { maxEvents, maxCharacters } = deps.background;
    this.at = { accountId: call.caller.accountId, id };
    this.tokenId = call.caller.tokenId;
    this.begun = this.#begun.promise;
    this.#deps = deps;
    this.#work = work;
    this.#sink = new BackgroundSink({
      keep: (events) => deps.backgroundStore.addEvents(this.at, events),
      maxEvents,
      maxCharacters,
      from: firstEvents.length,
      patch: patchOf(queued.response),
    });
    this.over = this.#run();
  }

  /** Cancels the run on behalf of its client. */
  cancel(): void {
    this.#isCancelled = true;
    this.#sink.cancel();
  }

  /** Ends the run with a failure of the gateway. */
  interrupt(failure: Failure): void {
    this.#sink.interrupt(failure);
  }

  /** Stops a run that another process has already declared dead and ended. */
  lost(): void {
    this.#isLost = true;
    this.interrupt(new Failure("server_overloaded", "The lease of this response ran out."));
  }

  async #run(): Promise<void> {
    const { body, call, queued } = this.#work;
    using _body = body;
    try {
      const failure = await this.#ask();
      if (failure !== undefined && !this.#hasBegun && !this.#isCancelled) return this.#begun.reject(failure);
      await this.#sink.flushed();
      const response = this.#finalResponse(failure);
      await this.#keep({ ...queued, response });
    } catch (error) {
      this.#deps.relay.log.error({ ...idsOf(call), err: error }, "a background response was not kept");
    } finally {
      this.#begun.resolve();
    }
  }

  /** Runs the call. Resolves with the failure if the call failed before its answer started. */
  async #ask(): Promise<Failure | undefined> {
    const { body, call, prepared, id, queued } = this.#work;
    const { previous_response_id: previous, conversation } = queued.response;
    const span = startSpan({ name: "background response", kind: "server", parent: call.span.traceparent });
    const made: Call = {
      answer: this.#sink,
      ending: this.#sink.ending,
      caller: call.caller,
      id: "responses",
      endpoint: endpointOf("responses"),
      requestId: call.requestId,
      log: call.log,
      span,
      strict: call.strict,
      facts: call.facts,
    };
    try {
      await runPrepared(this.#deps, made, body, streamed(prepared), {
        answerId: id,
        echo: { background: true, previous_response_id: previous, conversation },
        isKeptElsewhere: true,
        begins: () => {
          this.#hasBegun = true;
          this.#begun.resolve();
        },
      });
      return undefined;
    } catch (error) {
      if (error instanceof ClientGone) return undefined;
      const failure = failureFrom(error);
      if (failure.code === "internal_error")
        call.log.error({ ...idsOf(call), err: failure.cause ?? failure }, "background response failed");
      return failure;
    } finally {
      span.end();
    }
  }

  #finalResponse(failure: Failure | undefined): JsonObject {
    const shown = this.#sink.response;
    const last = { ...this.#work.queued.response, ...shown };
    if (shown !== undefined && isOver(shown)) return last;
    if (this.#isCancelled) return { ...last, status: "cancelled" };
    return failedResponse(last, failure ?? new Failure("upstream_error", "The answer ended before its end."));
  }

  async #keep(stored: StoredResponse): Promise<void> {
    const { responses, backgroundStore } = this.#deps;
    const { accountId, id } = this.at;
    let { response } = stored;
    await this.#retried(async () => {
      // If the run was declared dead meanwhile, its client was already told so.
      this.#isLost ||= (await backgroundStore.renew(this.at, this.tokenId)) === "lost";
      if (this.#isLost) return;
      if ((await responses.save(accountId, id, { ...stored, response }, Infinity)) === "kept") return;
      response = failedResponse(
        { ...response, output: [] },
        new Failure("upstream_error", "The response is too large to be kept."),
      );
      await responses.save(accountId, id, { ...stored, input: [], response }, Infinity);
    });
    if (this.#isLost) return;
    const { prepared, call } = this.#work;
    const isTurn = response["status"] === "completed" || response["status"] === "incomplete";
    if (isTurn && prepared.conversationId !== undefined)
      await addTurn(this.#deps, call, prepared.conversationId, { ...stored, response });
    await backgroundStore.addFinalEvent(this.at, finalEvent(response, this.#sink.next));
    await backgroundStore.leave(this.at, this.tokenId);
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

/** Returns the events of a queued response. */
export function eventsOfQueued(response: JsonObject): readonly string[] {
  return firstEvents.map((type, at) => JSON.stringify({ type, sequence_number: at, response }));
}

/** Returns the fields that the client chose. They replace those that the vendor of a passed-through call reports. */
function patchOf({ id, previous_response_id, conversation }: JsonObject): JsonObject {
  return present({ id, background: true, previous_response_id, conversation });
}

/** Returns the request as a stream that the vendor need not continue in the background. */
function streamed({ params, body, native, ...rest }: PreparedResponses): PreparedResponses {
  const asStream = (bytes: Buffer): Buffer => spliceMembers(withoutMembers(bytes, ["background"]), { stream: "true" });
  return {
    ...rest,
    params: { ...params, stream: true },
    body: asStream(body),
    native: native && { ...native, body: asStream(native.body) },
  };
}
