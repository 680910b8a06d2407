import { firstHeader, headers, parseTags } from "@modelgate/contracts";
import { contextOf, type Step } from "../request-context.ts";

/** Reads the client's tags for the usage records; services get them with the caller, vendors do not. */
export const tags: Step = (request, _response, next) => {
  const header = firstHeader(request.headers, [headers.tags]);
  if (header !== undefined) contextOf(request).tags = parseTags(header);
  next();
};
