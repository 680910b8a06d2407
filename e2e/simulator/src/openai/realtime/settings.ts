import { isRecord, listAt, memberOf, textAt } from "../../checks/members.ts";
import type { OfferedTool } from "../../core/question.ts";

/** Settings of a session. */
export type Settings = Readonly<Record<string, unknown>>;

/** Returns the initial settings of a model's session. */
export function defaultSettings(model: string): Settings {
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

/** Merges objects, and replaces other values. */
export function mergeSettings(under: Settings, over: Settings): Settings {
  const pairs = Object.entries(over).map(([name, value]) => {
    const below = under[name];
    return [name, isRecord(below) && isRecord(value) ? mergeSettings(below, value) : value] as const;
  });
  return { ...under, ...Object.fromEntries(pairs) };
}

export function toolsOf(settings: Settings): readonly OfferedTool[] {
  return listAt(settings, "tools").flatMap((tool) => {
    const name = textAt(tool, "name");
    return name === undefined ? [] : [{ name, schema: memberOf(tool, "parameters") }];
  });
}

/** Parses a tool choice. */
export function choiceOf(choice: unknown): "auto" | "none" | "required" | { readonly name: string } {
  if (choice === "none" || choice === "required") return choice;
  const name = textAt(choice, "name");
  return name === undefined ? "auto" : { name };
}
