import { keepAlive, replaceFrameJson, parseFrameRecord } from "@modelgate/formats/sse";
import { failureFrames } from "@modelgate/contracts";
import { isRecord, changeMember, spliceInTurns, memberInTurns, stringifyInTurns } from "@modelgate/formats/json";
import { reportedFees, type ReportedExtraUsage } from "../fees.ts";
import { fitToModel, refusesUnknownFields } from "../hub/openai-models.ts";
import { textFrom, frameIncludes, plainFrame, type TextPass, renameAt, withEcho } from "../pass.ts";
import { endResponseEarly, extractDelta } from "./early-end.ts";
import { callOfItem, responsesFees, responsesUsage } from "./usage.ts";
import { withoutForeignIds } from "./stores.ts";
import { outputOf } from "./vendor-answer.ts";
import { failureOf } from "./vendor-stream.ts";

const responseBytes = Buffer.from('"response"');
const modelBytes = Buffer.from('"model"');
const itemDoneLine = Buffer.from("event: response.output_item.done");
/** Text that the item types of all tools contain. */
const toolCallBytes = Buffer.from('_call"');
const deltaBytes = Buffer.from('"delta"');
const sequenceBytes = Buffer.from('"sequence_number":');
const terminals = ["response.completed", "response.incomplete", "response.failed", "error"].map((type) => ({
  line: Buffer.from(`event: ${type}\n`),
  type,
}));

export const responsesPass: TextPass = {
  outputLimitOrder: () => ["max_output_tokens"],
  refuses: (names, model) => (refusesUnknownFields(model) ? names : []),

  *upstreamBody(body, { model }) {
    if (model === undefined) return body;
    return yield* spliceInTurns(body, { model: JSON.stringify(model) });
  },

  *fit(body, { model, foreignItems }) {
    const accepted = yield* fitToModel(body, model, "responses");
    const input = foreignItems.size === 0 ? undefined : yield* memberInTurns(accepted.body, "input");
    if (!Array.isArray(input)) return accepted;
    const { items, dropped } = withoutForeignIds(input, foreignItems, refusesUnknownFields(model));
    const fitted = yield* spliceInTurns(accepted.body, { input: yield* stringifyInTurns(items) });
    return { body: fitted, dropped: [...accepted.dropped, ...dropped] };
  },

  /** Parses only terminal events and finished tool items, for speed. */
  inspect(frame) {
    const sequence = sequenceOf(frame);
    if (!mayBeTerminal(frame)) return { ...plainFrame, sequence, fees: feesOfItem(frame) };
    const event = parseFrameRecord(frame);
    const type = event?.["type"];
    if (event === undefined || !terminals.some((terminal) => terminal.type === type))
      return {
        ...plainFrame,
        sequence,
        fees: type === "response.output_item.done" ? feesIn(event?.["item"]) : undefined,
      };
    const response = event["response"];
    return {
      usage: isRecord(response) ? responsesUsage(response["usage"]) : undefined,
      fees: isRecord(response) ? responsesFees(response) : undefined,
      usageOnly: false,
      done: type === "response.completed" || type === "response.incomplete",
      failure: type === "response.failed" || type === "error" ? failureOf(event) : undefined,
      sequence,
    };
  },
  dropsForeignSignatures: false,
  endsWithConnection: false,

  renameFrame: (frame, model) =>
    frame.includes(modelBytes)
      ? replaceFrameJson(frame, (json) => renameAt(json, ["response", "model"], model))
      : frame,
  renameAnswer: (answer, model) => renameAt(answer, ["model"], model),
  echoFrame(frame, echo) {
    if (!frame.includes(responseBytes)) return frame;
    return replaceFrameJson(frame, (json) => changeMember(json, "response", (response) => withEcho(response, echo)));
  },
  echoAnswer: withEcho,

  usage(answer) {
    outputOf(answer);
    return responsesUsage(answer["usage"]);
  },
  fees: responsesFees,

  extractRawText: textFrom(deltaBytes),
  extractText: extractDelta,
  showsReasoning: frameIncludes("response.reasoning", '"reasoning'),

  /** Clients such as Codex act on the code in `response.failed`, so that event keeps its form. */
  failureFrame(failure, requestId, sequence, vendorFrame) {
    const event = vendorFrame && parseFrameRecord(vendorFrame);
    if (vendorFrame === undefined || event?.["type"] !== "response.failed")
      return failureFrames.responses(failure, requestId, sequence);
    const error = { code: failureOf(event).code, message: failure.message };
    return replaceFrameJson(vendorFrame, (json) =>
      changeMember(json, "response", (response) => withEcho(response, { error })),
    ).toString();
  },
  heartbeat: keepAlive,
  earlyEnd: endResponseEarly,
};

/** Returns the charge of a finished tool item. It is charged even if the client disconnects before the stream ends. */
function feesOfItem(frame: Buffer): ReportedExtraUsage | undefined {
  if (!frame.subarray(0, itemDoneLine.length).equals(itemDoneLine) || !frame.includes(toolCallBytes)) return undefined;
  return feesIn(parseFrameRecord(frame)?.["item"]);
}

function feesIn(item: unknown): ReportedExtraUsage | undefined {
  return isRecord(item) ? reportedFees({ calls: callOfItem(item) }) : undefined;
}

/** Returns true if a frame may be terminal and must be parsed. A frame with unusual fields or line ends may be. */
function mayBeTerminal(frame: Buffer): boolean {
  const usual = frame.indexOf("event: response.") === 0;
  if (!usual) return true;
  return terminals.some(({ line }) => frame.subarray(0, line.length).equals(line)) || frame.includes(0x0d);
}

function sequenceOf(frame: Buffer): number | undefined {
  const index = frame.indexOf(sequenceBytes);
  if (index < 0) return undefined;
  const number = Number.parseInt(
    frame.toString("latin1", index + sequenceBytes.length, index + sequenceBytes.length + 16),
    10,
  );
  return Number.isNaN(number) ? undefined : number;
}
