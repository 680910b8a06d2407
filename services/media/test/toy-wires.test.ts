import { expect, test } from "vitest";
import { BufferBudget } from "@modelgate/platform";
import { imagesExchange, InputImages } from "@modelgate/relay/images";
import { readImageBody, wires } from "@modelgate/wires/images";
import { toy } from "../../../libs/wires/test/toys/images/index.ts";
import { register } from "../../../libs/wires/test/toys/register.ts";

test("one more wire of images is served once it is in the registry: a folder, and one line", async () => {
  const parsed = readImageBody({ model: "mine", prompt: "a fox" });
  const { client } = wires[parsed.request.dialect];
  const signal = new AbortController().signal;
  const nothing = () => Promise.reject(new Error("nothing is fetched"));
  const deps = { remote: { fetch: nothing }, budget: new BufferBudget(1_000_000), taskWaitMs: 1 };
  using input = new InputImages(deps, parsed.request, signal);
  const exchange = await imagesExchange(
    {
      deps,
      unsupportedRules: { spelling: client.spelling, strict: false },
      parsed,
      input,
      render: (made) => ({ body: Buffer.from(JSON.stringify(client.render(made, { now: 3, act: "generation" }))) }),
    },
    register(wires, toy),
    "theirs",
  );
  expect([exchange.wire, exchange.body]).toEqual(["toy", Buffer.from('{"draw":"a fox"}')]);
  const reader = exchange.read({ headers: {} });
  if (reader.kind !== "task") throw new Error("an answer that may be a task was expected");
  const started = await reader.read(Buffer.from('{"at":"https://a.example/x.png"}'));
  const { body, usage } = await started.finish({ poll: nothing, send: nothing, origin: "", signal });
  expect(usage).toEqual({ images: 1 });
  expect(JSON.parse(String(body))).toEqual({ created: 3, data: [{ url: "https://a.example/x.png" }] });
});
