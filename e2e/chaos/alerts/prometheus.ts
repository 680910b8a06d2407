import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { spawnGuarded } from "@modelgate/deploy/local";
import { freePorts, until } from "@modelgate/testkit";
import { stringify } from "yaml";

export interface Prometheus extends AsyncDisposable {
  readFiring(): Promise<ReadonlySet<string>>;
}

/** Interval of scrapes and evaluations in ms. */
const intervalMs = 250;

/** Starts a Prometheus that scrapes services and evaluates these rules. */
export async function startPrometheus(
  program: string,
  rules: string,
  opsUrls: Readonly<Record<string, string>>,
): Promise<Prometheus> {
  const folder = mkdtempSync(join(tmpdir(), "modelgate-prometheus-"));
  const [port = 0] = await freePorts(1);
  const interval = `${intervalMs}ms`;
  const config = {
    global: { scrape_interval: interval, scrape_timeout: interval, evaluation_interval: interval },
    rule_files: [join(folder, "rules.yaml")],
    scrape_configs: [
      {
        job_name: "modelgate",
        honor_labels: true,
        static_configs: Object.entries(opsUrls).map(([service, url]) => ({
          targets: [new URL(url).host],
          labels: { service },
        })),
      },
    ],
  };
  writeFileSync(join(folder, "prometheus.yaml"), stringify(config));
  writeFileSync(join(folder, "rules.yaml"), rules);
  const child = spawnGuarded({
    name: "prometheus",
    command: program,
    args: [
      `--config.file=${join(folder, "prometheus.yaml")}`,
      `--storage.tsdb.path=${join(folder, "data")}`,
      `--web.listen-address=127.0.0.1:${port}`,
      // Time after which a value without a new scrape is outdated.
      "--query.lookback-delta=2s",
    ],
  });
  const url = `http://127.0.0.1:${port}`;
  const ready = async (): Promise<boolean> => (await fetch(`${url}/-/ready`).catch(() => undefined))?.ok === true;
  await until("Prometheus to be ready", () => {
    if (!child.running) throw new Error(`Prometheus ended:\n${child.logs()}`);
    return ready();
  });
  // Prometheus is ready some seconds before its first scrape. It would miss increases of counters until then.
  await until("every service to be scraped", async () => {
    const answer = await fetch(`${url}/api/v1/query?query=up`);
    const { data }: { data: { result: readonly { value: readonly [number, string] }[] } } = JSON.parse(
      await answer.text(),
    );
    return data.result.filter(({ value: [, up] }) => up === "1").length === Object.keys(opsUrls).length;
  });
  return {
    async readFiring() {
      const answer = await fetch(`${url}/api/v1/alerts`);
      const { data }: { data: { alerts: readonly { state: string; labels: { alertname: string } }[] } } = JSON.parse(
        await answer.text(),
      );
      return new Set(data.alerts.filter(({ state }) => state === "firing").map(({ labels }) => labels.alertname));
    },
    async [Symbol.asyncDispose]() {
      await child.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
