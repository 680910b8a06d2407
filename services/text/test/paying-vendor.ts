import {
  startScriptedServer,
  streamOf,
  textAnswers,
  textUsage,
  textWireOf,
  type ScriptedServer,
  type TextAnswer,
  type TextWire,
} from "@modelgate/testkit";

type Body = Readonly<Record<string, unknown>>;

/**
 * Starts a vendor that runs all tools of a request and serves the requested tier. It reports ten input tokens, five
 * output tokens, two searches, one session of code execution, and one call of each other tool.
 */
export async function startPayingVendor(): Promise<ScriptedServer> {
  return await startScriptedServer(({ path, body: text }) => {
    const body: Body = JSON.parse(text);
    const wire = textWireOf(path);
    if (wire === undefined) return { body: ranking(body) };
    const usage = textUsage[wire](10, 5);
    const frames = textAnswers[wire]({ model: body["model"], text: "Found.", usage, ...charged[wire](body, usage) });
    const streams = body["stream"] === true || path.includes("stream");
    return { body: streams ? streamOf(frames, "Found.") : frames.whole };
  });
}

/** Output items of the responses wire that the calls of each tool create. */
const items: Readonly<Record<string, readonly object[]>> = {
  web_search: ["ws_1", "ws_2"].map((id) => ({
    type: "web_search_call",
    id,
    status: "completed",
    action: { type: "search", query: id },
  })),
  code_interpreter: ["ci_1", "ci_2"].map((id) => ({
    type: "code_interpreter_call",
    id,
    container_id: "cntr_1",
    status: "completed",
  })),
  file_search: [{ type: "file_search_call", id: "fs_1", status: "completed", queries: ["q"] }],
  image_generation: [{ type: "image_generation_call", id: "ig_1", status: "completed", result: "AA==" }],
  mcp: [{ type: "mcp_call", id: "mcp_1", status: "completed" }],
};

function typesIn(tools: unknown): readonly string[] {
  return Array.isArray(tools) ? tools.map(({ type }: { readonly type: string }) => type) : [];
}

/** Returns true if a chat request demands a search: by a member, or in its messages. */
function searches({ search_parameters: parameters, messages }: Body): boolean {
  return parameters !== undefined || JSON.stringify(messages).includes("search the web");
}

const tierOf = ({ service_tier: tier }: Body): string => (typeof tier === "string" ? tier : "default");

/** Parts of an answer that are charged in addition to its tokens, by wire. */
const charged: Readonly<Record<TextWire, (body: Body, usage: object) => TextAnswer>> = {
  completions: () => ({}),
  chat: (body, usage) => ({
    usage: { ...usage, ...(searches(body) ? { num_sources_used: 2 } : {}) },
    tier: tierOf(body),
  }),
  responses: (body) => ({
    before: typesIn(body["tools"]).flatMap((type) => items[type] ?? []),
    tier: tierOf(body),
  }),
  messages(body, usage) {
    const types = typesIn(body["tools"]);
    const count = (name: string, uses: number) => (types.some((type) => type.startsWith(name)) ? uses : 0);
    return {
      usage: {
        ...usage,
        service_tier: "standard",
        ...(body["speed"] === undefined ? {} : { speed: body["speed"] }),
        server_tool_use: {
          web_search_requests: count("web_search", 2),
          code_execution_requests: count("code_execution", 3),
        },
      },
    };
  },
  content(body) {
    const tools = JSON.stringify(body["tools"] ?? []);
    const tier = body["serviceTier"];
    return {
      more: {
        groundingMetadata: {
          ...(tools.includes("googleSearch") ? { webSearchQueries: ["a", "b"], groundingChunks: [{ web: {} }] } : {}),
          ...(tools.includes("fileSearch") ? { groundingChunks: [{ retrievedContext: {} }] } : {}),
        },
      },
      tier: typeof tier === "string" ? `ON_DEMAND_${tier.toUpperCase()}` : undefined,
    };
  },
};

/** Returns a ranking. Models whose name begins with "counted" also report search units. */
function ranking({ model }: Body): object {
  const counted = String(model).startsWith("counted") ? { meta: { billed_units: { search_units: 7 } } } : {};
  return { id: "r", model, results: [{ index: 0, relevance_score: 1 }], ...counted };
}
