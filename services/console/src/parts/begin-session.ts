import type { QueryClient } from "@tanstack/react-query";
import type { Session } from "../api/types.ts";

/** Stores a new session, and removes all that an earlier person has read in this tab. */
export function beginSession(queries: QueryClient, session: Session): void {
  queries.removeQueries();
  queries.setQueryData(["session"], session);
}
