import { bodies } from "@modelgate/contracts";
import { Compile } from "typebox/compile";
import type { Ask } from "../../kind/ask.ts";
import { readChecked } from "../../kind/read-checked.ts";
import { askOfModeration } from "../hub/ask.ts";
import type { ModerationRequest } from "../hub/request.ts";
import { parseRequest } from "./parse-request.ts";

/** The members that decide what a call may do and cost. */
export const reliedOfModerations = Object.keys(bodies.ModerationsRequest.properties);

const shape = Compile(bodies.ModerationsRequest);

/** Checks a moderations request and says what the gateway must know. Throws Failure (400) naming the field. */
export function askOfModerations(body: unknown): Ask<ModerationRequest> {
  return askOfModeration(readChecked(body, shape, parseRequest));
}
