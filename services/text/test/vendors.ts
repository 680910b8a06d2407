/** The four text wires. */
export type Wire = "chat" | "responses" | "messages" | "content";

/** A vendor of the simulator, and what it can and cannot do: facts of its wire, not of the gateway. */
export interface Vendor {
  /** Of the vendor, of its channel, and of the gateway's model behind it. */
  readonly name: string;
  readonly wire: Wire;
  readonly provider: string;
  /** Of its base URL at the simulator. */
  readonly path: string;
  /** What the channel says of its wires, where the provider speaks several. */
  readonly wires?: readonly string[];
  /** Its own name of the model: some of what it takes depends on that. */
  readonly model: string;
}

/** Every wire has its vendor; the chat wire also one that is not its inventor, and sends and takes thoughts. */
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

/** The other end of a conversion, by the client's wire: all conversions are tested in memory by `libs/wires`. */
const others: Readonly<Record<Wire, string>> = {
  chat: "messages",
  responses: "messages",
  messages: "responses",
  content: "open-chat",
};

/** The vendor that speaks a client's wire, and one that its calls are converted for. */
export function ownAndOther(wire: Wire): readonly Vendor[] {
  return vendors.filter(({ name }) => name === wire || name === others[wire]);
}

/** A way to a vendor, whose instance of the simulator has the channel's name. */
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
