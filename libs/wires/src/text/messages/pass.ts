import { failureFrames } from "@modelgate/contracts";
import {
  asRecord,
  memberOf,
  isRecord,
  type JsonRecord,
  includesAny,
  findMembersInTurns,
  memberInTurns,
  membersOf,
  parseMember,
  spliceInTurns,
  stringifyInTurns,
  withoutMembers,
} from "@modelgate/formats/json";
import { replaceFrameJson, parseFrameRecord } from "@modelgate/formats/sse";
import { billingPrefix, isBillingLine } from "../dialogue.ts";
import { reportedFees, type RequestedTool } from "../fees.ts";
import { adaptiveModel } from "../hub/claude.ts";
import { isEffective } from "../hub/openai-models.ts";
import { hasCallWithoutReasoning } from "../hub/paired-messages.ts";
import { envelopeBytes, envelopePrefix } from "../hub/signatures.ts";
import { normalizeMediaTypes } from "../hub/sources.ts";
import { withoutUnpriced } from "../leave-out.ts";
import type { FittedBody, PassTarget, SeenFrame, TextPass, EarlyEnd } from "../pass.ts";
import { textFrom, frameIncludes, indexOfFirst, plainFrame, renameAt, memberTextReader } from "../pass.ts";
import { ping, renderSseEvent } from "./client-stream.ts";
import { callOfBlock, isRunBy, messagesFees, chargedUsage, renderUsage, requestedFees } from "./usage.ts";
import { blocksOf, stopReasonOf } from "./vendor-answer.ts";
import { failureOf } from "./vendor-stream.ts";
import { messagesBlocks } from "./vendor-turns.ts";

const readDeltaText = memberTextReader(["text", "thinking", "partial_json", "name"]);

const modelBytes = Buffer.from('"model"');
const deltaBytes = Buffer.from('"delta"');
const callBytes = Buffer.from('"tool_use"');
const enabledBytes = Buffer.from('"enabled"');
const sampling: ReadonlySet<string> = new Set(["temperature", "top_p", "top_k"]);
const samplingBytes = [...sampling].map((name) => Buffer.from(`"${name}"`));
const blockBytes = Buffer.from('"content_block"');
const [readDelta, readBlock] = [textFrom(deltaBytes), textFrom(blockBytes)];
const billingBytes = Buffer.from(billingPrefix);
const serverToolBytes = Buffer.from('"server_tool_use"');

const contentType = "content_block_";
/** First lines of the most frequent events. Such an event is parsed only if it contains a vendor's tool. */
const [contentLine, pingLine] = [Buffer.from(`event: ${contentType}`), Buffer.from("event: ping\n")];
const contentFrame: SeenFrame = { ...plainFrame, hasContent: true };

function startsWith(frame: Buffer, line: Buffer): boolean {
  return frame.subarray(0, line.length).equals(line);
}

function* withoutSampling(request: FittedBody): Generator<undefined, FittedBody> {
  const { body } = request;
  if (!(yield* includesAny(body, ...samplingBytes))) return request;
  yield* findMembersInTurns(body);
  const members = membersOf(body);
  const refused = members.map(({ name }) => name).filter((name) => sampling.has(name));
  if (refused.length === 0) return request;
  const dropped = refused.filter((name) => isEffective(name, parseMember(body, name, members)));
  return { body: withoutMembers(body, refused), dropped: [...request.dropped, ...dropped] };
}

/** Removes tools that the vendor cannot run. A request that forces such a tool is unchanged. */
function* withoutForeignTools(request: FittedBody, target: PassTarget): Generator<undefined, FittedBody> {
  const { body } = request;
  const tools = requestedFees({
    tools: yield* memberInTurns(body, "tools"),
    mcp_servers: yield* memberInTurns(body, "mcp_servers"),
  });
  const isSent = (tool: RequestedTool): boolean => isRunBy(target, tool);
  if (tools === undefined || tools.tools.every(isSent)) return request;
  return withoutUnpriced(body, tools, isSent, () => true) ?? request;
}

/** Removes the billing line of Claude Code. Only Anthropic reads it. In other prompts, it would change what is cached. */
function* withoutBillingLine(body: Buffer): Generator<undefined, Buffer> {
  const system = (yield* includesAny(body, billingBytes)) ? yield* memberInTurns(body, "system") : undefined;
  if (!Array.isArray(system)) return body;
  const remaining = system.filter((block: unknown) => !(isRecord(block) && isBillingLine(block["text"])));
  if (remaining.length === system.length) return body;
  if (remaining.length === 0) return withoutMembers(body, ["system"]);
  return yield* spliceInTurns(body, { system: yield* stringifyInTurns(remaining) });
}

export const messagesPass: TextPass = {
  /** Returns false if the model refuses the thinking of the request. */
  *accepts(body, model) {
    const isAdaptive = adaptiveModel(model) !== undefined;
    if (!(yield* includesAny(body, enabledBytes)) || (!isAdaptive && !(yield* includesAny(body, callBytes))))
      return true;
    const thinking = yield* memberInTurns(body, "thinking");
    if (!isRecord(thinking) || thinking["type"] !== "enabled") return true;
    return !isAdaptive && !hasForeignLoop(yield* memberInTurns(body, "messages"));
  },

  outputLimitOrder: () => ["max_tokens"],

  *upstreamBody(body, { model }) {
    const cleanedBody = yield* normalizeMediaTypes(yield* withoutForeignSignatures(body));
    if (model === undefined) return cleanedBody;
    return yield* spliceInTurns(cleanedBody, { model: JSON.stringify(model) });
  },

  /** Removes sampling parameters that the model refuses, and what only Anthropic accepts. */
  *fit(body, target) {
    const isAnthropic = target.isAnthropic === true;
    const accepted = { body: isAnthropic ? body : yield* withoutBillingLine(body), dropped: [] };
    const fitted = isAnthropic ? accepted : yield* withoutForeignTools(accepted, target);
    return adaptiveModel(target.model) === undefined ? fitted : yield* withoutSampling(fitted);
  },

  /** Inspects an event. The last report may leave out input counts that the first event has reported. */
  inspect(frame, before, hadContent = false) {
    const isContent = startsWith(frame, contentLine);
    if ((isContent || startsWith(frame, pingLine)) && !frame.includes(serverToolBytes))
      return isContent ? contentFrame : plainFrame;
    const event = parseFrameRecord(frame);
    if (isContent) return { ...contentFrame, fees: reportedFees({ calls: callOfBlock(event?.["content_block"]) }) };
    if (event === undefined) return plainFrame;
    const { type, message } = event;
    const report = type === "message_delta" ? event["usage"] : memberOf(message, "usage");
    return {
      usage: chargedUsage(
        report,
        { stopReason: memberOf(event["delta"], "stop_reason"), hasContent: hadContent },
        before,
      ),
      hasContent: typeof type === "string" && type.startsWith(contentType) ? true : undefined,
      fees: messagesFees(report),
      usageOnly: false,
      done: type === "message_stop",
      failure: type === "error" ? failureOf(asRecord(event["error"])) : undefined,
    };
  },
  /** Matches all events except deltas of text and reasoning. */
  indexOfNotable: indexOfFirst("message_", "content_block_st", 'usage"', 'error"', 'server_tool_use"'),
  dropsForeignSignatures: true,
  endsWithConnection: false,

  renameFrame: (frame, model) =>
    frame.includes(modelBytes) ? replaceFrameJson(frame, (json) => renameAt(json, ["message", "model"], model)) : frame,
  renameAnswer: (answer, model) => renameAt(answer, ["model"], model),

  usage(answer) {
    const hasContent = blocksOf(answer).length > 0;
    return chargedUsage(answer["usage"], { stopReason: answer["stop_reason"], hasContent });
  },
  fees(answer) {
    const calls = blocksOf(answer).flatMap(callOfBlock);
    return reportedFees({ ...messagesFees(answer["usage"]), calls });
  },

  extractRawText: (frame) => readDelta(frame) || readBlock(frame),
  extractText: readDeltaText,
  showsReasoning: frameIncludes('"thinking'),

  failureFrame: failureFrames.messages,
  heartbeat: ping,
  earlyEnd: endMessageEarly,
};

/** Removes reasoning in the gateway's envelopes, because the vendor refuses it. */
function* withoutForeignSignatures(body: Buffer): Generator<undefined, Buffer> {
  const messages = (yield* includesAny(body, envelopeBytes)) ? yield* memberInTurns(body, "messages") : undefined;
  if (!Array.isArray(messages)) return body;
  const ownMessages = messages.flatMap((message: unknown) => {
    if (!isRecord(message) || !Array.isArray(message["content"])) return [message];
    const content = message["content"].filter((block: unknown) => !isForeign(block));
    if (content.length === message["content"].length) return [message];
    return content.length > 0 ? [{ ...message, content }] : [];
  });
  const hasChanged =
    ownMessages.length < messages.length || ownMessages.some((message, index) => message !== messages[index]);
  return hasChanged ? yield* spliceInTurns(body, { messages: yield* stringifyInTurns(ownMessages) }) : body;
}

function hasForeignLoop(messages: unknown): boolean {
  if (!Array.isArray(messages)) return false;
  return hasCallWithoutReasoning(
    messages.filter(isRecord).map(({ role, content }) => ({
      role: role === "assistant" ? "assistant" : "user",
      content: Array.isArray(content) ? content.filter(isRecord).filter((block) => !isForeign(block)) : [],
    })),
    messagesBlocks,
  );
}

function isForeign(block: unknown): boolean {
  if (!isRecord(block)) return false;
  const { type, signature, data } = block;
  const signed = type === "thinking" ? signature : type === "redacted_thinking" ? data : undefined;
  return typeof signed === "string" && signed.startsWith(envelopePrefix);
}

/** First lines of frequent events that neither open nor close a block. */
const unchangingLines = ["event: content_block_delta\n", "event: ping\n"].map((line) => Buffer.from(line));

function endMessageEarly(): EarlyEnd {
  let hasStarted = false;
  let finished = false;
  let open: unknown;
  return {
    recordFrame(bytes) {
      if (unchangingLines.some((line) => bytes.subarray(0, line.length).equals(line))) return;
      const event = parseFrameRecord(bytes);
      const type = event?.["type"];
      if (type === "message_start") hasStarted = true;
      else if (type === "content_block_start") open = event?.["index"];
      else if (type === "content_block_stop") open = undefined;
      else if (type === "message_delta") finished = true;
    },
    frames(used) {
      if (!hasStarted) return undefined;
      const event = (type: string, members: JsonRecord = {}): string =>
        renderSseEvent(type, JSON.stringify({ type, ...members }));
      const delta = { stop_reason: stopReasonOf("length", false), stop_sequence: null };
      return [
        ...(open === undefined ? [] : [event("content_block_stop", { index: open })]),
        ...(finished ? [] : [event("message_delta", { delta, usage: renderUsage(used) })]),
        event("message_stop"),
      ];
    },
  };
}
