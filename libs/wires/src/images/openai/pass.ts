import { addUnits, failureFrames, type Units } from "@modelgate/contracts";
import { isRecord, type JsonRecord } from "../../json/fields.ts";
import { plainFrame, type TextStreamPass } from "../../text/pass.ts";
import { parseFrameRecord } from "../../sse/decode.ts";
import { readTokens } from "./index.ts";

/**
 * Creates the pass of one stream of partial images, which is forwarded as it comes. Images are counted as they are
 * completed; a partial one shows only that something came.
 * @param max images of the request: the stream ends with the last of them, whatever its vendor goes on to make
 */
export function imagesPass(max = Infinity): TextStreamPass {
  let completed = 0;
  let tokens: Units = {};
  const used = (): Units => ({ ...tokens, images: completed });
  return {
    see(frame) {
      if (partialImage.test(frame.toString("latin1", 0, typeWithin))) return { ...plainFrame, usage: used() };
      const event = parseFrameRecord(frame);
      if (event === undefined) return plainFrame;
      if (isRecord(event["error"]) || event["type"] === "error") return { ...plainFrame, failed: true };
      if (typeof event["type"] !== "string" || !event["type"].endsWith(".completed")) return plainFrame;
      completed++;
      tokens = addUnits(tokens, readTokens(event["usage"]) ?? {});
      return { ...plainFrame, usage: used(), done: true };
    },
    // Several images are completed one after another.
    get endsWithConnection() {
      return completed < max;
    },
    // Events of this wire name no model.
    renameFrame: (frame) => frame,
    written: () => "",
    wordsOf: () => "",
    showsThoughts: () => false,
    failureFrame: failureFrames.images,
    heartbeat: ": keep-alive\n\n",
  };
}

/** A partial image is known by the name or the type of its event, before its bytes: they need not be parsed. */
const partialImage = /^(?:event: ?|data: ?\{[^}]*"type" ?: ?")image_\w+\.partial_image/m;
const typeWithin = 400;

/** Tells whether a stream of images can begin with an event: one with a type that is not an error. */
export function beginsImages({ type, error }: JsonRecord): boolean {
  return typeof type === "string" && type !== "error" && !isRecord(error);
}
