import { expect, test, vi } from "vitest";
import { textWire } from "@modelgate/wires/text";
import { TextExchangeFactory } from "../../src/exchanges/text.ts";

/** Call of the chat wire with a member that the messages wire cannot express. */
const call = {
  wire: "chat",
  body: Buffer.from(JSON.stringify({ model: "m", seed: 1, messages: [{ role: "user", content: "Hello" }] })),
  model: "m",
  stream: false,
  includeUsage: false,
  choices: 1,
  outputLimitNames: [],
  refusesUnsupported: false,
  defaultMaxTokens: 10,
  answerId: "answer-1",
  inputTokens: 1,
} as const;

test("a request is rendered once per model: the attempt sends the body whose unsupported fields were counted", async () => {
  const wire = textWire("messages");
  const { vendor } = wire;
  if (vendor === undefined) throw new Error("the messages wire has vendors");
  const render = vi.spyOn(vendor, "render");
  try {
    const exchanges = new TextExchangeFactory(call);
    expect(await exchanges.countUnsupported("messages", "claude")).toBe(1);
    const first = await exchanges.make(wire, "claude");
    expect(await exchanges.make(wire, "claude")).toMatchObject({ body: first.body, dropped: ["seed"] });
    expect(render).toHaveBeenCalledTimes(1);
    const other = await exchanges.make(wire, "claude-next");
    expect(other.body).not.toEqual(first.body);
    // Without signatures the request differs, so it is rendered again.
    await exchanges.make(wire, "claude", { history: "withoutSignatures" });
    expect(render).toHaveBeenCalledTimes(3);
  } finally {
    render.mockRestore();
  }
});
