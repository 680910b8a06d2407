import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { blocksIn } from "./blocks.ts";

const root = join(import.meta.dirname, "../..");

type Settings = (gateway: Readonly<Record<"address" | "key" | "model", string>>) => Readonly<Record<string, string>>;
/** Settings of each client that the console shows, imported by path because the console is bundled separately. */
const { settingsFor }: { readonly settingsFor: Settings } = await import(
  join(root, "services/console/src/parts/client-settings.ts")
);

const key = "sk-demo-0123456789abcdef";

/** Page in docs/clients of each client of the console, and the language of its code if the page has several. */
const pages: Readonly<Record<string, { readonly page: string; readonly language?: string }>> = {
  curl: { page: "curl" },
  "openai (Python)": { page: "openai-python" },
  "openai (JS)": { page: "openai-js" },
  "anthropic (Python)": { page: "anthropic-python" },
  "google (Python)": { page: "google-genai", language: "python" },
  "Claude Code": { page: "claude-code" },
  Codex: { page: "codex" },
  "Gemini CLI": { page: "gemini-cli" },
  Cursor: { page: "cursor" },
  "Open WebUI": { page: "open-webui" },
  LangChain: { page: "langchain" },
};

describe("the console and docs/clients show the same settings", () => {
  const shown = settingsFor({ address: "http://127.0.0.1:8080", key, model: "demo-chat" });

  test.each(Object.entries(shown))("of %s", (client, text) => {
    const { page, language } = pages[client] ?? { page: "" };
    const markdown = readFileSync(join(root, "docs/clients", `${page}.md`), "utf8");
    const blocks = blocksIn(page, markdown)
      .filter((block) => language === undefined || block.language === language)
      .map((block) => block.text);
    const inProse = [...markdown.replaceAll(/^ *```[\s\S]*?^ *```$/gm, "").matchAll(/`([^`]+)`/g)].map(
      ([, code = ""]) => code,
    );
    const settings = settingsIn(text);
    expect(settings.length).toBeGreaterThan(1);
    expect(settings).toEqual(settingsIn([...blocks, ...inProse].join("\n")));
  });
});

test.each([
  ['client = OpenAI(base_url="https://gateway.example/v1", api_key="KEY")', ["api_key: KEY", "base_url: ADDRESS/v1"]],
  ["export A_URL=http://127.0.0.1:8080 A_MODE=plain; program", ["A_MODE: plain", "A_URL: ADDRESS"]],
  ["Settings > Base URL:   http://127.0.0.1/v1", ["Base URL: ADDRESS/v1"]],
  ['curl http://a.example/v1/x -H "Authorization: Bearer KEY"', ["Authorization: KEY", "curl: ADDRESS/v1/x"]],
  ['wire_api = "responses"\nmodel = Chat(model="x")', ["wire_api: responses"]],
  ['file.json: {"auth": {"type": "a-key"}}', ['{"auth":{"type":"a-key"}}']],
])("the settings in %s are %j", (text, settings) => {
  expect(settingsIn(text.replaceAll("KEY", key))).toEqual(settings);
});

/** Returns all settings in a text: addresses, keys, environment variables, lines of TOML files, and JSON objects. */
function settingsIn(text: string): readonly string[] {
  const plain = text.replaceAll(/https?:\/\/[\w.:-]+/g, "ADDRESS").replaceAll(key, "KEY");
  const pairs = [
    /(\w+(?: \w+)*)["']?(?: ?[=:] *| (?=ADDRESS)| -\w+ (?=ADDRESS))["']?(?:Bearer )?(ADDRESS[\w/]*|KEY)/g,
    /\b([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)=(?!ADDRESS|KEY)([\w.-]+)/g,
    /^(\w+) = "([^"]*)"$/gm,
  ].flatMap((form) =>
    [...plain.matchAll(form)].map(([, name = "", value = ""]) => `${name.replace(/^export /, "")}: ${value}`),
  );
  const objects = [...plain.matchAll(/(?:^|[\s`])(\{"\w+": \{.*\}\})$/gm)].map(([, object = ""]) =>
    JSON.stringify(JSON.parse(object)),
  );
  return [...new Set([...pairs, ...objects])].toSorted();
}
