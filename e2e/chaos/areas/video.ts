import type { Suite } from "@modelgate/testkit";
import { ended, failed, modelOf, type Area, type Asking, type Outcome, type Vendor } from "../area.ts";
import { exchange } from "../exchange.ts";

const openai: Vendor = {
  name: "video",
  kind: "video",
  price: { second: 0.01 },
  provider: "openai",
  path: "openai/v1",
  upstreamModel: "sora-2",
};
const kling: Vendor = {
  name: "video-signed",
  kind: "video",
  price: { second: 0.01 },
  provider: "kling",
  path: "kling",
  upstreamModel: "kling-v1",
  key: "AKchaos|AKchaos-secret",
};
const vendors = [openai, kling];

/** Pause between two looks of a client, and after one that went wrong. */
const lookPauseMs = 60;
const afterFailureMs = 250;
/** Longest that a client follows its task: beyond the task's lifetime in this run. */
const followMs = 12_000;

/** Videos: a task is made, followed to its end, and its file taken; every third is left to itself. */
export const video: Area = {
  name: "video",
  vendors,
  misbehaves: {
    // Later than every look and every start waits.
    stalls: { delayMs: 3_000 },
    // It is made, and the client does not hear of it.
    cuts: { closeAfterAccept: true },
  },
  hasLengths: true,
  async ask(asking) {
    const vendor = vendors[asking.turn % vendors.length] ?? openai;
    const prompt = `A boat of ${asking.requestId}; {{simulate: {"delayMs": 30, "looks": 2}}}`;
    const leaves = asking.leaves === "in the answer" ? "never" : asking.leaves;
    const got = await exchange(asking, {
      path: "/v1/videos",
      body: { model: modelOf(vendor, asking.ways), prompt },
      leaves,
    });
    if (got === "left") return ended("left");
    if (typeof got === "string") return failed(got);
    if (got.status !== 200) return failed(String(got.status));
    const { id }: { readonly id: string } = JSON.parse(got.bytes.toString());
    return asking.turn % 3 === 2 ? { failures: [], left: false, whole: 0, asked: 1 } : follow(asking, id);
  },
  async repeated(suite, idBeginning, refusing) {
    const ways = refusing ? ["spare"] : ["main", "spare"];
    const counts = await Promise.all(
      vendors.flatMap(({ name }) => ways.map((way) => startsOf(suite, `${name}-${way}`, idBeginning))),
    );
    const all = counts.flat();
    return all.length - new Set(all).size;
  },
};

/** Looks until the task has ended, then takes its file. */
async function follow(asking: Asking, id: string): Promise<Outcome> {
  const failures: string[] = [];
  for (const begin = Date.now(); Date.now() - begin < followMs;) {
    const got = await exchange(asking, { path: `/v1/videos/${id}`, method: "GET", leaves: "never" });
    const seen = typeof got === "object" && got.status === 200 ? got : undefined;
    if (seen === undefined) failures.push(`look: ${typeof got === "object" ? got.status : got}`);
    const { status }: { readonly status?: string } = seen === undefined ? {} : JSON.parse(seen.bytes.toString());
    if (status === "failed") return { failures: [...failures, "task failed"], left: false, whole: 0, asked: 1 };
    if (status === "completed") return { ...(await take(asking, id, failures)), asked: 1 };
    await new Promise((resolve) => setTimeout(resolve, seen === undefined ? afterFailureMs : lookPauseMs));
  }
  return { failures: [...failures, "task did not end"], left: false, whole: 0, asked: 1 };
}

/** The task is done and must be paid, whether or not its file arrives. */
async function take(asking: Asking, id: string, failures: readonly string[]): Promise<Omit<Outcome, "asked">> {
  const leaves = asking.leaves === "in the answer" ? "in the answer" : "never";
  const got = await exchange(asking, { path: `/v1/videos/${id}/content`, method: "GET", leaves });
  if (got === "left") return { failures, left: true, whole: 1 };
  const isThere = typeof got === "object" && got.status === 200 && got.bytes.includes("ftyp");
  const more = isThere ? [] : [`file: ${typeof got === "object" ? got.status : got}`];
  return { failures: [...failures, ...more], left: false, whole: 1 };
}

/** The requests that a vendor was asked to start a task for, as often as it was. */
async function startsOf({ simulator }: Suite, instance: string, idBeginning: string): Promise<readonly string[]> {
  return (await simulator.requests(instance)).flatMap(({ method, body }) => {
    const found = /A boat of ([\w-]+);/.exec(body)?.[1];
    return method === "POST" && found?.startsWith(idBeginning) === true ? [found] : [];
  });
}
