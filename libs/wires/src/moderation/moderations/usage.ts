import type { Units } from "@modelgate/contracts";
import type { JsonRecord } from "../../json/fields.ts";
import { chatUsage } from "../../text/chat/usage.ts";

/** The wire has no usage, but some of its vendors report it, as in chat; undefined without. */
export function readUsage({ usage }: JsonRecord): Units | undefined {
  return chatUsage(usage);
}
