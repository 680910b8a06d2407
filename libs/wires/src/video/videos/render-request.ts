import { present } from "@modelgate/contracts";
import { renderOwn } from "../../kind/own-members.ts";
import type { RenderedVideo } from "../hub/codec.ts";
import { extrasFor } from "../hub/extras.ts";
import { linesIn } from "../hub/lines.ts";
import { hintsIn, refuseFields } from "../hub/refuse.ts";
import type { VideoRequest } from "../hub/request.ts";
import { writeSize } from "../hub/size.ts";

/** The length where the client said none, in seconds: the vendor's own default. */
export const defaultSeconds = 4;

/** The request for a vendor of this wire. A picture's bytes travel as a file of a form, its address in JSON. */
export function renderRequest(request: VideoRequest, { model }: { readonly model: string }): RenderedVideo {
  refuseFields(request, ["negativePrompt", "lastFrame"]);
  const own = renderOwn(request.own, "videos");
  const { firstFrame, size, seconds = defaultSeconds } = request;
  const reference =
    firstFrame?.kind === "url"
      ? { image_url: firstFrame.url }
      : firstFrame?.kind === "file"
        ? { file_id: firstFrame.fileId }
        : undefined;
  const body = present({
    ...own.members,
    model,
    prompt: request.prompt,
    seconds: String(seconds),
    size: size === undefined ? undefined : writeSize(size),
    input_reference: reference,
  });
  return {
    body,
    file: firstFrame?.kind === "data" ? { name: "input_reference", ...firstFrame } : undefined,
    dropped: [
      ...own.dropped,
      ...hintsIn(request, ["seed", "fps", "aspectRatio"]),
      ...extrasFor(request.extras, []).dropped,
    ],
    seconds,
    lines: linesIn(body),
  };
}
