import { Refusal } from "../../checks/refusal.ts";
import type { Endpoint } from "../../vendor.ts";
import { readInteraction } from "./read.ts";
import { headOf, renderInteraction, streamInteraction } from "./render.ts";

/** Interaction that runs in the background: in progress at its first poll, completed at the second. */
interface Made {
  readonly over: object;
  isSeen: boolean;
}

const maxMade = 1_000;
const made = new Map<string, Made>();

/** Endpoint `POST /interactions`. */
export const createInteraction: Endpoint = {
  method: "POST",
  path: /^\/v1(?:beta2?)?\/interactions$/,
  open({ body, key }) {
    const asked = readInteraction(body);
    return {
      directive: asked.question.directive,
      whole(behaviour) {
        const over = renderInteraction(asked, behaviour);
        if (!asked.inBackground) return over;
        const head = headOf(asked);
        const [oldest] = made.keys();
        if (made.size >= maxMade && oldest !== undefined) made.delete(oldest);
        made.set(`${key}\n${head.id}`, { over: { ...over, id: head.id }, isSeen: false });
        return head;
      },
      streamed: asked.stream ? (behaviour) => streamInteraction(asked, behaviour) : undefined,
    };
  },
};

/** Endpoint `GET /interactions/{id}`, for interactions that run in the background. */
export const getInteraction: Endpoint = {
  method: "GET",
  path: /^\/v1(?:beta2?)?\/interactions\/([^/:]+)$/,
  open({ groups: [id = ""], key }) {
    const found = made.get(`${key}\n${id}`);
    if (found === undefined) throw new Refusal(404, `Interaction ${id} was not found.`);
    return {
      whole() {
        const { over, isSeen } = found;
        found.isSeen = true;
        return isSeen ? over : { ...over, status: "in_progress", steps: [] };
      },
    };
  },
};
