import { Failure } from "@modelgate/contracts";
import { stringifyInTurns } from "@modelgate/wires/json";
import type { StartCall } from "../call.ts";
import { requestTo, type VendorRequest } from "../request.ts";

/** Where videos are asked for, under `/api/v1/services/aigc`; former models that go from one picture to another have their own. */
const [usual, fromBothFrames] = ["video-generation/video-synthesis", "image2video/video-synthesis"];

/** Starts a task; `at` gives the address of a service. */
export function* startVideo(
  call: StartCall,
  at: (service: string) => URL,
  headers: Readonly<Record<string, string>>,
): Generator<undefined, VendorRequest> {
  if (call.remixOf !== undefined)
    throw new Failure("unsupported_parameter", "The vendor of this model cannot remix videos.");
  const { input } = call.body;
  const hasBoth = typeof input === "object" && input !== null && "first_frame_url" in input;
  const said = { ...headers, "content-type": "application/json" };
  return requestTo(at(hasBoth ? fromBothFrames : usual), call, said, yield* stringifyInTurns(call.body));
}
