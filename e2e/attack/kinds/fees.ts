import { formatDollars, openaiModel, statusesOf, attackResult, type Attack, type AttackModel } from "../attack.ts";
import { json } from "../vendor.ts";
import { honestText, picture, textAnswer, textRequest, textModels, textWires, type TextWire } from "./wires.ts";

/** Request members for which vendors charge fees that have no price here. */
const fees: Readonly<Record<TextWire, readonly object[]>> = {
  chat: [{ web_search_options: {} }, { search_parameters: { mode: "on" } }, { service_tier: "priority" }],
  responses: [
    ...[
      { type: "image_generation" },
      { type: "web_search" },
      { type: "web_search_preview" },
      { type: "code_interpreter", container: { type: "auto" } },
      { type: "file_search" },
    ].map((tool) => ({ tools: [tool] })),
    { service_tier: "priority" },
  ],
  messages: [
    { tools: [{ type: "web_search_20250305", name: "web_search" }] },
    { tools: [{ type: "code_execution_20250522", name: "code_execution" }] },
    { speed: "fast" },
  ],
  generateContent: [
    ...["googleSearch", "google_search", "googleMaps", "google_maps", "fileSearch"].map((name) => ({
      tools: [{ [name]: {} }],
    })),
    { serviceTier: "priority" },
  ],
};
/** Matches names of request members that cost extra. */
const feeMember =
  /web_search\w*|search_parameters|image_generation|code_?\w+|google_?(?:search|maps)|file_?search|service_?tier|speed/i;

const unpricedFees: Attack = {
  id: "unpriced",
  name: "uses vendors' tools and more expensive tiers without a price",
  area: "text",
  models: textModels({ input: 1, output: 2 }, honestText),
  async run(context) {
    const answers = await context.sendAll(
      textWires.flatMap((wire) => fees[wire].map((more) => textRequest(wire, context.model(wire), more))),
    );
    // The gateway may remove the member, so that the rest reaches the vendor.
    const passed = textWires.flatMap((wire) =>
      context.requests(wire).flatMap(
        ({ body }) =>
          body
            .match(feeMember)
            ?.slice(0, 1)
            .map((found) => `${wire} ${found}`) ?? [],
      ),
    );
    return attackResult(
      `${answers.length} requests: ${statusesOf(answers)}`,
      `${passed.length} tools reached a vendor`,
      [passed.length > 0 && `unpriced: ${passed.join(", ")}`],
    );
  },
};

/** Number of reported units without a price, and price per million of the unit that applies instead. */
const [reported, pricePerMillion] = [500, 1_000];
const dueDollars = (reported * pricePerMillion) / 1e6;
const audioUsage = {
  prompt_tokens: reported,
  completion_tokens: 0,
  total_tokens: reported,
  prompt_tokens_details: { audio_tokens: reported },
};
const hourUsage = {
  input_tokens: 0,
  output_tokens: 0,
  cache_creation_input_tokens: reported,
  cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: reported },
};
const answerWithUsage =
  (wire: TextWire, usage: object): NonNullable<AttackModel["answers"]> =>
  (_, response) =>
    json(response, { ...textAnswer(wire), usage });
const price = { input: pricePerMillion };
const anthropic = { provider: "anthropic", path: "anthropic" };
const answerWithHourWrites = answerWithUsage("messages", hourUsage);
/** Models by name, whose price lacks the unit that the vendor reports. */
const modelsLackingUnitPrice: Readonly<Record<string, readonly [TextWire, AttackModel]>> = {
  audio: [
    "chat",
    openaiModel("audio", "chat", { ...price, output: pricePerMillion }, answerWithUsage("chat", audioUsage)),
  ],
  "hour-0": ["messages", openaiModel("hour-0", "chat", price, answerWithHourWrites, anthropic)],
  "hour-1": [
    "messages",
    openaiModel("hour-1", "chat", { ...price, cacheWrite: pricePerMillion }, answerWithHourWrites, anthropic),
  ],
};

const nearestPrice: Attack = {
  id: "nearest-price",
  name: "uses units without a separate price (audio tokens, one-hour cache writes)",
  area: "text",
  extraAccounts: Object.keys(modelsLackingUnitPrice).length,
  models: Object.values(modelsLackingUnitPrice).map(([, name]) => name),
  async run(context) {
    const words = "word ".repeat(2_000);
    const calls = Object.entries(modelsLackingUnitPrice).map(([name, [wire]]) =>
      textRequest(wire, context.model(name), wire === "messages" ? {} : { max_completion_tokens: 10 }, words),
    );
    const { spendings } = await context.sendFromEach(calls);
    return attackResult(
      `${calls.length} calls`,
      `${formatDollars(spendings.reduce((sum, each) => sum + each, 0))} billed`,
      Object.keys(modelsLackingUnitPrice).map((name, at) => {
        const spent = spendings[at] ?? 0;
        return spent < dueDollars * 0.99 && `${name}: ${formatDollars(spent)} of ${formatDollars(dueDollars)}`;
      }),
    );
  },
};

/** Documents of a request, searches that the vendor charges for them, and price per search. */
const [documents, searches, searchPrice] = [1_000, 10, 0.002];

const manyDocuments: Attack = {
  id: "rerank",
  name: `ranks ${documents} documents at the price of a search`,
  area: "text",
  models: [
    openaiModel(
      "main",
      "rerank",
      { request: searchPrice },
      (_, response) => json(response, { model: "m", results: [{ index: 0, relevance_score: 0.9 }] }),
      { provider: "jina" },
    ),
  ],
  async run(context) {
    const texts = Array.from({ length: documents }, () => "a fox and a dog");
    const body = { model: context.model("main"), query: "a fox", documents: texts };
    const answer = await context.send({ path: "/v1/rerank", body });
    const spent = await context.readSpending(context.attacker);
    const due = searches * searchPrice;
    return attackResult(
      `1 request: ${statusesOf([answer])}`,
      `${formatDollars(spent)} billed of ${formatDollars(due)} due`,
      [
        context.requests("main").length === 0 && "no request reached the vendor, so nothing was shown",
        spent < due * 0.99 && `${formatDollars(spent)} was paid`,
      ],
    );
  },
};

/** Options with which an image costs more than its default price. */
const expensiveOptions: readonly object[] = [
  { quality: "high" },
  { quality: "hd" },
  { size: "1536x1024", quality: "high" },
  { quality: "HIGH" },
  { size: "4096x4096" },
];

const expensiveImages: Attack = {
  id: "dear-images",
  name: "requests images of high quality or a large size if only images have a price",
  area: "media",
  models: [openaiModel("main", "image", { image: 0.01 }, picture)],
  async run(context) {
    const usual = { model: context.model("main"), prompt: "a fox" };
    const answers = await context.sendAll(
      expensiveOptions.map((more) => ({ path: "/v1/images/generations", body: { ...usual, ...more } })),
    );
    const passed = context.requests("main").length;
    return attackResult(`${answers.length} requests: ${statusesOf(answers)}`, `${passed} reached a vendor`, [
      passed > 0 && `${passed} expensive images at the price of the usual one`,
    ]);
  },
};

/** Attacks by fees and service tiers. */
export const feeAttacks: readonly Attack[] = [unpricedFees, nearestPrice, manyDocuments, expensiveImages];
