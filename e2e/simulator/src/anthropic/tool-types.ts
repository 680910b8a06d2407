import { listAt, textAt } from "../checks/members.ts";
import { wrongField } from "../checks/refusal.ts";

/** Tools that the vendor runs, and their versions. */
const serverTools = {
  web_search: ["20250305", "20260209", "20260318"],
  web_fetch: ["20250910", "20260209", "20260309", "20260318"],
  code_execution: ["20250522", "20250825", "20260120", "20260521"],
  tool_search_tool_bm25: ["20251119"],
  tool_search_tool_regex: ["20251119"],
} as const;

/** Tools that need a beta feature, and the beginning of its name. */
const betaTools = { advisor_20260301: "advisor-tool-", mcp_toolset: "mcp-client-" } as const;

/** Tools of Anthropic that the client runs, and their versions. */
const clientTools = {
  bash: ["20241022", "20250124"],
  browser_toolset: ["20260801"],
  computer: ["20241022", "20250124", "20251124"],
  computer_toolset: ["20260801"],
  memory: ["20250818"],
  text_editor: ["20241022", "20250124", "20250429", "20250728"],
} as const;

const typesIn = (tools: Readonly<Record<string, readonly string[]>>): readonly string[] =>
  Object.entries(tools).flatMap(([name, versions]) => versions.map((version) => `${name}_${version}`));

const serverTypes = typesIn(serverTools);
const clientTypes = typesIn(clientTools);

/** Platform that serves Claude, and the tools that it runs. */
export interface Platform {
  readonly serverTypes: readonly string[];
}

export const anthropicPlatform: Platform = { serverTypes };
export const bedrockPlatform: Platform = { serverTypes: [] };
export const vertexPlatform: Platform = { serverTypes: ["web_search_20250305"] };

/** Refuses tools that the platform does not have. */
export function requireKnownTools(body: unknown, platform: Platform, betas: readonly string[]): void {
  const ofBetas =
    platform === anthropicPlatform
      ? Object.entries(betaTools).flatMap(([type, beta]) => (betas.some((name) => name.startsWith(beta)) ? [type] : []))
      : [];
  const known = ["custom", ...clientTypes, ...platform.serverTypes, ...ofBetas].toSorted();
  for (const [at, tool] of listAt(body, "tools").entries()) {
    const type = textAt(tool, "type") ?? "custom";
    if (known.includes(type)) continue;
    const expected = known.map((each) => `'${each}'`).join(", ");
    throw wrongField(
      ["tools", at],
      `Input tag '${type}' found using 'type' does not match any of the expected tags: ${expected}`,
    );
  }
}
