import { Failure } from "@modelgate/contracts";
import { checkJson } from "@modelgate/relay";
import type { Deps } from "./deps.ts";
import type { SessionFormat } from "./session-format.ts";

/** Checks a large client event before it is parsed. Rejects with Failure request_too_large or invalid_json. */
export async function checkEvent(
  data: Buffer,
  { isPlainAudio }: Pick<SessionFormat, "isPlainAudio">,
  { limits, body }: { readonly limits: EventLimits; readonly body: Pick<Deps["body"], "depth"> },
): Promise<void> {
  if (isPlainAudio(data)) return;
  const { eventBytes, eventValues: values, eventMembers: members } = limits;
  if (data.length > eventBytes)
    throw new Failure("request_too_large", `An event other than audio may have at most ${eventBytes} bytes.`);
  await checkJson(data, { depth: body.depth, values, members });
}

/** Limits of an event that contains more than audio. */
export type EventLimits = Pick<Deps["limits"], "eventBytes" | "eventValues" | "eventMembers">;
