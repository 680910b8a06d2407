import type { Redis } from "@modelgate/platform";

/** The runs of all primaries: another text where one was started again, or another server took its place. */
export async function serverRuns(redis: Redis): Promise<string> {
  const nodes = "nodes" in redis ? redis.nodes("master") : [redis];
  const runs = await Promise.all(
    nodes.map(async (node) => /run_id:(\w+)/.exec(await node.info("server"))?.[1] ?? "unknown"),
  );
  return runs.sort().join(" ");
}
