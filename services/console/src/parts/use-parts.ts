import { useQuery } from "@tanstack/react-query";
import { get } from "../api/client.ts";

/**
 * Reads the parts of the configuration for a form. Not cached after the form is closed: a change that is based on an
 * old version is refused.
 */
export function useParts() {
  return useQuery({ queryKey: ["parts"], queryFn: () => get("/configuration/parts"), gcTime: 0 });
}
