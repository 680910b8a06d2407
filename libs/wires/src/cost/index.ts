import { isRecord } from "../json/fields.ts";
import { membersOf, spliceMembers } from "../json/members.ts";
import { changeJson } from "../sse/decode.ts";

const openBrace = 0x7b;

const usageWord = '"usage":';

/** Whether a request asks for its cost in the usage of its answer, as OpenRouter's clients do: `usage: {include: true}`. */
export function wantsCost(body: object): boolean {
  const usage = "usage" in body ? body.usage : undefined;
  return isRecord(usage) && usage["include"] === true;
}

/**
 * The same answer with its cost, in US dollars as JSON has numbers, in its `usage`, or that of the `response` which an
 * event shows; one without usage stays as it is.
 */
export function withCost(answer: Buffer, cost: string): Buffer {
  const members = membersOf(answer);
  const usage = members.findLast(({ name }) => name === "usage");
  const response = usage === undefined ? members.findLast(({ name }) => name === "response") : undefined;
  if (response !== undefined && answer[response.start] === openBrace) {
    const shown = answer.subarray(response.start, response.end);
    return spliceMembers(answer, { response: withCost(shown, cost) });
  }
  if (usage === undefined || answer[usage.start] !== openBrace) return answer;
  return spliceMembers(answer, { usage: spliceMembers(answer.subarray(usage.start, usage.end), { cost }) });
}

/** The same frames, of which those that report usage say the cost as well. */
export function framesWithCost(frames: Buffer | string, cost: string): Buffer | string {
  const text = frames.toString();
  if (!text.includes(usageWord)) return frames;
  return text
    .split(/(?<=\n\n)/)
    .map((frame) =>
      frame.includes(usageWord) ? changeJson(Buffer.from(frame), (json) => withCost(json, cost)).toString() : frame,
    )
    .join("");
}
