import { holdLeaseMarginMs, type TaskRecord } from "@modelgate/accounts";
import type { TaskState } from "@modelgate/contracts";
import type { PollResult, VideoResult } from "@modelgate/wires/video";

/** Result of a poll: the vendor's answer, or "unroutable" if the task's channel does not exist or has no key. */
export type PollOutcome = PollResult | { readonly kind: "unroutable" };

/** Intervals of polls, and the basis for estimating progress. */
export interface PollPace {
  readonly firstMs: number;
  readonly longestMs: number;
  /** Usual duration of a task in ms. */
  readonly usualMs: number;
}

/** Time, random value and intervals from which a task's next step is computed. */
export interface PollMoment {
  readonly nowMs: number;
  /** Random value from 0 up to, but not including, 1. It varies the time of the next poll. */
  readonly random: number;
  readonly pace: PollPace;
}

/** The new record of a task, and the time of its next poll; `nextPollAt` is absent if the task has ended. */
export interface PollStep {
  readonly task: TaskRecord;
  readonly nextPollAt?: number | undefined;
}

const stateRanks: Readonly<Record<TaskState, number>> = { queued: 0, in_progress: 1, completed: 2, failed: 2 };
/** Time in ms after a task's creation for which a "not found" of the vendor does not end the task. */
const notFoundGraceMs = 60_000;
/**
 * Number of consecutive polls after which a task without a channel fails: about an hour, in which the channel can be
 * restored.
 */
const maxUnroutable = 20;
/** Time in ms before the end of a hold from which its task fails. The clocks of processes may differ by this time. */
const failsBeforeMs = 60_000;
/** Maximum estimated progress, and maximum shown progress of an unfinished task, in percent. */
const [maxEstimatedProgress, maxUnfinishedProgress] = [95, 99];
/** Factor by which the pause may exceed its usual maximum after polls that returned no state. */
const maxPauseFactor = 8;

/** Returns true if a state is final. */
export function isEnded(state: TaskState): boolean {
  return stateRanks[state] === 2;
}

/** Returns true if a task's hold is about to expire: the sweep of expired holds would settle it without the cost. */
export function isHoldExpiring({ deadlineAt }: TaskRecord, nowMs: number): boolean {
  return nowMs >= deadlineAt + holdLeaseMarginMs - failsBeforeMs;
}

/**
 * Returns the next step of a task after a poll; undefined if it has ended. After its deadline, a task fails unless the
 * vendor has finished it and its hold can still pay for it.
 */
export function advance(task: TaskRecord, result: PollOutcome, moment: PollMoment): PollStep | undefined {
  const { nowMs } = moment;
  if (isEnded(task.state)) return undefined;
  const requested = withSize(task.requested, result);
  const polled: TaskRecord = { ...task, requested, polls: task.polls + 1, misses: 0 };
  if (isHoldExpiring(task, nowMs)) return { task: asFailed(polled, nowMs, timedOut) };
  if (result.kind === "finished") return { task: asCompleted(polled, nowMs, result.result) };
  if (result.kind === "failed") return { task: asFailed(polled, nowMs, result.error) };
  if (nowMs >= task.deadlineAt) return { task: asFailed(polled, nowMs, timedOut) };
  if (result.kind === "pending") return stepWhilePending(polled, result, moment);
  if (result.kind === "not-found" && nowMs - task.createdAt >= notFoundGraceMs)
    return { task: asFailed(polled, nowMs, unknownTaskError) };
  if (result.kind === "unroutable" && task.misses >= maxUnroutable) return { task: asFailed(polled, nowMs, noChannel) };
  return stepAfterMiss(task, moment);
}

/** Adds the size that the vendor reports to the requested values, which answers repeat. */
function withSize(requested: TaskRecord["requested"], result: PollOutcome): TaskRecord["requested"] {
  const size = result.kind === "pending" || result.kind === "finished" ? result.size : undefined;
  return size === undefined ? requested : { ...requested, reportedSize: size };
}

const timedOut = { code: "timeout", message: "The task did not finish in time." };
const noChannel = { code: "channel_removed", message: "The channel of the task is not configured any more." };
const unknownTaskError = { code: "not_found", message: "The vendor no longer knows the task." };

function asCompleted(task: TaskRecord, nowMs: number, { url, expiresAt, keptMs }: VideoResult): TaskRecord {
  const until = expiresAt ?? (keptMs === undefined ? undefined : nowMs + keptMs);
  const result: VideoResult = { url, expiresAt: until };
  return { ...task, state: "completed", progress: 100, endedAt: nowMs, result: JSON.stringify(result) };
}

function asFailed(task: TaskRecord, nowMs: number, error: TaskRecord["error"]): TaskRecord {
  return { ...task, state: "failed", endedAt: nowMs, error };
}

function stepWhilePending(
  task: TaskRecord,
  result: Extract<PollResult, { kind: "pending" }>,
  moment: PollMoment,
): PollStep {
  const { nowMs, pace } = moment;
  const state = stateRanks[result.state] > stateRanks[task.state] ? result.state : task.state;
  const startedAt = task.startedAt ?? (state === "in_progress" ? nowMs : undefined);
  const estimatedProgress =
    startedAt === undefined ? 0 : Math.floor(((nowMs - startedAt) / pace.usualMs) * maxEstimatedProgress);
  const reported = Math.floor(result.progress ?? Math.min(estimatedProgress, maxEstimatedProgress));
  const progress = Math.max(task.progress, Math.min(reported, maxUnfinishedProgress));
  const pauseMs = usualPauseMs(task.polls, pace);
  return scheduleNextPoll({ ...task, state, progress, startedAt }, pauseMs, moment);
}

function usualPauseMs(polls: number, { firstMs, longestMs }: PollPace): number {
  return Math.min(longestMs, firstMs * 1.5 ** Math.max(0, polls - 1));
}

/** Returns the step of a task that was due and not polled. It fails if its hold is about to expire. */
export function postpone(task: TaskRecord, moment: PollMoment): PollStep {
  if (isHoldExpiring(task, moment.nowMs)) return { task: asFailed(task, moment.nowMs, timedOut) };
  return scheduleNextPoll(task, moment.pace.firstMs, moment);
}

function stepAfterMiss(task: TaskRecord, moment: PollMoment): PollStep {
  const misses = task.misses + 1;
  const { firstMs, longestMs } = moment.pace;
  const pauseMs = Math.min(longestMs * maxPauseFactor, firstMs * 2 ** Math.min(misses, 30));
  return scheduleNextPoll({ ...task, polls: task.polls + 1, misses }, pauseMs, moment);
}

/** Returns the step with the time of the next poll: `pauseMs` from now, varied by up to a fifth, or the deadline. */
function scheduleNextPoll(task: TaskRecord, pauseMs: number, { nowMs, random }: PollMoment): PollStep {
  const nextPollAt = Math.ceil(nowMs + Math.max(1, pauseMs * (0.8 + 0.4 * random)));
  return { task, nextPollAt: nowMs < task.deadlineAt ? Math.min(nextPollAt, task.deadlineAt) : nextPollAt };
}
