import { isRecord } from "../../json/fields.ts";
import { spliceMembers } from "../../json/splice.ts";
import { plainFrame, type PassCodec } from "../pass.ts";
import { changeJson, jsonOf, memberOf, renameAt } from "../pass-json.ts";
import { wordsIn } from "../written-words.ts";
import { endResponseEarly } from "./early-end.ts";
import { responsesUsage } from "./usage.ts";

const usageWord = Buffer.from('"usage"');
const modelWord = Buffer.from('"model"');
const deltaWord = Buffer.from('"delta"');
const sequenceWord = Buffer.from('"sequence_number":');
const terminals = ["response.completed", "response.incomplete", "response.failed", "error"].map((type) => ({
  line: Buffer.from(`event: ${type}\n`),
  type,
}));

/** Responses, passed through. */
export const responsesPass: PassCodec = {
  upstreamBody: (body, { model }) => (model === undefined ? body : renameAt(body, ["model"], model)),

  /** Only the terminal events are read; the others are told by their first line. */
  see(frame) {
    const sequence = sequenceOf(frame);
    if (!mayBeTerminal(frame)) return { ...plainFrame, sequence };
    const event = jsonOf(frame);
    const type = event?.["type"];
    if (event === undefined || !terminals.some((terminal) => terminal.type === type))
      return { ...plainFrame, sequence };
    const response = event["response"];
    return {
      usage: isRecord(response) ? responsesUsage(response["usage"]) : undefined,
      usageOnly: false,
      done: type === "response.completed" || type === "response.incomplete",
      failed: type === "response.failed" || type === "error",
      sequence,
    };
  },
  endsWithConnection: false,

  renameFrame: (frame, model) =>
    frame.includes(modelWord) ? changeJson(frame, (json) => renameAt(json, ["response", "model"], model)) : frame,
  renameAnswer: (answer, model) => renameAt(answer, ["model"], model),

  answerUsage: (answer) => (answer.includes(usageWord) ? responsesUsage(memberOf(answer, "usage")) : undefined),

  written(frame) {
    const at = frame.indexOf(deltaWord);
    return at < 0 ? "" : frame.toString("utf8", at, frame.lastIndexOf(0x7d));
  },
  wordsOf: wordsIn,

  failureFrame({ code, message }, _requestId, sequence = -1) {
    const event = { type: "error", code, message, param: null, sequence_number: sequence + 1 };
    return `event: error\ndata: ${JSON.stringify(event)}\n\n`;
  },
  heartbeat: ": keep-alive\n\n",
  earlyEnd: endResponseEarly,
};

/** The body with members replaced: what a conversation kept by the gateway changes of it. */
export function changeResponsesBody(body: Buffer, values: Readonly<Record<string, unknown>>): Buffer {
  return spliceMembers(
    body,
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, JSON.stringify(value)])),
  );
}

/** A frame may begin with other fields or use other line ends; then its JSON has the last word. */
function mayBeTerminal(frame: Buffer): boolean {
  const usual = frame.indexOf("event: response.") === 0;
  if (!usual) return true;
  return terminals.some(({ line }) => frame.subarray(0, line.length).equals(line)) || frame.includes(0x0d);
}

function sequenceOf(frame: Buffer): number | undefined {
  const at = frame.indexOf(sequenceWord);
  if (at < 0) return undefined;
  const number = Number.parseInt(frame.toString("latin1", at + sequenceWord.length, at + sequenceWord.length + 16), 10);
  return Number.isNaN(number) ? undefined : number;
}
