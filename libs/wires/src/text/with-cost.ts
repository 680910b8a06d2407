import { membersOf } from "../json/members.ts";
import { spliceMembers } from "../json/splice.ts";
import { isRecord } from "../json/fields.ts";
import { changeJson } from "./pass-json.ts";

const usageWord = '"usage":';

/** Whether a request asks for its cost in the usage of its answer, as OpenRouter's clients do: `usage: {include: true}`. */
export function wantsCost(body: object): boolean {
  const usage = "usage" in body ? body.usage : undefined;
  return isRecord(usage) && usage["include"] === true;
}

/** The same answer with its cost, in US dollars as JSON has numbers, in its `usage`; one without usage stays as it is. */
export function withCost(answer: Buffer, cost: string): Buffer {
  const usage = membersOf(answer).findLast(({ name }) => name === "usage");
  if (usage === undefined || answer[usage.start] !== 0x7b) return answer;
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
