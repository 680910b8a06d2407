import { Failure } from "@modelgate/contracts";
import type { JsonObject, Parsed } from "@modelgate/wires/text";
import { codecOf, type TextCall } from "./text-call.ts";

/** What the client said, in the neutral form; and as it came, for wires that repeat it. */
export interface ReadRequest {
  readonly asked: JsonObject;
  readonly parsed: Parsed;
}

/** Reads a call's request. Throws Failure (400) for what its client said wrong, request_too_large (413) for its history. */
export function readRequest({ wire, model, stream, echo }: TextCall, asked: JsonObject): ReadRequest {
  const parsed = codecOf({ wire }).client.read(asked, { model, stream });
  refuseLongArguments(parsed.request);
  return { asked: { ...asked, ...echo }, parsed };
}

/** Characters of all calls' arguments in a history that is converted: some wires want them parsed, at once. */
const mostArguments = 2 * 1024 * 1024;

function refuseLongArguments({ turns }: Parsed["request"]): void {
  const parts = turns.flatMap((turn) => turn.parts);
  const characters = parts.reduce((sum, part) => sum + (part.kind === "tool-call" ? part.arguments.length : 0), 0);
  if (characters > mostArguments)
    throw new Failure(
      "request_too_large",
      `The arguments of the calls in the history are longer than ${mostArguments} characters in total.`,
    );
}
