import type { Endpoint } from "../../vendor.ts";
import { startInBackground } from "./background.ts";
import { readInteraction } from "./read.ts";
import { renderInteraction, streamInteraction } from "./render.ts";

export { cancelInteraction, getInteraction } from "./background.ts";

/** Endpoint `POST /interactions`. */
export const createInteraction: Endpoint = {
  method: "POST",
  path: /^\/v1(?:beta2?)?\/interactions$/,
  open({ body, key }) {
    const asked = readInteraction(body);
    const { inBackground, question, stream } = asked;
    return {
      directive: question.directive,
      whole: (behaviour) =>
        inBackground ? startInBackground(key, asked, behaviour).head : renderInteraction(asked, behaviour),
      streamed: stream
        ? (behaviour) =>
            inBackground ? startInBackground(key, asked, behaviour).streamed : streamInteraction(asked, behaviour)
        : undefined,
    };
  },
};
