import { addUnits, failureFrames, type Units } from "@modelgate/contracts";
import { isRecord, type JsonRecord } from "@modelgate/formats/json";
import { plainFrame, type TextStreamPass } from "../../text/pass.ts";
import { parseFrameRecord } from "@modelgate/formats/sse";
import type { ImagesPass } from "../hub/vendor.ts";
import { readTokens } from "./answer.ts";

/** Forwards a stream of partial images. Counts completed images; a partial image only shows that output has begun. */
export const imagesPass: ImagesPass = { isFirstEvent: isStreamStart, stream: passStream };

function passStream(max = Infinity): TextStreamPass {
  let completed = 0;
  let tokens: Units = {};
  const usage = (): Units => ({ ...tokens, images: completed });
  return {
    inspect(frame) {
      if (partialImage.test(frame.toString("latin1", 0, maxTypeOffset))) return { ...plainFrame, usage: usage() };
      const event = parseFrameRecord(frame);
      if (event === undefined) return plainFrame;
      if (isRecord(event["error"]) || event["type"] === "error") return { ...plainFrame, failed: true };
      if (typeof event["type"] !== "string" || !event["type"].endsWith(".completed")) return plainFrame;
      completed++;
      tokens = addUnits(tokens, readTokens(event["usage"]) ?? {});
      return { ...plainFrame, usage: usage(), done: true };
    },
    // While requested images are missing, a completed image does not end the stream; the end of the connection does.
    get endsWithConnection() {
      return completed < max;
    },
    // Events of this wire do not name the model.
    renameFrame: (frame) => frame,
    extractRawText: () => "",
    extractText: () => "",
    showsReasoning: () => false,
    failureFrame: failureFrames.images,
    heartbeat: ": keep-alive\n\n",
  };
}

/** Matches the frame of a partial image by its event's name or type, so that its large data need not be parsed. */
const partialImage = /^(?:event: ?|data: ?\{[^}]*"type" ?: ?")image_\w+\.partial_image/m;
const maxTypeOffset = 400;

function isStreamStart({ type, error }: JsonRecord): boolean {
  return typeof type === "string" && type !== "error" && !isRecord(error);
}
