import { useQuery } from "@tanstack/react-query";
import { get } from "../api/client.ts";
import type { Role } from "../api/types.ts";

const roles: readonly Role[] = ["viewer", "operator", "admin"];

/**
 * Returns true if the signed-in person has at least a role. For members of an account, returns true only for actions
 * that are open to members.
 */
export function usePermission(
  role: Role,
  asMember: "as a member too" | "of all accounts" = "of all accounts",
): boolean {
  const { data } = useQuery({ queryKey: ["session"], queryFn: () => get("/session") });
  if (data === undefined || roles.indexOf(data.role) < roles.indexOf(role)) return false;
  return data.account === null || asMember === "as a member too";
}
