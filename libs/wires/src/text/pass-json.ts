import { membersOf } from "../json/members.ts";
import { spliceMembers } from "../json/splice.ts";

/** JSON bytes under another name of the model; `path` leads to the member, and what is not there stays absent. */
export function renameAt(json: Buffer, path: readonly string[], model: string): Buffer {
  const [name, ...rest] = path;
  const member = name === undefined ? undefined : membersOf(json).findLast((each) => each.name === name);
  if (name === undefined || member === undefined) return json;
  if (rest.length === 0) return spliceMembers(json, { [name]: JSON.stringify(model) });
  const inner = renameAt(json.subarray(member.start, member.end), rest, model);
  return spliceMembers(json, { [name]: inner });
}

/** A member of a whole answer, wherever it stands in it: the same word may stand in what the model wrote. */
export function memberOf(answer: Buffer, name: string): unknown {
  try {
    const member = membersOf(answer).findLast((each) => each.name === name);
    return member === undefined ? undefined : JSON.parse(answer.toString("utf8", member.start, member.end));
  } catch {
    return undefined;
  }
}
