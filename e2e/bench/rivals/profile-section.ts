import { setTimeout } from "node:timers/promises";
import { drive } from "../measure.ts";
import { options, report } from "../options.ts";
import { startOurs } from "./ours.ts";
import { profiling, sharesIn } from "./profile.ts";
import { startStub } from "./start-stub.ts";

/** Parts that are shown, those with the largest shares. */
const shown = 40;
const stub = await startStub();
{
  await using _stub = stub;
  using profiles = profiling();
  {
    await using ours = await startOurs(stub.address, profiles.env);
    const { requests, failures } = await drive({
      url: ours.url,
      headers: { ...ours.headers, "content-type": "application/json" },
      body: JSON.stringify({ model: "stub", messages: [{ role: "user", content: "Hello. ".repeat(150) }] }),
      connections: 32,
      seconds: options.quick ? 5 : 30,
    });
    report("profile: requests, and failures among them", `${requests}, ${failures}`);
    await setTimeout(500); // what is still to be settled and told
  }
  for (const { part, share } of sharesIn(profiles.folder).slice(0, shown))
    report(`  ${part}`, `${(share * 100).toFixed(1)} %`);
}
