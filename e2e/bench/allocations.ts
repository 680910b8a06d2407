import { shapes } from "@modelgate/testkit";
import { inspectedEnv, inspectorIn } from "./inspector.ts";
import { runLoad } from "./measure.ts";
import { options, report } from "./options.ts";
import { partOf } from "./part-of.ts";
import { loadOf } from "./rivals/kinds.ts";
import { nameOfOurs, startOurs } from "./rivals/ours.ts";
import { startStub } from "./rivals/start-stub.ts";
import { bytesOf, sampleAllocations, type Site } from "./sample-allocations.ts";

/** Measures the bytes that a call allocates: in the text service, or in the single process of shape `one`. */

/** Numbers of parts and of functions that are printed. */
const [parts, sites] = [24, 10];
const seconds = options.quick ? 3 : 10;
/** Calls before the measurement. Code that V8 has not optimized yet allocates more. */
const warmCalls = options.quick ? 1_000 : 5_000;

const shape = shapes.find((name) => name === options.shape) ?? "apart";
const kind = options.kind === "burst" || options.kind === "large" ? options.kind : "chat";
await using stub = await startStub();
await using ours = await startOurs(stub.address, shape, { env: inspectedEnv, sources: true });
const load = loadOf(kind, ours);
if (load !== undefined) {
  for (let warm = 0; warm < warmCalls;) warm += (await runLoad({ ...load, seconds })).requests;
  const inspector = inspectorIn(ours.suite.process("text").logs());
  const { head, requests, failures } = await sampleAllocations(inspector, { ...load, seconds });
  const [byPart, bySite] = [new Map<string, number>(), new Map<string, number>()];
  addUp(head, byPart, bySite);
  const perCall = (bytes: number): string => `${(bytes / requests / 1_000).toFixed(1)} kB`;
  report(`${nameOfOurs[shape]}: allocated per call (${kind})`, perCall(bytesOf(head)));
  report("  calls, and how many failed", `${requests}, ${failures}`);
  for (const [part, bytes] of largest(byPart, parts)) report(`  ${part}`, perCall(bytes));
  report("the largest sites", "");
  for (const [site, bytes] of largest(bySite, sites)) report(`  ${site}`, perCall(bytes));
}

/** Adds a site's bytes to its part of the code and to its function, then those of the sites it called. */
function addUp(
  { callFrame, selfSize, children }: Site,
  byPart: Map<string, number>,
  bySite: Map<string, number>,
): void {
  const { functionName, url, lineNumber } = callFrame;
  const file = url.replace(/^.*\/(?=(?:libs|services|node_modules)\/)/, "").replace(/^.*node_modules\//, "");
  const site = `${functionName || "(anonymous)"} ${file}:${lineNumber + 1}`;
  const part = partOf(callFrame) ?? "(idle)";
  if (selfSize > 0) {
    byPart.set(part, (byPart.get(part) ?? 0) + selfSize);
    bySite.set(site, (bySite.get(site) ?? 0) + selfSize);
  }
  for (const child of children) addUp(child, byPart, bySite);
}

function largest(bytes: ReadonlyMap<string, number>, count: number): [string, number][] {
  return [...bytes].toSorted(([, left], [, right]) => right - left).slice(0, count);
}
