import { useQuery } from "@tanstack/react-query";
import { get } from "../api/client.ts";
import type { Role, Session } from "../api/types.ts";
import { operatorRoles } from "../api/words.ts";

/**
 * Returns whether the person has at least this role. For a member of an account, returns false unless `asMember` is "as
 * a member too".
 */
export function usePermission(
  role: Role,
  asMember: "as a member too" | "of all accounts" = "of all accounts",
): boolean {
  const { data } = useQuery({ queryKey: ["session"], queryFn: () => get("/session") });
  if (data === undefined || operatorRoles.indexOf(data.role) < operatorRoles.indexOf(role)) return false;
  return data.account === null || asMember === "as a member too";
}

/** Returns the organisation of a person; undefined for others. */
export function organisationOf({ account }: Session): string | undefined {
  return /^organisation:(.*)$/.exec(account ?? "")?.[1];
}

/** Returns whether the person belongs to an organisation. */
export function useIsOfOrganisation(): boolean {
  const { data } = useQuery({ queryKey: ["session"], queryFn: () => get("/session") });
  return data !== undefined && organisationOf(data) !== undefined;
}
