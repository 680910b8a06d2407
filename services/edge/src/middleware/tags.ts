import type { IncomingMessage } from "node:http";
import { firstHeader, headers, parseTags } from "@modelgate/contracts";
import { contextOf } from "../request-context.ts";

/** What the client says of its call for the books; services get it with the caller, vendors do not. Throws Failure (400). */
export function tags(request: IncomingMessage): void {
  const header = firstHeader(request.headers, [headers.tags]);
  if (header !== undefined) contextOf(request).tags = parseTags(header);
}
