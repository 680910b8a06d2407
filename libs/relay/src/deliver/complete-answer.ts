import type { OpenAttempt } from "@modelgate/channels";
import { formatUsd, headers } from "@modelgate/contracts";
import { addCost } from "@modelgate/wires/cost";
import type { CompleteAnswer } from "../answers/exchange.ts";
import { finalAnswerOf, type AcceptedAnswer, type CallRun } from "../call-run.ts";
import { clientDisconnectedStatus } from "../exchange-lifetime.ts";
import { meterCompleteAnswer } from "../money/meter.ts";

/**
 * Minimum bytes of an answer whose memory is counted. A smaller answer usually fits into the buffers of the operating
 * system.
 */
const countedAnswerBytes = 1024 * 1024;

/**
 * Settles a call with a complete answer and sends the answer, unless the client has disconnected. Throws the answer's
 * Failure, if it has one.
 */
export async function deliverCompleteAnswer(
  run: CallRun,
  attempted: OpenAttempt<AcceptedAnswer>,
  answer: CompleteAnswer,
): Promise<void> {
  const { call, plan, heldMoney, lifetime } = run;
  // The vendor has finished, so its channel may serve another call before the client has received the last byte.
  attempted[Symbol.dispose]();
  plan.fees?.recordReported(answer.fees);
  const metering = meterCompleteAnswer(plan.cost, answer);
  const metered = metering instanceof Promise ? await metering : metering;
  if (lifetime.isClientGone) return await run.settle(metered, "cancelled", clientDisconnectedStatus);
  const { failure } = answer;
  if (failure !== undefined) {
    // The settlement never rejects. During an outage of Redis it takes long, and the client does not wait for it.
    void run.settle(metered, "failed", failure.status, failure.code);
    if (!call.answer.isHeadSent) call.answer.setHeader(headers.cost, formatUsd(heldMoney.chargedNanos ?? 0n));
    throw failure;
  }
  const settled = run.settle(metered, "completed", 200);
  const stored = run.kind.onFinalAnswer?.(plan, finalAnswerOf(attempted, answer.body, false));
  if (stored !== undefined) await stored;
  const charged = formatUsd(heldMoney.chargedNanos ?? 0n);
  const body = plan.showsCost === true ? addCost(answer.body, charged) : answer.body;
  if (!call.answer.isHeadSent) {
    call.answer.setHeader(headers.cost, charged);
    call.answer.begin(200, {
      "content-type": answer.contentType ?? "application/json; charset=utf-8",
      "content-length": String(body.length),
    });
  }
  if (body.length >= countedAnswerBytes) countUntilSent(run, body.length);
  call.answer.end(body);
  await settled;
}

/** Adds an answer to the caller's memory until the answer is sent or its connection is closed. */
function countUntilSent({ deps, call }: CallRun, bytes: number): void {
  if (call.answer.isClosed) return;
  const holding = deps.budget.openHolding(call.caller);
  holding.addWithoutLimit(bytes);
  call.answer.watch({ closed: () => holding[Symbol.dispose]() });
}
