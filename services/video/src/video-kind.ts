import type { TaskRecord } from "@modelgate/accounts";
import { Failure, priceAt, videoWires, type Nanos } from "@modelgate/contracts";
import type { WireRoute } from "@modelgate/channels";
import { idsOf, inTurnsIfLong } from "@modelgate/platform";
import {
  costOfUnits,
  makeUsageDraft,
  type Call,
  type CallKind,
  type Exchange,
  type JobMoney,
  type Outcome,
  type Plan,
  type ServingModel,
  type UsageRecord,
} from "@modelgate/relay";
import { requestedVideoOf, type RequestedVideo } from "@modelgate/wires/video";
import type { Deps } from "./deps.ts";
import type { Frames } from "./frames.ts";
import { maxCost, unitsOf, type VideoTaskRequest } from "./price-task.ts";
import { recordTask } from "./record-task.ts";
import { readStartedTask, withFetchedImages, renderStart, usableRoutes, type StartedTask } from "./start-task.ts";

/** A request for a video, with its images. */
export interface VideoInput {
  readonly model: string;
  readonly wanted: VideoTaskRequest;
  readonly frames: Frames;
  /** Renders the answer to the client. */
  answer(task: TaskRecord): object;
}

interface VideoPlan extends Plan {
  readonly call: Call;
  readonly input: VideoInput;
  readonly heldNanos: Nanos;
  readonly unpriced: ServingModel["unpriced"];
}

/**
 * Kind of call: the creation of a video. The process whose poll ends the task settles the held money. If the vendor may
 * have accepted the start, but did not answer readably, the call fails with create_uncertain.
 */
export class VideoKind implements CallKind<VideoInput, VideoPlan> {
  readonly hasFallbacks = false;
  readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  plan(call: Call, input: VideoInput, serving: ServingModel): VideoPlan {
    const { candidates, wires } = usableRoutes(this.deps, call, input.wanted);
    const heldNanos = maxCost(input.wanted, { candidates, wires }, serving);
    const { unpriced } = serving;
    return { call, input, heldNanos, unpriced, cost: { by: "job", upperNanos: heldNanos }, candidates, wires };
  }

  async exchange(plan: VideoPlan, { wire, ...route }: WireRoute): Promise<Exchange> {
    const { wanted: videoRequest, frames } = plan.input;
    const videoWire = videoWires.find((name) => name === wire);
    if (videoWire === undefined) throw new Error(`${wire} is not a wire for videos`);
    const to = { ...route, wire: videoWire };
    const rendered = renderStart(
      this.deps,
      { ...plan.call, unpriced: plan.unpriced },
      { ...videoRequest, request: await withFetchedImages(videoRequest, frames, to) },
      to,
    );
    const start = route.provider.start?.(rendered.start);
    if (start === undefined) throw new Failure("no_available_channel", "The vendor of this model has no video tasks.");
    const request = await inTurnsIfLong(start);
    return {
      wire,
      request,
      body: request.body ?? Buffer.alloc(0),
      isStreamed: false,
      isUnrepeatable: true,
      dropped: rendered.dropped,
      read: () => ({
        kind: "job",
        read: async (answer) => {
          const started = await readStartedTask(answer, rendered);
          return { store: (hold, outcome) => this.#storeTask(plan, { started, route: to, outcome }, hold) };
        },
      }),
    };
  }

  /** Stores a task that was started, and returns the answer. Throws Failure create_uncertain. */
  async #storeTask({ call, input, heldNanos }: VideoPlan, accepted: AcceptedStart, hold: JobMoney): Promise<Buffer> {
    const recordOf = recorderOf(this.deps, input.wanted, accepted, heldNanos);
    const task = await recordTask(this.deps, { hold, recordOf, ids: idsOf(call) });
    if (task === undefined) throw new Failure("create_uncertain");
    logTask(call, task);
    return Buffer.from(JSON.stringify(input.answer(task)));
  }
}

function logTask(call: Call, { id, accountId, tokenId, model, channelId, state, callId, costNanos }: TaskRecord): void {
  call.log.info(
    {
      ...idsOf(call),
      taskId: id,
      callId,
      account: accountId,
      token: tokenId,
      model,
      channel: channelId,
      state,
      costNanos,
    },
    "task",
  );
}

/** A start that a vendor has accepted, with its route. */
interface AcceptedStart {
  readonly started: StartedTask;
  readonly route: WireRoute;
  readonly outcome: Outcome;
}

/** Returns the function that builds a task's record from the call that pays for it. */
function recorderOf(
  deps: Deps,
  request: VideoTaskRequest,
  { started: { wire, operation, measure }, route, outcome }: AcceptedStart,
  heldNanos: Nanos,
): (call: UsageRecord) => TaskRecord {
  const { seconds, lines, isSizeLost } = measure;
  const units = unitsOf(request.request, measure);
  const end: Outcome = { ...outcome, units, callStatus: "completed", status: 200 };
  const requested = requestedVideoOf(isSizeLost ? { ...request.request, size: undefined } : request.request, seconds);
  const echo: RequestedVideo = { ...requested, lines, remixOf: request.remix?.id };
  const [id, createdAt] = [deps.newTaskId(), deps.now()];
  return (record) => {
    const { accountId, tokenId } = record.call.caller;
    const { model } = record.price;
    // The price depends on the resolution that was requested from this vendor. The held money covers it.
    const price = { ...record.price, model: { ...model, price: priceAt(model, lines) } };
    return {
      id,
      accountId,
      tokenId,
      model: model.name,
      channelId: route.candidate.channel.id,
      keyId: route.key.id,
      wire,
      operation,
      requested: { ...echo },
      callbackUrl: request.callbackUrl,
      callId: record.callId,
      costNanos: costOfUnits(price, units).toString(),
      draft: makeUsageDraft({ ...record, price }, end, undefined, heldNanos),
      state: "queued",
      progress: 0,
      createdAt,
      deadlineAt: createdAt + deps.limits.lifetimeMs,
      polls: 0,
      misses: 0,
    };
  };
}
