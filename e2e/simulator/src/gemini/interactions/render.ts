import type { Behaviour } from "../../behaviour.ts";
import { argumentsOf } from "../../core/requested-calls.ts";
import { answerFor, type Answer } from "../../core/answer.ts";
import { freshId } from "../../core/ids.ts";
import { makeOpaqueData } from "../../core/opaque-data.ts";
import { halvesOf, piecesOf } from "../../core/tokens.ts";
import type { Frame, Streamed } from "../../stream.ts";
import { thoughtDataKind } from "../rules.ts";
import type { InteractionRequest } from "./read.ts";

const statuses: Readonly<Record<string, string>> = {
  stop: "completed",
  tool_calls: "requires_action",
  length: "incomplete",
  failed: "failed",
};

/** Step of an interaction, and the events in which it is streamed. */
interface Written {
  readonly step: object;
  readonly begun: object;
  readonly deltas: readonly object[];
}

function stepsOf({ summaries }: InteractionRequest, answer: Answer, behaviour: Behaviour): readonly Written[] {
  const { thoughts, text, image, calls } = answer;
  const signature = makeOpaqueData(thoughtDataKind, thoughts ?? calls[0]?.name ?? "words");
  const shown = thoughts !== undefined && (summaries || behaviour.reasoning !== undefined) ? thoughts : undefined;
  const summary = shown === undefined ? {} : { summary: [{ type: "text", text: shown }] };
  const shownText = text === undefined || text === "" ? undefined : text;
  const picture = image && { type: "image", mime_type: "image/png", data: image.toString("base64") };
  const content = [
    ...(shownText === undefined ? [] : [{ type: "text", text: shownText }]),
    ...(picture ? [picture] : []),
  ];
  const thought: Written = {
    step: { type: "thought", ...summary, signature },
    begun: { type: "thought" },
    deltas: [
      ...(shown === undefined ? [] : piecesOf(shown)).map((words) => ({
        type: "thought_summary",
        content: { type: "text", text: words },
      })),
      { type: "thought_signature", signature },
    ],
  };
  const output: Written = {
    step: { type: "model_output", content },
    begun: { type: "model_output" },
    deltas: [
      ...(shownText === undefined ? [] : piecesOf(shownText, behaviour.chunks)).map((words) => ({
        type: "text",
        text: words,
      })),
      ...(picture ? [picture] : []),
    ],
  };
  return [
    ...(thoughts !== undefined || calls.length > 0 ? [thought] : []),
    ...(content.length > 0 ? [output] : []),
    ...calls.map((call): Written => {
      const begun = { type: "function_call", id: freshId("fc-"), name: call.name, arguments: {} };
      const deltas = halvesOf(call.arguments).map((half) => ({ type: "arguments_delta", arguments: half }));
      return { step: { ...begun, arguments: argumentsOf(call.arguments) }, begun, deltas };
    }),
  ];
}

/** Renders a complete interaction. */
export function renderInteraction(request: InteractionRequest, behaviour: Behaviour): object {
  const answer = answerFor(request.question, behaviour);
  const steps = stepsOf(request, answer, behaviour).map(({ step }) => step);
  return { ...headOf(request), ...endOf(answer), steps };
}

/** Returns the members of an interaction that has just started. */
export function headOf({ named, tier }: InteractionRequest) {
  const now = new Date().toISOString();
  return {
    id: freshId("v1_"),
    object: "interaction",
    ...named,
    status: "in_progress",
    created: now,
    updated: now,
    ...(tier && { service_tier: tier }),
  };
}

function endOf(answer: Answer): object {
  const usage = renderUsage(answer);
  const status = statuses[answer.finish] ?? "completed";
  const errors = [{ code: "internal", message: "simulated failure" }];
  return { status, ...(usage && { usage }), ...(status === "failed" && { errors }) };
}

/** Renders a streamed interaction. The last event does not repeat the steps. */
export function streamInteraction(
  request: InteractionRequest,
  behaviour: Behaviour,
  head: object & { readonly id: string } = headOf(request),
) {
  const answer = answerFor(request.question, behaviour);
  return {
    frames: (function* (): Generator<Frame> {
      yield event("interaction.created", { interaction: head });
      yield event("interaction.status_update", { interaction_id: head.id, status: "in_progress" });
      for (const [index, { begun, deltas }] of stepsOf(request, answer, behaviour).entries()) {
        yield event("step.start", { index, step: begun });
        for (const delta of deltas) yield event("step.delta", { index, delta }, { content: true });
        yield event("step.stop", { index });
      }
      yield completedFrame({ ...head, ...endOf(answer) });
      yield { event: "done", data: "[DONE]" };
    })(),
    error: (message: string) => event("error", { error: { code: "internal", message } }),
  } satisfies Streamed;
}

function event(event_type: string, members: object, more: Partial<Frame> = {}): Frame {
  return { event: event_type, data: JSON.stringify({ event_type, ...members, event_id: freshId("e_") }), ...more };
}

/** Renders the last event of the stream of an interaction. */
export function completedFrame(interaction: object): Frame {
  return event("interaction.completed", { interaction }, { last: true });
}

/** Returns the usage; undefined if none is reported. In this wire, output tokens exclude reasoning. */
function renderUsage({ counts, usage }: Answer): object | undefined {
  if (usage === null) return undefined;
  if (usage !== undefined) return usage;
  const { inputTokens, cachedTokens, outputTokens, reasoningTokens, imageTokens } = counts;
  const visibleTokens = Math.max(0, outputTokens - reasoningTokens);
  const textCount = { modality: "text", tokens: visibleTokens - imageTokens };
  return {
    total_input_tokens: inputTokens,
    input_tokens_by_modality: [{ modality: "text", tokens: inputTokens }],
    total_cached_tokens: cachedTokens,
    total_output_tokens: visibleTokens,
    output_tokens_by_modality: [textCount, ...(imageTokens > 0 ? [{ modality: "image", tokens: imageTokens }] : [])],
    total_thought_tokens: reasoningTokens,
    total_tool_use_tokens: 0,
    total_tokens: inputTokens + outputTokens,
  };
}
