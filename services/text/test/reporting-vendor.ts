import { startScriptedServer, textAnswers, textWireOf, type ScriptedServer } from "@modelgate/testkit";

export interface Report {
  /** Usage object in the vendor's format. */
  readonly usage: object;
  /** Service tier, on wires that report it next to the usage. */
  readonly tier?: string;
  /** Makes streams send their text and then nothing. `searches` adds a search before the text. */
  readonly silentAfterWords?: { readonly searches: boolean };
}

export interface ReportingVendor extends ScriptedServer {
  report(report: Report): void;
}

const text = "Found it for you.";
const search = [
  { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "it" } },
  { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] },
];

export async function startReportingVendor(): Promise<ReportingVendor> {
  let report: Report = { usage: {} };
  const server = await startScriptedServer(({ path, body }, response) => {
    const { model, stream }: { readonly model?: string; readonly stream?: boolean } = JSON.parse(body);
    const { usage, tier, silentAfterWords } = report;
    const before = silentAfterWords?.searches === true ? search : [];
    const frames = textAnswers[textWireOf(path) ?? "chat"]({ model, text, usage, tier, before });
    if (stream !== true && !path.includes(":stream")) return { body: frames.whole };
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(frames.begin + frames.word(text));
    if (silentAfterWords === undefined) response.end(frames.end);
    return undefined;
  });
  return Object.assign(server, { report: (next: Report) => void (report = next) });
}
