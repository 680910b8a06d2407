import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { Suite } from "@modelgate/testkit";
import { errorOf, inEveryDirection, wrongField } from "./cells.ts";
import { keyOf, startHouse } from "./house.ts";
import { pdf, png } from "./media.ts";
import { forbidWarnings } from "./quiet.ts";
import type { Ending, Heard, Question } from "./question.ts";
import type { Wire } from "./vendors.ts";

let suite: Suite;
beforeAll(async () => {
  suite = await startHouse();
});
afterAll(() => suite?.[Symbol.asyncDispose]());
forbidWarnings();

const simulate = (behaviour: object) => ({ text: `{{simulate: ${JSON.stringify(behaviour)}}}` });

/** Where each wire has what the system says. */
const systemPlaces: Readonly<Record<Wire, string>> = {
  chat: `{"role":"system","content":"Be brief."}`,
  responses: `"Be brief."`,
  messages: `"system":`,
  content: `"systemInstruction":`,
};

/** How clients hear a refusal in words: on wires that have no place for it the words are the text, and the end says so. */
const refusals: Readonly<Record<string, Partial<Heard>>> = {
  "openai chat": { text: "", refusal: "No.", finish: "stop" },
  "openai responses": { text: "", refusal: "No.", finish: "completed" },
  anthropic: { text: "No.", refusal: "", finish: "refusal" },
  genai: { text: "No.", refusal: "", finish: "SAFETY" },
  // This SDK gives a refusal as text that was filtered.
  "ai openai chat": { text: "No.", finish: "content-filter" },
  "ai openai responses": { text: "No.", finish: "content-filter" },
  "ai anthropic": { text: "No.", finish: "content-filter" },
  "ai google": { text: "No.", finish: "content-filter" },
};

const schema = {
  type: "object",
  properties: { city: { type: "string" }, degrees: { type: "number" } },
  required: ["city", "degrees"],
  additionalProperties: false,
} as const;

inEveryDirection(({ client, vendor, stream }) => {
  beforeEach(() => suite.simulator.forget(vendor.name));
  const ask = (question: Partial<Question>): Promise<Heard> =>
    client.ask(suite, keyOf("demo"), { model: vendor.name, stream, said: [{ text: "Hello" }], ...question });
  const seen = async (): Promise<string> => (await suite.simulator.requests(vendor.name)).at(-1)?.body ?? "";

  test("plain text", async () => {
    const heard = await ask({});
    expect(heard).toMatchObject({
      text: "You said: Hello",
      reasoning: "",
      refusal: "",
      finish: client.endings.stop,
      calls: [],
      dropped: [],
    });
  });

  test("letters of every kind", async () => {
    const text = 'Grüße, 世界 👋 \u0000\u2028 "quoted" \\ </script>';
    expect((await ask({ said: [simulate({ text })] })).text).toBe(text);
  });

  test("a system prompt stands where the vendor wants it", async () => {
    const heard = await ask({ system: "Be brief." });
    expect(heard).toMatchObject({ text: "You said: Hello", dropped: [] });
    expect(await seen()).toContain(systemPlaces[vendor.wire]);
    expect(await seen()).toContain("Be brief.");
  });

  test("a picture", async () => {
    const heard = await ask({ said: [{ text: "Look: " }, { image: png }] });
    expect(heard.text).toMatch(/^You said: Look: \[image .*\d+ characters\]$/);
    expect(heard.dropped).toEqual([]);
    expect(await seen()).toContain(png);
  });

  // The interface demands it: file input of chat completions is not streamed.
  const refusesFiles = client.wire === "chat" && stream;
  test(`a PDF${refusesFiles ? " is refused" : ""}`, async () => {
    const asked = ask({ said: [{ text: "Read: " }, { pdf }] });
    if (refusesFiles)
      return expect(await errorOf(client, asked)).toMatchObject({
        status: 400,
        body: { code: "file_input_not_streamable" },
      });
    expect((await asked).text).toMatch(/^You said: Read: \[file .*\d+ characters\]$/);
    expect(await seen()).toContain(pdf);
  });

  test("an answer by a JSON schema", async () => {
    const heard = await ask({ schema });
    expect(JSON.parse(heard.text)).toEqual({ city: "words", degrees: 1 });
  });

  test("a refusal in words", async () => {
    const heard = await ask({ said: [simulate({ refusal: true, text: "No." })] });
    const isRefusal = vendor.wire === "chat" || vendor.wire === "responses";
    expect(heard).toMatchObject(refusals[isRefusal ? client.name : ""] ?? { text: "No.", refusal: "" });
  });

  test.each<[string, Ending, Partial<Question>, string]>([
    ["its natural end", "stop", {}, "You said: Hello"],
    ["where the tokens end", "length", { maxTokens: 20, said: [{ text: "word ".repeat(40) }] }, "You said: word"],
    ["where it was filtered", "filtered", { said: [simulate({ finish: "content_filter", text: "Half a" })] }, "Half a"],
  ])("ends at %s", async (_, ending, question, beginning) => {
    const heard = await ask(question);
    expect(heard.finish).toBe(client.endings[ending]);
    expect(heard.text.startsWith(beginning)).toBe(true);
  });

  const { hint, demand } = client;
  const loses = hint.lostBy.includes(vendor.name);
  test(`${hint.word} ${loses ? "gets lost, and is named" : "gets through"}`, async () => {
    const heard = await ask(hint.question);
    expect(heard).toMatchObject({ text: "You said: Hello", dropped: loses ? [hint.word] : [] });
  });

  test(`${hint.word} under x-modelgate-strict is ${loses ? "refused" : "no matter"}`, async () => {
    const asked = ask({ ...hint.question, strict: true });
    if (!loses) return expect((await asked).text).toBe("You said: Hello");
    const error = await errorOf(client, asked);
    expect(error).toMatchObject({ status: 400, body: wrongField(client.wire, hint.word, "unsupported_parameter") });
    expect(error.message).toContain(hint.word);
    expect(await seen()).toBe("");
  });

  const isRefused = demand.lostBy.includes(vendor.name);
  test(`${demand.word} ${isRefused ? "is refused: the request would mean something else" : "gets through"}`, async () => {
    const asked = ask({ ...demand.question, said: [{ text: "one|two" }] });
    if (isRefused) {
      const error = await errorOf(client, asked);
      expect(error).toMatchObject({ status: 400, body: wrongField(client.wire, demand.word, "unsupported_parameter") });
      expect(error.message).toContain(demand.word);
      return expect(await seen()).toBe("");
    }
    const stops = demand.question.stops !== undefined;
    const heard = await asked;
    expect(heard).toMatchObject({ text: stops ? "You said: one" : "You said: one|two", dropped: [] });
    expect([client.endings.stopped, client.endings.stop]).toContain(heard.finish);
  });
});
