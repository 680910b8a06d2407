import type { Endpoint } from "../../vendor.ts";
import { startInBackground } from "./background.ts";
import { readInteraction } from "./read.ts";
import { renderInteraction, streamInteraction } from "./render.ts";

export { cancelInteraction, getInteraction } from "./background.ts";

export const createInteraction: Endpoint = {
  method: "POST",
  path: /^\/v1(?:beta2?)?\/interactions$/,
  open({ body, key }) {
    const parsed = readInteraction(body);
    const { inBackground, question, stream } = parsed;
    return {
      directive: question.directive,
      whole: (behaviour) =>
        inBackground ? startInBackground(key, parsed, behaviour).head : renderInteraction(parsed, behaviour),
      streamed: stream
        ? (behaviour) =>
            inBackground ? startInBackground(key, parsed, behaviour).streamed : streamInteraction(parsed, behaviour)
        : undefined,
    };
  },
};
