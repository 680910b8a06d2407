import { memberOf, changeMember, findMember, spliceMembers } from "@modelgate/formats/json";
import { replaceFrameJson } from "@modelgate/formats/sse";

const openBrace = 0x7b;
const usageMember = '"usage":';

/** Returns true if the request has OpenRouter's `usage: {include: true}`. */
export function isCostRequested(body: object): boolean {
  return memberOf(memberOf(body, "usage"), "include") === true;
}

/** Adds the cost in US dollars to the `usage` of an answer, or of an event's `response`. */
export function addCost(answer: Buffer, cost: string): Buffer {
  const isObject = (json: Buffer): boolean => json[0] === openBrace;
  if (findMember(answer, "usage") !== undefined)
    return changeMember(answer, "usage", (usage) => (isObject(usage) ? spliceMembers(usage, { cost }) : usage));
  return changeMember(answer, "response", (response) => (isObject(response) ? addCost(response, cost) : response));
}

export function addCostToFrames(frames: Buffer | string, cost: string): Buffer | string {
  const text = frames.toString();
  if (!text.includes(usageMember)) return frames;
  return text
    .split(/(?<=\n\n)/)
    .map((frame) =>
      frame.includes(usageMember)
        ? replaceFrameJson(Buffer.from(frame), (json) => addCost(json, cost)).toString()
        : frame,
    )
    .join("");
}
