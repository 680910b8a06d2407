import type { ModerationCodec } from "../hub/codec.ts";
import { parseAnswer } from "./parse-answer.ts";
import { parseRequest } from "./parse-request.ts";
import { renderAnswer } from "./render-answer.ts";
import { renderRequest } from "./render-request.ts";
import { readUsage } from "./usage.ts";

/** The moderations wire (POST /v1/moderations), both directions. */
export const moderationsCodec: ModerationCodec = {
  wire: "moderations",
  parseRequest,
  renderRequest,
  parseAnswer,
  renderAnswer,
  readUsage,
  spelling: { model: "model", items: "input" },
};
