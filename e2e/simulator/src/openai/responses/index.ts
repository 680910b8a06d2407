import { textAt } from "../../checks/members.ts";
import { requireShape } from "../../checks/refusal.ts";
import { answerFor } from "../../core/answer.ts";
import { freshId, nowSeconds } from "../../core/ids.ts";
import { questionFrom } from "../../core/question.ts";
import { encodeText } from "../../core/opaque-data.ts";
import type { Endpoint } from "../../vendor.ts";
import { conversationOf, readResponses } from "./read.ts";
import { renderResponse, renderUsage, streamResponse } from "./render.ts";
import { compactionDataKind } from "./rules.ts";
import { compactShape } from "./shape.ts";
import { textOfItem } from "./words.ts";

export const responses: Endpoint = {
  method: "POST",
  path: /^\/v1\/responses$/,
  open({ body, key }) {
    const parsed = readResponses(body, key);
    return {
      directive: parsed.question.directive,
      whole: (behaviour) => renderResponse(parsed, behaviour, key),
      streamed: parsed.stream ? (behaviour) => streamResponse(parsed, behaviour, key) : undefined,
    };
  },
};

/** Answers with the user's messages, and the conversation in encoded form. */
export const compactResponses: Endpoint = {
  method: "POST",
  path: /^\/v1\/responses\/compact$/,
  open({ body, key }) {
    requireShape(body, compactShape);
    const items = conversationOf(body, key);
    const texts = items.map(textOfItem);
    const question = questionFrom(textAt(body, "model") ?? "", texts);
    const kept = items.filter((item) => textAt(item, "role") === "user");
    return {
      directive: question.directive,
      whole: (behaviour) => {
        const answer = answerFor(question, { text: texts.join("\n"), ...behaviour });
        return {
          id: freshId("resp_"),
          object: "response.compaction",
          created_at: nowSeconds(),
          output: [
            ...kept.map((item) => ({
              type: "message",
              id: textAt(item, "id") ?? freshId("msg_"),
              role: "user",
              status: "completed",
              content: [{ type: "input_text", text: textOfItem(item) }],
            })),
            {
              type: "compaction",
              id: freshId("cmp_"),
              encrypted_content: encodeText(compactionDataKind, answer.text ?? ""),
            },
          ],
          usage: renderUsage(answer),
        };
      },
    };
  },
};
