// Functions for JSON as bytes. They scan, parse and change large documents in steps, between which other work runs.
export { inBothSpellings, parsePlain, refuseAmbiguous, refuseDuplicatesInTurns } from "./ambiguous.ts";
export { Base64Text, decodeBase64, includesMatch } from "./base64.ts";
export { findValueRange, refuseAmbiguousPath, replaceRange } from "./byte-range.ts";
export { asRecord, asRecords, asText, camelName, Fields, hasAny, isRecord, memberOf, ownEntry } from "./fields.ts";
export { invalidFailure, missingFailure, parseJson, parseRecord, readEndUser, readQueryInteger } from "./fields.ts";
export { splitWords, type JsonRecord } from "./fields.ts";
export { changeMember, findMember, membersOf, parseMember, spliceMembers, withoutMembers } from "./members.ts";
export {
  changeInTurns,
  findMembersInTurns,
  memberInTurns,
  parseInTurns,
  scanInTurns,
  spliceInTurns,
} from "./parse-in-turns.ts";
export { bodyReader, firstProblem } from "./problem.ts";
export { includesAny, maxStepBytes, runToEnd, type JsonBounds } from "./scan.ts";
export { joinInTurns, stringifyInTurns } from "./stringify-in-turns.ts";
