import { dollars, statusesOf, tried, type Attack, type Way } from "../attack.ts";
import type { Answer } from "../client.ts";
import { json, type Handler } from "../vendor.ts";
import { honestText, textAnswer, textRequest, textWays, textWires, type TextWire } from "./wires.ts";

/** What a vendor charges beside tokens, and no price here covers. */
const fees: Readonly<Record<TextWire, readonly object[]>> = {
  chat: [{ web_search_options: {} }, { search_parameters: { mode: "on" } }, { service_tier: "priority" }],
  responses: [
    { tools: [{ type: "image_generation" }] },
    { tools: [{ type: "web_search" }] },
    { tools: [{ type: "web_search_preview" }] },
    { tools: [{ type: "code_interpreter", container: { type: "auto" } }] },
    { tools: [{ type: "file_search" }] },
    { service_tier: "priority" },
  ],
  messages: [
    { tools: [{ type: "web_search_20250305", name: "web_search" }] },
    { tools: [{ type: "code_execution_20250522", name: "code_execution" }] },
    { speed: "fast" },
  ],
  generateContent: [
    { tools: [{ googleSearch: {} }] },
    { tools: [{ google_search: {} }] },
    { tools: [{ codeExecution: {} }] },
    { tools: [{ code_execution: {} }] },
    { tools: [{ fileSearch: {} }] },
    { serviceTier: "priority" },
  ],
};

const unpriced: Attack = {
  id: "unpriced",
  name: "uses vendors' tools and dearer tiers that have no price",
  area: "text",
  ways: textWays({ input: 1, output: 2 }, honestText),
  async run(field) {
    const answers: Answer[] = [];
    for (const wire of textWires)
      for (const more of fees[wire]) answers.push(await field.send(textRequest(wire, field.model(wire), more)));
    // Without the tool, which is left out, a request may reach its vendor.
    const passed = textWires.flatMap((wire) =>
      field.asked(wire).flatMap(({ body }) => {
        const fee = feeIn(body);
        return fee === undefined ? [] : [`${wire} ${fee}`];
      }),
    );
    return tried(`${answers.length} requests: ${statusesOf(answers)}`, `${passed.length} tools reached a vendor`, [
      passed.length > 0 && `unpriced: ${passed.join(", ")}`,
    ]);
  },
};

/** The words of a request that cost extra; undefined where there are none. */
function feeIn(body: string): string | undefined {
  const found = body.match(
    /web_search\w*|search_parameters|image_generation|code_?\w+|google_?search|file_?search|service_?tier|speed/i,
  );
  return found?.[0];
}

/** Usage of units that the model has no price for: the nearest price counts. */
const words = "word ".repeat(2_000);
const reported = 500;
const pricePerMillion = 1_000;
const due = (reported * pricePerMillion) / 1e6;

const nearest: readonly (Omit<Way, "kind" | "path"> & { readonly wire: TextWire; readonly path: string })[] = [
  {
    name: "audio",
    wire: "chat",
    price: { input: pricePerMillion, output: pricePerMillion },
    provider: "openai",
    path: "v1",
    answers: (_, response) =>
      json(response, {
        ...textAnswer("chat"),
        usage: {
          prompt_tokens: reported,
          completion_tokens: 0,
          total_tokens: reported,
          prompt_tokens_details: { audio_tokens: reported },
        },
      }),
  },
  ...[{ input: pricePerMillion }, { input: pricePerMillion, cacheWrite: pricePerMillion }].map((price, at) => ({
    name: `hour-${at}`,
    wire: "messages" as const,
    price,
    provider: "anthropic",
    path: "anthropic",
    answers: ((_, response) =>
      json(response, {
        ...textAnswer("messages"),
        usage: {
          input_tokens: 0,
          output_tokens: 0,
          cache_creation_input_tokens: reported,
          cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: reported },
        },
      })) satisfies Way["answers"],
  })),
];

const nearestPrice: Attack = {
  id: "nearest-price",
  name: "uses units without a price of their own (audio tokens, one-hour cache writes)",
  area: "text",
  ways: nearest.map(({ wire: _wire, ...way }) => ({ ...way, kind: "chat" })),
  async run(field) {
    const unpaid: string[] = [];
    let before = 0;
    for (const { name, wire } of nearest) {
      await field.send(
        textRequest(wire, field.model(name), wire === "messages" ? {} : { max_completion_tokens: 10 }, words),
      );
      const spent = await field.spent(field.attacker);
      if (spent - before < due * 0.99) unpaid.push(`${name}: ${dollars(spent - before)} of ${dollars(due)}`);
      before = spent;
    }
    return tried(`${nearest.length} calls`, `${dollars(before)} billed`, unpaid);
  },
};

/** Documents of one request, and how many searches its vendor charges for them. */
const [documents, searches, searchPrice] = [1_000, 10, 0.002];

const ranking: Handler = (_, response) => json(response, { model: "m", results: [{ index: 0, relevance_score: 0.9 }] });

const manyDocuments: Attack = {
  id: "rerank",
  name: `ranks ${documents} documents at the price of a search`,
  area: "text",
  ways: [
    { name: "main", kind: "rerank", price: { request: searchPrice }, provider: "jina", path: "v1", answers: ranking },
  ],
  async run(field) {
    const body = {
      model: field.model("main"),
      query: "a fox",
      documents: Array.from({ length: documents }, () => "a fox and a dog"),
    };
    const answer = await field.send({ path: "/v1/rerank", body });
    const spent = await field.spent(field.attacker);
    const due = searches * searchPrice;
    return tried(`1 request: ${statusesOf([answer])}`, `${dollars(spent)} billed of ${dollars(due)} due`, [
      field.asked("main").length === 0 && "no request reached the vendor, so nothing was shown",
      spent < due * 0.99 && `${dollars(spent)} was paid`,
    ]);
  },
};

/** What makes an image of the common wire cost a multiple of the usual one. */
const dearImages: readonly object[] = [
  { quality: "high" },
  { quality: "hd" },
  { size: "1536x1024", quality: "high" },
  { quality: "HIGH" },
  { size: "4096x4096" },
];

const dearerImages: Attack = {
  id: "dear-images",
  name: "asks for images of high quality or a large size where only images have a price",
  area: "media",
  ways: [
    {
      name: "main",
      kind: "image",
      price: { image: 0.01 },
      provider: "openai",
      path: "v1",
      answers: (_, response) => json(response, { created: 1, data: [{ b64_json: "aGVsbG8=" }] }),
    },
  ],
  async run(field) {
    const answers: Answer[] = [];
    for (const more of dearImages)
      answers.push(
        await field.send({
          path: "/v1/images/generations",
          body: { model: field.model("main"), prompt: "a fox", ...more },
        }),
      );
    const passed = field.asked("main").length;
    return tried(`${answers.length} requests: ${statusesOf(answers)}`, `${passed} reached a vendor`, [
      passed > 0 && `${passed} dear images at the price of the usual one`,
    ]);
  },
};

/** Item 7: fees and tiers. */
export const feeAttacks: readonly Attack[] = [unpriced, nearestPrice, manyDocuments, dearerImages];
