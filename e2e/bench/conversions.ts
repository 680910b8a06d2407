import type { Suite } from "@modelgate/testkit";
import { drive, driveMeasured } from "./measure.ts";

/** The wires, as a client speaks them and as a vendor behind a channel does. */
const wires = ["chat", "responses", "messages", "content"] as const;
type Wire = (typeof wires)[number];

/** Events of one answer. */
const events = 200;

function modelOf(wire: Wire): string {
  return `bench-${wire}`;
}

const providers: Readonly<Record<Wire, { readonly name: string; readonly path: string }>> = {
  chat: { name: "openai", path: "openai/v1" },
  responses: { name: "openai", path: "openai/v1" },
  messages: { name: "anthropic", path: "anthropic" },
  content: { name: "gemini", path: "gemini" },
};

/** A model per wire of a vendor: a channel is pinned to that wire. */
export const conversionModels = Object.fromEntries(wires.map((wire) => [modelOf(wire), { kind: "chat" }]));

export const conversionChannels = wires.map((wire) => ({
  id: `bench-${wire}`,
  provider: providers[wire].name,
  baseUrl: `\${SIMULATOR_URL}/${providers[wire].path}`,
  keys: ["key"],
  models: [modelOf(wire)],
  wires: [wire],
}));

/** CPU per event of edge and text, in bursts, for every client's wire and every vendor's. */
export async function conversions(
  suite: Suite,
  how: {
    readonly key: string;
    readonly seconds: number;
    readonly pids: Readonly<Record<string, number>>;
    readonly report: (what: string, value: string) => void;
  },
): Promise<void> {
  const measured = new Map<string, number>();
  for (const client of wires) {
    for (const vendor of wires) {
      const { path, body } = asks[client](modelOf(vendor));
      const load = {
        url: suite.edgeUrl + path,
        headers: {
          authorization: `Bearer ${how.key}`,
          "content-type": "application/json",
          "alpha-version": "2023-06-01",
        },
        body: JSON.stringify(body),
        connections: 16,
        seconds: how.seconds,
      };
      await drive({ ...load, seconds: how.seconds / 2 }); // warm
      const { result, cpu } = await driveMeasured(load, how.pids);
      const answered = result.requests - result.failures;
      measured.set(`${client} ${vendor}`, ((cpu["edge"] ?? 0) + (cpu["text"] ?? 0)) / Math.max(1, answered * events));
    }
  }
  const passed = wires.reduce((sum, wire) => sum + (measured.get(`${wire} ${wire}`) ?? 0), 0) / wires.length;
  for (const client of wires) {
    for (const vendor of wires) {
      const micros = measured.get(`${client} ${vendor}`) ?? 0;
      const ratio = client === vendor ? "passed" : `${(micros / passed).toFixed(2)} × passed`;
      how.report(`${client} client, ${vendor} vendor: CPU per event, edge + text`, `${micros.toFixed(1)} µs, ${ratio}`);
    }
  }
}

const words = `Hello {{simulate: ${JSON.stringify({ chunks: events })} }}`;

/** A stream in each client's wire. */
const asks: Readonly<Record<Wire, (model: string) => { readonly path: string; readonly body: object }>> = {
  chat: (model) => ({
    path: "/v1/chat/completions",
    body: {
      model,
      stream: true,
      stream_options: { include_usage: true },
      messages: [{ role: "user", content: words }],
    },
  }),
  responses: (model) => ({
    path: "/v1/responses",
    body: { model, stream: true, store: false, input: words },
  }),
  messages: (model) => ({
    path: "/v1/messages",
    body: { model, stream: true, max_tokens: 4_096, messages: [{ role: "user", content: words }] },
  }),
  content: (model) => ({
    path: `/v1beta/models/${model}:streamGenerateContent?alt=sse`,
    body: { contents: [{ parts: [{ text: words }] }] },
  }),
};
