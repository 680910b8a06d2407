import { useQuery } from "@tanstack/react-query";
import { get } from "../api/client.ts";
import type { Role } from "../api/types.ts";

const roles: readonly Role[] = ["viewer", "operator", "admin"];

/** Whether the one who is signed in may do what takes a role; members of one account only what is asked of them too. */
export function useMay(role: Role, asMember: "as a member too" | "of all accounts" = "of all accounts"): boolean {
  const { data } = useQuery({ queryKey: ["session"], queryFn: () => get("/session") });
  if (data === undefined || roles.indexOf(data.role) < roles.indexOf(role)) return false;
  return data.account === null || asMember === "as a member too";
}
