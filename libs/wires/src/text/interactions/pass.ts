import { failureFrames, isAgent, type Units } from "@modelgate/contracts";
import {
  asRecord,
  isRecord,
  type JsonRecord,
  changeMember,
  findMember,
  spliceInTurns,
  findMembersInTurns,
  memberInTurns,
} from "@modelgate/formats/json";
import { replaceFrameJson, parseFrameRecord, keepAlive } from "@modelgate/formats/sse";
import { reportedFees } from "../fees.ts";
import { fitThinkingLevel } from "../hub/gemini.ts";
import type { EarlyEnd, SeenFrame, TextPass } from "../pass.ts";
import { textFrom, frameIncludes, memberOf, plainFrame, renameAt, memberTextReader, withEcho } from "../pass.ts";
import { callsOfStep, interactionsFees, interactionsUsage, renderUsage } from "./usage.ts";
import { endingOf, failedStatuses, stepsOfAnswer } from "./vendor-answer.ts";
import { failureOf } from "./vendor-stream.ts";

const deltaBytes = Buffer.from('"delta"');
const interactionBytes = Buffer.from('"interaction');

/** Matches frames that end the stream, report usage, or show a tool that the vendor ran. */
const isNotable = frameIncludes('"interaction.completed"', '"error"', '"step.stop"', '_call"');

/** Forwarder of interactions. The vendor stores only those of agents; the gateway stores all others itself. */
export const interactionsPass: TextPass = {
  // oxlint-disable-next-line require-yield
  *accepts(body, model) {
    return isAgent(model) === hasAgent(body);
  },

  outputLimitOrder: () => [],

  /** Sets the output limit. Agents do not accept one. */
  *withOutputLimit(body, tokens) {
    yield* findMembersInTurns(body);
    if (hasAgent(body)) return body;
    const config = yield* memberInTurns(body, "generation_config");
    const limited = { ...asRecord(config), max_output_tokens: tokens };
    return yield* spliceInTurns(body, { generation_config: JSON.stringify(limited) });
  },

  /**
   * Returns the request with the vendor's model name. Agents run only in the background, for which the vendor must
   * store the answer.
   */
  *upstreamBody(body, { model }) {
    yield* findMembersInTurns(body);
    const agent = hasAgent(body);
    const nameMember = model === undefined ? {} : { [agent ? "agent" : "model"]: JSON.stringify(model) };
    return yield* spliceInTurns(body, {
      ...nameMember,
      ...(agent ? { background: "true", store: "true" } : { store: "false" }),
    });
  },

  fit: (body, { model }) => fitThinkingLevel(body, model, [["generation_config", "thinking_level"]]),

  inspect(frame) {
    const event = isNotable(frame) ? parseFrameRecord(frame) : undefined;
    return event === undefined ? plainFrame : inspectEvent(event);
  },
  dropsForeignSignatures: false,
  endsWithConnection: false,

  renameFrame: (frame, model) =>
    changeInteraction(frame, (json) => renameAnswer(json, ["interaction", "model"], ["interaction", "agent"], model)),
  renameAnswer: (answer, model) => renameAnswer(answer, ["model"], ["agent"], model),
  echoFrame: (frame, echo) =>
    changeInteraction(frame, (json) => {
      if (findMember(json, "interaction") !== undefined)
        return changeMember(json, "interaction", (interaction) => withEcho(interaction, echo));
      return changeMember(json, "interaction_id", () => JSON.stringify(echo["id"]));
    }),
  echoAnswer: withEcho,

  usage(answer) {
    stepsOfAnswer(answer);
    return interactionsUsage(answer["usage"]);
  },
  fees: interactionsFees,

  extractRawText: textFrom(deltaBytes),
  extractText: memberTextReader(["text", "arguments"]),
  showsReasoning: frameIncludes('"thought'),

  failureFrame: failureFrames.interactions,
  heartbeat: keepAlive,
  earlyEnd: endInteractionEarly,
};

function hasAgent(body: Buffer): boolean {
  return typeof memberOf(body, "agent") === "string";
}

function renameAnswer(json: Buffer, model: readonly string[], agent: readonly string[], name: string): Buffer {
  return renameAt(renameAt(json, model, name), agent, name);
}

function changeInteraction(frame: Buffer, change: (json: Buffer) => Buffer): Buffer {
  return frame.includes(interactionBytes) ? replaceFrameJson(frame, change) : frame;
}

function inspectEvent(event: JsonRecord): SeenFrame {
  const { event_type: type, interaction, step, usage } = event;
  if (type === "error") return { ...plainFrame, failure: failureOf(event) };
  if (type === "step.stop") return { ...plainFrame, usage: interactionsUsage(usage) };
  if (type === "step.start" && isRecord(step))
    return { ...plainFrame, fees: reportedFees({ calls: callsOfStep(step) }) };
  if (type !== "interaction.completed" || !isRecord(interaction)) return plainFrame;
  return {
    usage: interactionsUsage(interaction["usage"]),
    fees: interactionsFees(interaction),
    usageOnly: false,
    done: true,
    failure: failedStatuses.has(interaction["status"]) ? failureOf(interaction) : undefined,
  };
}

/** Stops the open steps, and completes the interaction with the status `incomplete`. */
function endInteractionEarly(): EarlyEnd {
  let created: JsonRecord | undefined;
  const open = new Set<unknown>();
  const emit = (type: string, members: JsonRecord): string =>
    `event: ${type}\ndata: ${JSON.stringify({ event_type: type, ...members })}\n\n`;
  return {
    recordFrame(frame) {
      const event = mayChangeSteps(frame) ? parseFrameRecord(frame) : undefined;
      const { event_type: type, index, interaction } = event ?? {};
      if (type === "interaction.created" && isRecord(interaction)) created = interaction;
      if (type === "step.start") open.add(index);
      if (type === "step.stop") open.delete(index);
    },
    frames(used: Units) {
      if (created === undefined) return undefined;
      const interaction = { ...created, status: endingOf("length").status, usage: renderUsage(used) };
      return [
        ...[...open].map((index) => emit("step.stop", { index })),
        emit("interaction.completed", { interaction }),
      ];
    },
  };
}

const mayChangeSteps = frameIncludes('"interaction.created"', '"step.start"', '"step.stop"');
