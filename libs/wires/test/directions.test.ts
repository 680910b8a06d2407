import { describe, expect, test } from "vitest";
import { wires as textWires } from "../src/text/index.ts";
import type { TextAnswer } from "../src/text/hub/answer.ts";
import type { Part } from "../src/text/hub/part.ts";
import type { TextRequest, Turn } from "../src/text/hub/request.ts";
import { merged } from "./arbitraries.ts";
import {
  twoSidedWires,
  contextFor,
  oneAnswer,
  plain,
  readBack,
  text,
  toolRound,
  written,
  type TwoSidedWire,
} from "./harness.ts";

/** Pairs of a client's wire and a different vendor's wire. */
const ways = twoSidedWires.flatMap((client) =>
  twoSidedWires
    .filter((vendor) => vendor !== client)
    .map((vendor) => ({ client, vendor, name: `${client} over ${vendor}` })),
);
const target = { model: "m", defaultMaxTokens: 1_000 };
const usage = { inputTokens: 1_000, cachedInputTokens: 600, outputTokens: 80, reasoningTokens: 30 };

/** Returns what must be equal at both ends. */
function gist(part: Part): string {
  if (part.kind === "tool-call") return `call ${part.name} ${part.arguments}`;
  if (part.kind === "tool-result") return `result of ${part.name}: ${part.parts.map(gist).join()}`;
  if ("source" in part) return `${part.kind} ${"data" in part.source ? part.source.data : ""}`;
  return `${part.kind} ${"text" in part ? part.text : ""}`;
}

const gistOf = ({ choices }: TextAnswer): readonly (readonly string[])[] =>
  choices.map(({ parts, finish }) => [...parts.map(gist), finish]);

/** Converts an answer to the vendor's wire, then to the client's wire, and parses it. */
function converted(answer: TextAnswer, client: TwoSidedWire, vendor: TwoSidedWire, stream: boolean): TextAnswer {
  const context = contextFor({ includeUsage: true });
  if (stream) {
    const vendorStream = written(textWires[vendor].client.stream(context), answer);
    const read = readBack(textWires[vendor].vendor.stream(), vendorStream);
    return readBack(textWires[client].vendor.stream(), written(textWires[client].client.stream(context), read));
  }
  const vendorBody = plain(textWires[vendor].client.render(answer, context));
  return textWires[client].vendor.parse(
    plain(textWires[client].client.render(textWires[vendor].vendor.parse(vendorBody), context)),
  );
}

const call = { kind: "tool-call", id: "call_1", name: "weather", arguments: '{"city":"Oslo"}' } as const;
const other = { ...call, id: "call_2", name: "time", arguments: '{"zone":"CET"}' } as const;
const answers: readonly (readonly [string, TextAnswer])[] = [
  ["letters of every kind", oneAnswer([text('Grüße, 世界 👋 \u0000\u2028 "quoted" \\ </script>')])],
  ["an answer that is cut at its limit", oneAnswer([text("word word")], "length")],
  ["an answer that is filtered", oneAnswer([text("Half a")], "filtered")],
  ["parallel calls", oneAnswer([call, other], "tool-calls")],
  ["text before a call", oneAnswer([text("Let me see."), call], "tool-calls")],
];

describe.each(ways)("$name", ({ client, vendor }) => {
  describe.each([
    { how: "whole", stream: false },
    { how: "streamed", stream: true },
  ])("$how", ({ stream }) => {
    test.each(answers)("%s", (_, answer) => {
      const read = converted({ ...answer, usage }, client, vendor, stream);
      // The messages wire has one stop reason, `refusal`, for filtered and refused answers.
      const sharedFinish = (finish: unknown) => (client === "messages" && finish === "filtered" ? "refused" : finish);
      expect(gistOf(read)).toEqual(gistOf(answer).map((choice) => choice.map(sharedFinish)));
      expect(read.usage).toEqual(usage);
    });

    test("a refusal is kept where both wires have a field for it, and becomes filtered text elsewhere", () => {
      const [read] = converted(
        oneAnswer([{ kind: "refusal", text: "No." }], "refused"),
        client,
        vendor,
        stream,
      ).choices;
      const hasPlace = [client, vendor].every((wire) => wire === "chat" || wire === "responses");
      expect(read?.parts.map(gist)).toEqual([hasPlace ? "refusal No." : "text No."]);
      if (!hasPlace) expect(["refused", "filtered"]).toContain(read?.finish);
    });

    test("reasoning comes before the answer", () => {
      const answer = oneAnswer([{ kind: "reasoning", text: "Hm.", summary: true }, text("Yes.")]);
      const [read] = converted(answer, client, vendor, stream).choices;
      expect(read?.parts.map(gist)).toEqual(["reasoning Hm.", "text Yes."]);
    });
  });

  test("a dialogue with pictures, files, calls and results reaches the vendor completely", () => {
    const pdf: Part = {
      kind: "file",
      source: { kind: "base64", mediaType: "application/pdf", data: "JVBERi0=" },
    };
    const turns: readonly Turn[] = [
      ...toolRound.turns,
      { role: "assistant", parts: [text("4°")] },
      { role: "user", parts: [text("Read:"), pdf] },
    ];
    const schema = {
      type: "object",
      properties: { city: { type: "string" } },
      required: ["city"],
      additionalProperties: false,
    };
    const clientRequest = { ...toolRound, turns, format: { kind: "schema", schema } } satisfies TextRequest;
    const body = plain(textWires[client].vendor.render(clientRequest, target).body);
    const read = textWires[client].client.read({ model: "m", ...body }, { model: "m" }).request;
    const sent = textWires[vendor].vendor.render(read, target);
    const parsedRequest = textWires[vendor].client.read({ model: "m", ...plain(sent.body) }, { model: "m" }).request;
    const dialogue = ({ turns: all }: TextRequest) => merged(all).map(({ role, parts }) => [role, ...parts.map(gist)]);
    expect(dialogue(parsedRequest)).toEqual(dialogue(clientRequest));
    expect(parsedRequest).toMatchObject({
      instructions: [{ text: "Be brief." }],
      tools: [{ kind: "function", name: "get_weather", description: "Weather now" }],
      format: { kind: "schema", schema },
      maxTokens: 300,
    });
    // The client's wire requires these names.
    expect(sent.dropped.filter((word) => word !== "format.name" && word !== "file.name")).toEqual([]);
  });
});
