import { firstHeader, headers, parseTags } from "@modelgate/contracts";
import { contextOf, type Step } from "../request-context.ts";

/** Reads the client's tags for the usage records. Vendors do not get them. */
export const readTags: Step = (request, _response, next) => {
  const header = firstHeader(request.headers, [headers.tags]);
  if (header !== undefined) contextOf(request).tags = parseTags(header);
  next();
};
