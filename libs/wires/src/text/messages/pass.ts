import { isRecord } from "../../json/fields.ts";
import { spliceMembers } from "../../json/splice.ts";
import { envelopeMark } from "../hub/seals.ts";
import { plainFrame, type PassCodec } from "../pass.ts";
import { changeJson, jsonOf, memberOf, renameAt } from "../pass-json.ts";
import { wordsIn } from "../written-words.ts";
import { endMessageEarly } from "./early-end.ts";
import { takesAdaptiveOnly } from "./generations.ts";
import { hasUnsealedLoop } from "./thinking.ts";
import { messagesUsage } from "./usage.ts";
import { failureFrame, ping } from "./writer.ts";

const usageWord = Buffer.from('"usage"');
const modelWord = Buffer.from('"model"');
const deltaWord = Buffer.from('"delta"');
const callWord = Buffer.from('"tool_use"');
const enabledWord = Buffer.from('"enabled"');
const blockWord = Buffer.from('"content_block"');

/** First lines of the events that are most of a stream and say nothing to the gateway. */
const quietLines = ["content_block_delta", "content_block_stop", "content_block_start", "ping"].map((type) =>
  Buffer.from(`event: ${type}\n`),
);

/** Messages, passed through. */
export const messagesPass: PassCodec = {
  /** With a budget for thoughts, turns that call tools must begin with thoughts that this vendor signed. */
  takes(body, model) {
    if (takesAdaptiveOnly(model) || !body.includes(callWord) || !body.includes(enabledWord)) return true;
    const thinking = memberOf(body, "thinking");
    return !isRecord(thinking) || thinking["type"] !== "enabled" || !hasForeignLoop(memberOf(body, "messages"));
  },

  upstreamBody(body, { model }) {
    const own = withoutForeignSeals(body);
    return model === undefined ? own : renameAt(own, ["model"], model);
  },

  /** The end tells the output; what it leaves out of the input stands in the beginning. */
  see(frame, before) {
    if (quietLines.some((line) => frame.subarray(0, line.length).equals(line))) return plainFrame;
    const event = jsonOf(frame);
    if (event === undefined) return plainFrame;
    const { type, message } = event;
    const report = type === "message_delta" ? event["usage"] : isRecord(message) ? message["usage"] : undefined;
    return {
      usage: messagesUsage(report, before),
      usageOnly: false,
      done: type === "message_stop",
      failed: type === "error",
    };
  },
  endsWithConnection: false,

  renameFrame: (frame, model) =>
    frame.includes(modelWord) ? changeJson(frame, (json) => renameAt(json, ["message", "model"], model)) : frame,
  renameAnswer: (answer, model) => renameAt(answer, ["model"], model),

  answerUsage: (answer) => (answer.includes(usageWord) ? messagesUsage(memberOf(answer, "usage")) : undefined),

  written(frame) {
    const delta = frame.indexOf(deltaWord);
    const at = delta < 0 ? frame.indexOf(blockWord) : delta;
    return at < 0 ? "" : frame.toString("utf8", at, frame.lastIndexOf(0x7d));
  },
  wordsOf: wordsIn,

  failureFrame,
  heartbeat: ping,
  earlyEnd: endMessageEarly,
};

/**
 * The body without thoughts that carry the gateway's signatures: parts of this conversation were with vendors of other
 * wires, and this one refuses what it did not sign. The same bytes where there are none.
 */
function withoutForeignSeals(body: Buffer): Buffer {
  const messages = body.includes(envelopeMark) ? memberOf(body, "messages") : undefined;
  if (!Array.isArray(messages)) return body;
  const kept = messages.flatMap((message: unknown) => {
    if (!isRecord(message) || !Array.isArray(message["content"])) return [message];
    const content = message["content"].filter((block: unknown) => !isForeign(block));
    if (content.length === message["content"].length) return [message];
    return content.length > 0 ? [{ ...message, content }] : [];
  });
  const changed = kept.length < messages.length || kept.some((message, index) => message !== messages[index]);
  return changed ? spliceMembers(body, { messages: JSON.stringify(kept) }) : body;
}

/** Whether, since the user's last own words, a turn calls tools and begins with no thoughts of this vendor's. */
function hasForeignLoop(messages: unknown): boolean {
  if (!Array.isArray(messages)) return false;
  return hasUnsealedLoop(
    messages.filter(isRecord).map(({ role, content }) => ({
      role: role === "assistant" ? "assistant" : "user",
      content: Array.isArray(content) ? content.filter(isRecord).filter((block) => !isForeign(block)) : [],
    })),
  );
}

function isForeign(block: unknown): boolean {
  if (!isRecord(block)) return false;
  const { type, signature, data } = block;
  const sealed = type === "thinking" ? signature : type === "redacted_thinking" ? data : undefined;
  return typeof sealed === "string" && sealed.startsWith(envelopeMark);
}
