// JSON as bytes: bounded scans and parsing in turns, splicing, members that parsers may read in two ways.
export { refuseAmbiguous } from "./ambiguous.ts";
export { atOnce } from "./scan.ts";
export { decodeBase64 } from "./base64.ts";
export { endUserIn } from "./fields.ts";
export { holdsAny } from "./scan.ts";
export { findMembersInTurns, parseInTurns, scanInTurns } from "./parse-in-turns.ts";
export { turnBytes, type JsonBounds } from "./scan.ts";
export { stringifyInTurns } from "./stringify-in-turns.ts";
export { firstProblem } from "./problem.ts";
export { bodyReader } from "./problem.ts";
export { spliceMembers } from "./members.ts";
export { refuseTwice, refuseTwiceInTurns } from "./ambiguous.ts";
export { withoutMembers } from "./members.ts";
export { isRecord, type JsonRecord } from "./fields.ts";
export { parseRecord } from "./fields.ts";
export { wholeNumberIn } from "./fields.ts";
