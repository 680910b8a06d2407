// JSON as bytes: bounded scans and parsing in turns, splicing, members that parsers may read in two ways.
export { parsePlain, refuseAmbiguous, refuseDuplicatesInTurns } from "./ambiguous.ts";
export { runToEnd, includesAny, maxStepBytes, type JsonBounds } from "./scan.ts";
export { decodeBase64 } from "./base64.ts";
export { readEndUser, isRecord, parseRecord, readQueryInteger, type JsonRecord } from "./fields.ts";
export { findMembersInTurns, parseInTurns, scanInTurns } from "./parse-in-turns.ts";
export { stringifyInTurns } from "./stringify-in-turns.ts";
export { bodyReader, firstProblem } from "./problem.ts";
export { membersOf, spliceMembers, withoutMembers } from "./members.ts";
