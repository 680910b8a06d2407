import { asFailure, formatUsd, headers } from "@modelgate/contracts";
import { withCost } from "@modelgate/wires/cost";
import type { Exchange, StartedTask, WholeAnswer } from "../answers/exchange.ts";
import { meterWhole } from "../money/metered.ts";
import { letGo, showAnswer, type Delivery } from "./delivery.ts";
import { deliverStream, settleUnheard } from "./deliver-stream.ts";
import { clientLeft } from "./leaving.ts";
import { reportDropped, reportModel, reportRoute } from "./report-route.ts";
import { vendorLink } from "./vendor-link.ts";
import { keepWaiting } from "./waiting.ts";

/** Brings an answer to the client and settles the call: money first, the last byte after it. */
export async function deliver(delivery: Delivery): Promise<void> {
  const { deps, call, model, requested, sent, attempted, leaving } = delivery;
  const { accepted } = attempted;
  reportDropped(call.answer, accepted.exchange.dropped);
  reportRoute(deps, call, sent.tried);
  if (requested !== undefined) reportModel(call.answer, model.name);
  if (accepted.kind === "whole") return await deliverWhole(delivery, accepted.answer);
  if (accepted.kind === "stream")
    return await (leaving.isClientGone ? settleUnheard : deliverStream)(delivery, accepted);
  const { usage } = accepted.task;
  // To a client that has left nothing has to be brought: what the task used is all that is missing.
  const isKnown = leaving.isClientGone && usage !== undefined;
  await deliverWhole(
    delivery,
    isKnown ? { body: Buffer.alloc(0), usage, words: () => "" } : await finish(delivery, accepted),
  );
}

async function deliverWhole(delivery: Delivery, answer: WholeAnswer): Promise<void> {
  const { call, cost, fees, showsCost, money, sent, attempted, leaving } = delivery;
  letGo(attempted);
  fees?.saw(answer.fees);
  const metered = await meterWhole(cost, answer);
  if (leaving.isClientGone) return await money.settle({ ...metered, outcome: "cancelled", status: clientLeft, sent });
  const settled = money.settle({ ...metered, outcome: "completed", status: 200, sent });
  showAnswer(delivery, answer.body, false);
  const charged = formatUsd(money.chargedNanos ?? 0n);
  const body = showsCost === true ? withCost(answer.body, charged) : answer.body;
  if (!call.answer.begun) {
    call.answer.setHeader(headers.cost, charged);
    call.answer.begin(200, {
      "content-type": answer.contentType ?? "application/json; charset=utf-8",
      "content-length": String(body.length),
    });
  }
  call.answer.end(body);
  await settled;
}

/**
 * Completes a task, with signs of life for the client meanwhile. A task that failed, or a file that cannot be fetched,
 * counts against the channel.
 */
async function finish(
  { deps, call, waiting, forward, attempted, leaving }: Delivery,
  { exchange, task }: { readonly exchange: Exchange; readonly task: StartedTask },
): Promise<WholeAnswer> {
  using _waiting = keepWaiting(call.answer, waiting, deps.limits.heartbeatMs);
  try {
    const signal = leaving.ended;
    return await task.finish(vendorLink(deps, call, forward, { route: attempted.route, exchange, signal }));
  } catch (error) {
    const { code, status } = asFailure(error);
    if (status >= 500 && code.startsWith("upstream_") && !leaving.ended.aborted) attempted.broke(code);
    throw error;
  }
}
