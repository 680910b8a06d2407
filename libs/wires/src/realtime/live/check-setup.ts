import { Failure } from "@modelgate/contracts";
import { isRecord, type JsonRecord } from "../../json/fields.ts";
import { camel, recordsIn } from "./message.ts";

/** Rights of a session's setup. */
interface SetupRules {
  /** Tells whether the session may have tools that its vendor runs. */
  readonly vendorTools: boolean;
}

/**
 * A client's setup as it may go on: without the wish for handles, which are not given out. Throws Failure for a handle,
 * since it names what another session, perhaps another account's, left with the vendor; and for tools without a price.
 */
export function checkedSetup(setup: JsonRecord, { vendorTools }: SetupRules): JsonRecord {
  const { sessionResumption, ...rest } = setup;
  const wish = isRecord(sessionResumption) ? camel(sessionResumption) : {};
  if ((wish["handle"] ?? "") !== "")
    throw unsupported(
      "setup.sessionResumption.handle",
      "Sessions cannot be resumed through this gateway: begin a new one, and send its history as clientContent.",
    );
  const tools = toolsIn(setup);
  const named = tools.flatMap((tool) => Object.keys(tool)).find((name) => name !== "functionDeclarations");
  if (named !== undefined && !vendorTools)
    throw unsupported(
      "setup.tools",
      `setup.tools has ${named}, which the vendor runs, and this model has no price for it. Leave it out, or ask the operator to let it pass.`,
    );
  return tools.length === 0 ? rest : { ...rest, tools };
}

/** Tells whether a client wants handles with which its session can be resumed. */
export function wantsHandles({ sessionResumption }: JsonRecord): boolean {
  return isRecord(sessionResumption);
}

/** The tools of a setup, their members in camelCase. */
export function toolsIn({ tools }: JsonRecord): readonly JsonRecord[] {
  return recordsIn(tools, "setup.tools");
}

/** Tells whether the client ends its turns itself. */
export function hasOwnTurns(setup: JsonRecord): boolean {
  const config = recordAt(setup, "realtimeInputConfig");
  return recordAt(config, "automaticActivityDetection")["disabled"] === true;
}

/** A member that is an object, its members in camelCase; empty where there is none. */
export function recordAt(value: JsonRecord, name: string): JsonRecord {
  const found = value[name];
  return isRecord(found) ? camel(found) : {};
}

/** The answer to a client that wants handles: the format's own message for none. */
export const noHandles = { sessionResumptionUpdate: { resumable: false } };

function unsupported(param: string, say: string): Failure {
  return new Failure("unsupported_parameter", say, { param });
}
