import { isRecord, listAt, memberOf, textAt } from "../../checks/members.ts";
import type { OfferedTool } from "../../core/question.ts";

/** A session's settings, as this vendor shows them. */
export type Settings = Readonly<Record<string, unknown>>;

/** What a session of a model begins with. */
export function defaults(model: string): Settings {
  const format = { type: "audio/pcm", rate: 24_000 };
  return {
    type: "realtime",
    model,
    instructions: "",
    output_modalities: ["audio"],
    audio: {
      input: {
        format,
        transcription: null,
        noise_reduction: null,
        turn_detection: { type: "server_vad", create_response: true, interrupt_response: true },
      },
      output: { format, voice: "marin", speed: 1 },
    },
    tools: [],
    tool_choice: "auto",
    max_output_tokens: "inf",
  };
}

/** Settings with others laid over them: objects are merged, everything else is replaced. */
export function merged(under: Settings, over: Settings): Settings {
  const pairs = Object.entries(over).map(([name, value]) => {
    const below = under[name];
    return [name, isRecord(below) && isRecord(value) ? merged(below, value) : value] as const;
  });
  return { ...under, ...Object.fromEntries(pairs) };
}

/** The functions that the settings offer. */
export function toolsOf(settings: Settings): readonly OfferedTool[] {
  return listAt(settings, "tools").flatMap((tool) => {
    const name = textAt(tool, "name");
    return name === undefined ? [] : [{ name, schema: memberOf(tool, "parameters") }];
  });
}

/** What the settings say of using them. */
export function choiceOf(choice: unknown): "auto" | "none" | "required" | { readonly name: string } {
  if (choice === "none" || choice === "required") return choice;
  const name = textAt(choice, "name");
  return name === undefined ? "auto" : { name };
}
