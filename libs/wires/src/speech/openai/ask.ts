import { bodies } from "@modelgate/contracts";
import { Compile } from "typebox/compile";
import { readChecked } from "../../kind/index.ts";
import type { SpeechRequest } from "../hub/request.ts";
import { parseRequest } from "./parse-request.ts";

/** The members that decide what a call may do and cost. */
export const reliedOfSpeech = Object.keys(bodies.SpeechRequest.properties);

const shape = Compile(bodies.SpeechRequest);

/** Checks a request for speech and gives its neutral form. Throws Failure (400) naming the field. */
export function askOfSpeech(body: unknown): SpeechRequest {
  return readChecked(body, shape, parseRequest).request;
}
