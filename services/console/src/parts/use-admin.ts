import { useQuery } from "@tanstack/react-query";
import { get } from "../api/client.ts";

/** Whether the one who is signed in may change the configuration. */
export function useIsAdmin(): boolean {
  const { data } = useQuery({ queryKey: ["session"], queryFn: () => get("/session") });
  return data?.role === "admin" && data.account === null;
}
