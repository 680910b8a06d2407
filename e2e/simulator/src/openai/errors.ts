import { bracketPath, type Problem, type Refusal } from "../checks/refusal.ts";

const codes: Readonly<Record<Problem, string>> = {
  unknown: "unknown_parameter",
  missing: "missing_required_parameter",
  type: "invalid_type",
  value: "invalid_value",
};

/** Renders an error body. */
export function renderError({ status, message, code, problem, path }: Refusal): object {
  const type = status === 429 ? "rate_limit_error" : status >= 500 ? "server_error" : "invalid_request_error";
  const param = path.length > 0 ? bracketPath(path) : null;
  return { error: { message, type, param, code: code ?? (param === null ? null : codes[problem]) } };
}
