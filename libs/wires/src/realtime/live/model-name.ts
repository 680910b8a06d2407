import { isRecord, type JsonRecord } from "../../json/fields.ts";
import { liveMessagesOf } from "./message.ts";
import { Failure } from "@modelgate/contracts";
import type { RealtimeMessage } from "../message.ts";

/**
 * The model that a live client's first message names, without the path of its resource: `models/NAME`, or the longer one
 * of a cloud project. Throws Failure where the message is no setup, or names none.
 */
export function modelOfSetup(message: RealtimeMessage): string {
  const [first] = liveMessagesOf(message);
  if (first?.kind !== "setup") throw new Failure("invalid_value", "The first message must be the setup.");
  const name = nameIn(first.setup);
  if (name === undefined)
    throw new Failure("missing_required_parameter", "setup.model is missing.", { param: "setup.model" });
  return name;
}

function nameIn({ model }: JsonRecord): string | undefined {
  if (typeof model !== "string") return undefined;
  const name = /^(?:projects\/[^/]+\/locations\/[^/]+\/)?(?:publishers\/[^/]+\/)?(?:models\/)?(.+)$/s.exec(model)?.[1];
  return name === "" ? undefined : name;
}

/** Whether a value is a vendor's word that a setup was taken. */
export function isSetupComplete(message: JsonRecord): boolean {
  return isRecord(message["setupComplete"]);
}
