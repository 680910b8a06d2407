import { startLocalSuite } from "@modelgate/testkit";

/** Counts the files and functions of the text service that one passed, streamed chat call enters, by V8's precise coverage. */
const key = "sk-bench-0123456789abcdef";
await using suite = await startLocalSuite({
  shape: "apart",
  config: {
    groups: { default: { models: ["*"] } },
    models: { bench: { kind: "chat", price: { input: 1, output: 2 } } },
    channels: [
      { id: "c", provider: "openai", baseUrl: "${SIMULATOR_URL}/openai/v1", keys: ["key"], models: ["bench"] },
    ],
    accounts: { bench: { balance: "10.00", tokens: [{ key, group: "default" }] } },
  },
});
const body = JSON.stringify({
  model: "bench",
  stream: true,
  stream_options: { include_usage: true },
  messages: [{ role: "user", content: "Hello" }],
});

async function call(): Promise<void> {
  const answer = await fetch(`${suite.edgeUrl}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body,
  });
  if (!(await answer.text()).includes("[DONE]")) throw new Error("the stream was not whole");
}

for (let warm = 0; warm < 3; warm++) await call();
process.kill(suite.process("text").pid, "SIGUSR1");
const inspector = await openInspector();
await inspector.ask("Profiler.enable");
await inspector.ask("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
await inspector.ask("Profiler.takePreciseCoverage");
await call();
const { result } = await inspector.ask("Profiler.takePreciseCoverage");
const entered = result
  .filter(({ url }) => url.includes("/libs/") || url.includes("/services/"))
  .map(({ url, functions }) => ({
    file: url.replace(/^.*\/(libs|services)\//, "$1/"),
    count: functions.filter(({ ranges: [whole] }) => (whole?.count ?? 0) > 0).length,
  }))
  .filter(({ count }) => count > 0)
  .toSorted((left, right) => left.file.localeCompare(right.file));
for (const { file, count } of entered) process.stdout.write(`${String(count).padStart(4)} ${file}\n`);
process.stdout.write(`${entered.length} files, ${entered.reduce((sum, { count }) => sum + count, 0)} functions\n`);
inspector.close();

/** What V8 says of the functions that ran. */
interface Coverage {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly { readonly ranges: readonly { readonly count: number }[] }[];
  }[];
}

/** Opens the inspector that the service has begun to listen on. */
async function openInspector() {
  const text = await retried(async () => (await fetch("http://127.0.0.1:9229/json")).text());
  const targets: readonly { readonly webSocketDebuggerUrl: string }[] = JSON.parse(text);
  const socket = new WebSocket(targets[0]?.webSocketDebuggerUrl ?? "");
  await new Promise((resolve) => socket.addEventListener("open", resolve, { once: true }));
  let last = 0;
  return {
    close: () => socket.close(),
    ask(method: string, params: object = {}): Promise<Coverage> {
      const id = ++last;
      return new Promise((resolve) => {
        socket.addEventListener("message", function onMessage({ data }) {
          const answer: { id?: number; result: Coverage } = JSON.parse(String(data));
          if (answer.id !== id) return;
          socket.removeEventListener("message", onMessage);
          resolve(answer.result);
        });
        socket.send(JSON.stringify({ id, method, params }));
      });
    },
  };
}

async function retried<Value>(run: () => Promise<Value>): Promise<Value> {
  for (let tries = 1; ; tries++) {
    try {
      return await run();
    } catch (error) {
      if (tries > 50) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}
