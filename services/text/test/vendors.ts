export type Wire = "chat" | "responses" | "messages" | "content";

/** Vendor of the simulator. Its properties describe its wire, not the gateway. */
export interface Vendor {
  /** Name of the vendor, of its channel, and of the gateway's model that it serves. */
  readonly name: string;
  readonly wire: Wire;
  readonly provider: string;
  /** Path of its base URL at the simulator. */
  readonly path: string;
  /** Wires that the channel configures, if the provider supports several. */
  readonly wires?: readonly string[];
  /** Vendor's name of the model. Some of its rules depend on this name. */
  readonly model: string;
}

/** One vendor per wire, and a compatible vendor of the chat wire that sends and accepts reasoning. */
export const vendors: readonly Vendor[] = [
  { name: "chat", wire: "chat", provider: "openai", path: "/openai/v1", wires: ["chat"], model: "gpt-5.1" },
  { name: "open-chat", wire: "chat", provider: "openai", path: "/openai/v1", wires: ["chat"], model: "open-thinker" },
  {
    name: "responses",
    wire: "responses",
    provider: "openai",
    path: "/openai/v1",
    wires: ["responses", "compact"],
    model: "gpt-5.1",
  },
  {
    name: "messages",
    wire: "messages",
    provider: "anthropic",
    path: "/anthropic",
    model: "claude-sonnet-4-5",
  },
  { name: "content", wire: "content", provider: "gemini", path: "/gemini", model: "gemini-3-flash" },
];

/** Vendor of another wire for each client's wire. `libs/wires` tests all conversions in memory. */
const otherVendorOf: Readonly<Record<Wire, string>> = {
  chat: "messages",
  responses: "messages",
  messages: "responses",
  content: "open-chat",
};

export function ownAndOther(wire: Wire): readonly Vendor[] {
  return vendors.filter(({ name }) => name === wire || name === otherVendorOf[wire]);
}

export function channelOf(vendor: Vendor, id: string, models: Readonly<Record<string, string>>): object {
  return {
    id,
    provider: vendor.provider,
    baseUrl: `\${SIMULATOR_URL}/at/${id}${vendor.path}`,
    keys: [`key-of-${id}`],
    models,
    ...(vendor.wires === undefined ? {} : { wires: vendor.wires }),
  };
}
