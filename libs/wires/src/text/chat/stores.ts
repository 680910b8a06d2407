import { isRecord } from "../../json/fields.ts";
import { memberOf, named, records } from "../../vendor-stores/made.ts";
import type { StoreDialect } from "../../vendor-stores/members.ts";

/** What chats name in their vendor's store: files as text, and the audio of answers, which later messages refer to. */
export const stores = {
  members: [
    // DashScope's long-context models take files as the text of a system message.
    { names: ["content", "text"], store: "file", naming: "text" },
    { names: ["audio"], store: "audio", naming: "object" },
  ],
  opaque: ["parameters", "schema", "json_schema", "metadata", "logit_bias", "arguments"],
  made: {
    needles: ['"audio"'],
    isAsked: ({ audio }) => isRecord(audio),
    read: ({ choices }) =>
      records(choices).flatMap(({ message, delta }) => {
        const audio = memberOf(message ?? delta, "audio");
        return named("audio", memberOf(audio, "id"));
      }),
  },
} as const satisfies StoreDialect;
