import { describe, expect, test } from "vitest";
import { asRecords, isRecord, type JsonRecord } from "../../src/json/fields.ts";
import { vendorTextWire, wires } from "../../src/text/wires.ts";

/** Part of a prompt. A marked part ends a prefix that the vendor may cache. */
interface Piece {
  readonly text: string;
  readonly isMarked: boolean;
}

/** Number of cached characters of a request's input, and number of all its characters. */
type Share = readonly [cached: number, all: number];

/** Simulated vendor that caches the prefixes of each request for later requests. */
abstract class CachingVendor {
  readonly #known = new Set<string>();

  /** Returns the parts of a request's prompt in order. Throws Error for a request that the vendor refuses. */
  abstract piecesOf(body: JsonRecord): readonly Piece[];

  share(body: JsonRecord): Share {
    const pieces = this.piecesOf(body);
    const prefixes = pieces.map((_, at) =>
      pieces
        .slice(0, at + 1)
        .map(({ text }) => text)
        .join("\n"),
    );
    const cached = prefixes.findLast((prefix) => this.#known.has(prefix))?.length ?? 0;
    for (const [at, { isMarked }] of pieces.entries()) if (isMarked) this.#known.add(prefixes[at] ?? "");
    return [cached, prefixes.at(-1)?.length ?? 0];
  }
}

const textsIn = (content: unknown): readonly JsonRecord[] =>
  typeof content === "string" ? [{ text: content }] : asRecords(content);

/** Vendor that caches prefixes only up to marks, and refuses more than four marks. */
class Anthropic extends CachingVendor {
  override piecesOf({ system, messages }: JsonRecord): readonly Piece[] {
    const blocks = [
      ...textsIn(system).map((block) => ({ role: "system", block })),
      ...asRecords(messages).flatMap(({ role, content }) => textsIn(content).map((block) => ({ role, block }))),
    ];
    if (blocks.filter(({ block }) => block["cache_control"] !== undefined).length > 4)
      throw new Error("A maximum of 4 blocks with cache_control may be provided.");
    return blocks.map(({ role, block }) => ({
      text: `${String(role)}: ${String(block["text"])}`,
      isMarked: block["cache_control"] !== undefined,
    }));
  }
}

/**
 * Vendor that caches the complete input and prefixes up to three marks, or in explicit mode prefixes up to four marks.
 * GPT-6.2 appends `instructions`, which are then not cached.
 */
class OpenAi extends CachingVendor {
  readonly #model: string;

  constructor(model: string) {
    super();
    this.#model = model;
  }

  override piecesOf({ instructions, input, messages, prompt_cache_options: options }: JsonRecord): readonly Piece[] {
    const isExplicit = isRecord(options) && options["mode"] === "explicit";
    const parts = asRecords(input ?? messages).flatMap(({ role, content }) =>
      textsIn(content).map((part) => ({
        text: `${role === "system" ? "developer" : String(role)}: ${String(part["text"])}`,
        isMarked: part["prompt_cache_breakpoint"] !== undefined,
      })),
    );
    const marks = parts.flatMap(({ isMarked }, at) => (isMarked ? [at] : [])).slice(isExplicit ? -4 : -3);
    const written = new Set(isExplicit ? marks : [...marks, parts.length - 1]);
    const top = typeof instructions === "string" ? [{ text: `developer: ${instructions}`, isMarked: false }] : [];
    const cacheable = parts.map(({ text }, at) => ({ text, isMarked: written.has(at) }));
    return this.#model.startsWith("gpt-6.2") ? [...cacheable, ...top] : [...top, ...cacheable];
  }
}

const system = "You answer in one sentence. ".repeat(80);
const question = (turn: number): string => `Question ${turn}? `.repeat(20);
const answer = (turn: number): string => `Answer ${turn}. `.repeat(10);

/** Returns the conversation up to the user's question of a turn: pairs of a role and a text. */
const historyOf = (turn: number): readonly (readonly ["user" | "assistant", string])[] =>
  Array.from({ length: turn }, (_, at) => at + 1).flatMap((at) => [
    ["user", question(at)] as const,
    ...(at < turn ? [["assistant", answer(at)] as const] : []),
  ]);

const cached = { cache_control: { type: "ephemeral" } };

/** Requests of a turn by wire. They have the members by which usual clients enable caching. */
const clients = {
  chat: (turn: number) => ({
    model: "m",
    prompt_cache_key: "k",
    messages: [{ role: "system", content: system }, ...historyOf(turn).map(([role, content]) => ({ role, content }))],
  }),
  responses: (turn: number) => ({
    model: "m",
    prompt_cache_key: "k",
    input: [
      { role: "developer", content: system },
      ...historyOf(turn).map(([role, text]) => ({
        role,
        content: [{ type: role === "user" ? "input_text" : "output_text", text }],
      })),
    ],
  }),
  messages: (turn: number) => ({
    model: "m",
    max_tokens: 99,
    system: [{ type: "text", text: system, ...cached }],
    messages: historyOf(turn).map(([role, text], at, all) => ({
      role,
      content: [{ type: "text", text, ...(at === all.length - 1 ? cached : {}) }],
    })),
  }),
  content: (turn: number) => ({
    systemInstruction: { parts: [{ text: system }] },
    contents: historyOf(turn).map(([role, text]) => ({ role: role === "user" ? "user" : "model", parts: [{ text }] })),
  }),
  interactions: (turn: number) => ({
    model: "m",
    system_instruction: system,
    input: historyOf(turn).map(([role, text]) => ({
      type: role === "user" ? "user_input" : "model_output",
      content: [{ type: "text", text }],
    })),
  }),
} as const;
type Client = keyof typeof clients;
const names = ["chat", "responses", "messages", "content", "interactions"] as const satisfies readonly Client[];

/** Returns the shares of ten turns of a client, whose requests are converted if the vendor has another wire. */
function sharesOf(vendor: CachingVendor, client: Client, to: "chat" | "responses" | "messages", model: string) {
  return Array.from({ length: 10 }, (_, at) => {
    const body: JsonRecord = clients[client](at + 1);
    if (client === to) return vendor.share(body);
    const { request } = wires[client].client.read(body, { model: "m" });
    const rendered = vendorTextWire(to).vendor.render(request, { model, defaultMaxTokens: 99 });
    return vendor.share(JSON.parse(JSON.stringify(rendered.body)));
  });
}

describe("the cached share of a ten-turn conversation equals the native client's", () => {
  test.each(
    names.flatMap((client) => ["claude-sonnet-4-5", "claude-opus-5-5"].map((model) => [client, model] as const)),
  )("for %s over Anthropic's %s", (client, model) => {
    const native = sharesOf(new Anthropic(), "messages", "messages", model);
    const converted = sharesOf(new Anthropic(), client, "messages", model);
    expect(native.filter(([share]) => share > 0)).toHaveLength(9);
    // Clients whose wire has no member for caching have equal shares only from the third turn on.
    const from = client === "content" || client === "interactions" ? 2 : 0;
    expect(converted.slice(from)).toEqual(native.slice(from));
  });

  test.each(
    names.flatMap((client) =>
      (["chat", "responses"] as const).flatMap((to) =>
        ["gpt-5.6-sol", "gpt-6.2-sol"].map((model) => [client, to, model] as const),
      ),
    ),
  )("for %s over OpenAI's %s of %s", (client, to, model) => {
    const native = sharesOf(new OpenAi(model), to, to, model);
    expect(native.filter(([share]) => share > 0)).toHaveLength(9);
    const all = sharesOf(new OpenAi(model), client, to, model);
    expect(all).toEqual(native);
  });
});
