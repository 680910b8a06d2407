import { doors } from "./src/services.ts";
import { registerHooks } from "node:module";
const seen = new Map<string, number>();
registerHooks({
  load(url, ctx, next) {
    const r = next(url, ctx);
    const m = url.includes("node_modules/")
      ? url.replace(/.*node_modules\/((?:@[^/]+\/)?[^/]+).*/, "$1")
      : url.startsWith("node:")
        ? "node:"
        : url.replace(/.*\/speed\/((?:libs|services)\/[^/]+).*/, "$1");
    const s = (r.source as any)?.length ?? 0;
    seen.set(m, (seen.get(m) ?? 0) + s);
    return r;
  },
});
const mb = () => {
  (globalThis as any).gc?.();
  const m = process.memoryUsage();
  return `${(m.rss / 1048576).toFixed(0)} rss ${(m.heapUsed / 1048576).toFixed(1)} heap ${(m.external / 1048576).toFixed(1)} ext`;
};
console.log("start", mb());
for (const [n, d] of Object.entries(doors)) {
  await d();
  console.log(n, mb());
}
console.log(
  [...seen]
    .sort((a, b) => b[1] - a[1])
    .slice(0, 45)
    .map(([m, s]) => `${m} ${(s / 1024).toFixed(0)}k`)
    .join("\n"),
);
