import { isRecord, type JsonRecord } from "../../json/fields.ts";
import { asksToThink } from "../thoughts.ts";

/** How a request asks its model to think. */
export const thoughts = {
  words: [Buffer.from("hink")],
  asked(body: JsonRecord): boolean {
    const config = body["generationConfig"] ?? body["generation_config"];
    return isRecord(config) && asksToThink(config["thinkingConfig"] ?? config["thinking_config"]);
  },
};
