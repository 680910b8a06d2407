// JSON as bytes: bounded scans and parsing in turns, splicing, members that parsers may read in two ways.
export { refuseAmbiguous } from "./ambiguous.ts";
export { atOnce } from "./at-once.ts";
export { decodeBase64 } from "./base64.ts";
export { endUserIn } from "./end-user.ts";
export { holdsAny } from "./holds.ts";
export { findMembersInTurns, parseInTurns, scanInTurns } from "./parse-in-turns.ts";
export { turnBytes, type JsonBounds } from "./scan.ts";
export { stringifyInTurns } from "./stringify-in-turns.ts";
export { firstProblem } from "./problem.ts";
export { bodyReader } from "./body-reader.ts";
export { spliceMembers } from "./splice.ts";
export { refuseTwice, refuseTwiceInTurns } from "./twice.ts";
export { withoutMembers } from "./without-members.ts";
export { isRecord, type JsonRecord } from "./fields.ts";
export { parseRecord } from "./parse-record.ts";
export { wholeNumberIn } from "./whole-number.ts";
