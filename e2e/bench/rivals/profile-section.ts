import { serviceNames } from "@modelgate/deploy/local";
import { shapes, type Shape } from "@modelgate/testkit";
import { inspectedEnv, inspectorIn } from "../inspector.ts";
import { drive } from "../measure.ts";
import { options, report } from "../options.ts";
import { cpuOf } from "./gateways.ts";
import { loadOf } from "./kinds.ts";
import { nameOfOurs, startOurs, type Ours } from "./ours.ts";
import { sharesIn, type Profile } from "./profile.ts";
import { startProfile } from "./profiler.ts";
import { startStub } from "./start-stub.ts";

/** CPU of a saturated chat request by part of the code, in each shape; with `--shape` in one. */
const shown = 45;
const [warmSeconds, seconds] = options.quick ? [5, 5] : [20, 20];
const kind = options.kind === "burst" || options.kind === "spaced" || options.kind === "large" ? options.kind : "chat";

await using stub = await startStub();
for (const shape of shapes) {
  if (options.shape !== undefined && options.shape !== shape) continue;
  await using ours = await startOurs(stub.address, shape, inspectedEnv);
  await profile(shape, ours);
}

async function profile(shape: Shape, ours: Ours): Promise<void> {
  const load = loadOf(kind, ours);
  if (load === undefined) return;
  const inspectors = busyLogs(ours).map(inspectorIn);
  await drive({ ...load, seconds: warmSeconds });
  const stops = await Promise.all(inspectors.map(startProfile));
  const before = cpuOf(ours);
  const { requests, failures } = await drive({ ...load, seconds });
  const after = cpuOf(ours);
  const profiles: Profile[] = [];
  for (const stop of stops) profiles.push(await stop());
  const spent = Object.keys(ours.parts).reduce((sum, part) => sum + (after[part] ?? 0) - (before[part] ?? 0), 0);
  const micros = spent / requests;
  const text = `${failures} failed; ${Math.round(micros)} µs of CPU each while profiled`;
  report(`${nameOfOurs[shape]}: ${requests} requests (${kind})`, text);
  for (const { part, share } of sharesIn(profiles).slice(0, shown))
    report(`  ${part}`, `${(share * 100).toFixed(1)} %, ${Math.round(share * micros)} µs`);
}

/** The logs of the processes that a call goes through, or that book it: they begin with where their inspectors listen. */
function busyLogs({ suite }: Ours): readonly string[] {
  const names = serviceNames.filter((name) => name === "edge" || name === "text" || name === "ledger");
  return [...new Set(names.map((name) => suite.process(name)))].map((child) => child.logs());
}
