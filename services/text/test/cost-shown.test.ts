import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startArea, type Area } from "../../../libs/relay/test/area.ts";
import { channel, hello, keys } from "../../../libs/relay/test/config.ts";
import { service } from "../src/service.ts";
import { post } from "./requests.ts";

let area: Area;
beforeAll(async () => {
  area = await startArea(service, {
    config: {
      groups: { default: { models: ["*"] } },
      models: {
        fixed: { kind: "chat", price: { request: 0.001 } },
        renamed: { kind: "chat", price: { request: 0.001 } },
        claude: { kind: "chat", price: { request: 0.001 } },
        embed: { kind: "embedding", price: { request: 0.001 } },
      },
      channels: [
        channel("main", { fixed: "fixed", embed: "embed", renamed: "other-name" }),
        {
          ...channel("far", ["claude"]),
          provider: "anthropic",
          baseUrl: "${SIMULATOR_URL}/at/far/anthropic",
        },
      ],
      accounts: {
        demo: { balance: "10.00", tokens: [{ key: keys.demo, group: "default", name: "the demo's" }] },
      },
    },
  });
});
afterAll(() => area?.[Symbol.asyncDispose]());

const asking = { usage: { include: true } };

describe.each(["fixed", "renamed", "claude"])("the cost of a call of %s", (model) => {
  test("the cost is in the headers of a complete answer, and in its usage on request", async () => {
    const plain = await post(area, hello(model));
    expect(plain.headers.get("x-modelgate-cost")).toBe("0.001");
    expect(await plain.json()).not.toHaveProperty("usage.cost");
    const answerWithCost = await post(area, { ...hello(model), ...asking });
    expect(await answerWithCost.json()).toMatchObject({
      model,
      usage: { cost: 0.001, total_tokens: expect.any(Number) },
    });
  });

  test("the cost is in a stream's trailer, and in its last usage frame on request", async () => {
    const plain = await streamed({ ...hello(model), stream: true });
    expect([plain.trailer, plain.text.includes('"cost"')]).toEqual(["0.001", false]);
    const streamWithCost = await streamed({ ...hello(model), ...asking, stream: true });
    const costs = frames(streamWithCost.text).flatMap(({ usage }) => (usage?.cost === undefined ? [] : [usage.cost]));
    expect([streamWithCost.trailer, costs]).toEqual(["0.001", [0.001]]);
  });
});

describe.each(["fixed", "renamed", "claude"])("the cost of a call of %s in other wires' usage", (model) => {
  const asks: readonly (readonly [string, object])[] = [
    ["/v1/responses", { model, input: "Hi" }],
    ["/v1/messages", { ...hello(model), max_tokens: 100 }],
  ];

  test.each(asks)("%s, complete and streamed", async (path, body) => {
    const plain = await streamed(body, path);
    expect([plain.text.includes('"cost"'), JSON.parse(plain.text)]).toEqual([false, expect.anything()]);
    const streamedAnswer = await streamed({ ...body, ...asking }, path);
    expect(JSON.parse(streamedAnswer.text)).toMatchObject({
      model,
      usage: { cost: 0.001, input_tokens: expect.any(Number) },
    });
    const stream = await streamed({ ...body, ...asking, stream: true }, path);
    const costs = frames(stream.text).flatMap(({ usage, response }) => (usage ?? response?.usage)?.cost ?? []);
    expect([stream.trailer, costs]).toEqual(["0.001", [0.001]]);
  });
});

test("other complete answers have their cost too", async () => {
  const answer = await fetch(`${area.url}/v1/embeddings`, {
    method: "POST",
    headers: { authorization: `Bearer ${keys.demo}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "embed", input: "Hello" }),
  });
  expect([answer.status, answer.headers.get("x-modelgate-cost")]).toEqual([200, "0.001"]);
});

interface Frame {
  readonly usage?: { readonly cost?: number } | null;
  readonly response?: Frame;
}

function frames(text: string): readonly Frame[] {
  return text
    .split("\n")
    .filter((line) => line.startsWith("data: {"))
    .map((line): Frame => JSON.parse(line.slice("data: ".length)));
}

/** Requests a stream. Returns its text and its trailer, which `fetch` does not expose. */
function streamed(
  body: object,
  path = "/v1/chat/completions",
): Promise<{ readonly text: string; readonly trailer: string | undefined }> {
  return new Promise((resolve, reject) => {
    const type = { "content-type": "application/json", "anthropic-version": "2023-06-01" };
    const headers = { authorization: `Bearer ${keys.demo}`, ...type };
    request(area.url + path, { method: "POST", headers }, (answer) => {
      let text = "";
      answer
        .setEncoding("utf8")
        .on("data", (piece: string) => (text += piece))
        .once("end", () => resolve({ text, trailer: answer.trailers["x-modelgate-cost"] }));
    })
      .once("error", reject)
      .end(JSON.stringify(body));
  });
}
