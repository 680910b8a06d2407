import type { IncomingHttpHeaders } from "node:http";
import { memberOf } from "../checks/members.ts";
import { Refusal } from "../checks/refusal.ts";
import { headerOf } from "../vendor.ts";

/** Fields that the vendor takes of those only who ask for the beta that they belong to, by how its name begins. */
const betaOf: Readonly<Record<string, string>> = { context_management: "context-management-" };

/** Refuses a beta's field where the header does not ask for that beta. */
export function demandBetas(body: unknown, headers: IncomingHttpHeaders): void {
  const asked = headerOf(headers, "anthropic-beta").split(",");
  for (const [field, beta] of Object.entries(betaOf))
    if (memberOf(body, field) !== undefined && !asked.some((name) => name.trim().startsWith(beta)))
      throw new Refusal(400, `There is no parameter '${field}'.`, { path: [field], problem: "unknown" });
}
