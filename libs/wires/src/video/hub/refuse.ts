import { Failure } from "@modelgate/contracts";
import type { VideoRequest } from "./request.ts";

/** Throws Failure unsupported_parameter for the first of these fields that the request has. */
export function refuseFields(request: VideoRequest, fields: readonly (keyof VideoRequest)[]): void {
  const found = fields.find((field) => request[field] !== undefined);
  if (found === undefined) return;
  throw new Failure("unsupported_parameter", `${found} cannot be passed to the vendor of this model.`, {
    param: found,
  });
}

/** Of these hints, the names of those that the request has. */
export function hintsIn(request: VideoRequest, fields: readonly (keyof VideoRequest)[]): readonly string[] {
  return fields.filter((field) => request[field] !== undefined);
}

/** Throws Failure unsupported_parameter for a last frame without a first one. */
export function refuseLastFrameAlone({ firstFrame, lastFrame }: VideoRequest): void {
  if (lastFrame === undefined || firstFrame !== undefined) return;
  throw new Failure("unsupported_parameter", "The vendor of this model takes lastFrame only with firstFrame.", {
    param: "lastFrame",
  });
}
