/** Advisory that is accepted until a date. */
export interface AcceptedAdvisory {
  readonly id: string;
  /** Last day (UTC) of the acceptance, such as `2027-01-31`. */
  readonly until: string;
  readonly why: string;
}

/** Advisories that do not fail the audit. */
export const acceptedAdvisories: readonly AcceptedAdvisory[] = [];

const failingSeverities: ReadonlySet<string> = new Set(["high", "critical"]);
/** Path prefix of packages that only tests use. */
const testsOnly = "libs__testkit>";

interface Advisory {
  readonly module_name: string;
  readonly severity: string;
  readonly title: string;
  readonly url: string;
  readonly github_advisory_id?: string;
  readonly findings: readonly { readonly version: string; readonly paths: readonly string[] }[];
}

/**
 * Returns the advisories in the output of `pnpm audit --prod --json` that prevent a release. Undefined if the output is
 * not a report.
 */
export function unacceptedAdvisories(
  output: string,
  accepted: readonly AcceptedAdvisory[],
  today: string,
): readonly string[] | undefined {
  const report = reportIn(output);
  if (report === undefined) return undefined;
  const acceptedIds = new Set(accepted.filter(({ until }) => today <= until).map(({ id }) => id));
  return Object.values(report.advisories)
    .filter(({ severity, github_advisory_id: id = "" }) => failingSeverities.has(severity) && !acceptedIds.has(id))
    .flatMap(({ findings, module_name, severity, title, url }) => {
      const shipped = findings.filter(({ paths }) => paths.some((path) => !path.startsWith(testsOnly)));
      const versions = shipped.map(({ version }) => version).join(", ");
      return shipped.length === 0 ? [] : [`${severity}: ${module_name} ${versions}: ${title} (${url})`];
    });
}

function reportIn(output: string): { readonly advisories: Readonly<Record<string, Advisory>> } | undefined {
  try {
    const report: unknown = JSON.parse(output);
    return typeof report === "object" && report !== null && "advisories" in report
      ? (report as { readonly advisories: Readonly<Record<string, Advisory>> })
      : undefined;
  } catch {
    return undefined;
  }
}
