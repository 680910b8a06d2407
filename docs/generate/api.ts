import { endpointIds, endpointOf } from "@modelgate/contracts";

/** Writes the list of endpoints, from the table that routes and OpenAPI are made of. */
export function apiPage(): string {
  const rows = endpointIds.map((id) => {
    const { method, path, summary, keys, errors } = endpointOf(id);
    return `| \`${method}\` | \`${path}\` | ${summary} | ${keys.join(", ")} | ${errors} |`;
  });
  return [
    "# API",
    "",
    "The running gateway describes its whole interface, with the bodies that each endpoint takes:",
    "",
    "```sh",
    "curl -s http://127.0.0.1:8080/openapi.json",
    "```",
    "",
    "This page is written from the table that its routes come from. *alpha* is the format of Anthropic's clients, *gamma* that of",
    "Google's, *common* that of OpenAI's; a failure has the error body of its endpoint's format ([Errors](/reference/errors)).",
    "",
    "| method | path | what | key in | errors |",
    "|---|---|---|---|---|",
    ...rows.map((row) => row.replaceAll("{", "&#123;").replaceAll(/`([^`]*&#123;[^`]*)`/g, "<code>$1</code>")),
    "",
  ].join("\n");
}
