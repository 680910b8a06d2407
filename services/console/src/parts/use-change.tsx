import { Alert } from "@mantine/core";
import { useMutation, useQueryClient, type MutationOptions, type QueryClient } from "@tanstack/react-query";
import { ApiError } from "../api/client.ts";
import { translate } from "../texts/translate.ts";

interface Change<Result> {
  readonly change: () => Promise<Result>;
  readonly changes: readonly string[];
  readonly onDone?: (result: Result) => void;
}

/** Returns the options of a mutation that repeats queries, also after an error, because its change may have been made. */
export function mutationOptions<Result>(
  queries: QueryClient,
  { change, changes, onDone }: Change<Result>,
): MutationOptions<Result> {
  const repeatQueries = () => Promise.all(changes.map((name) => queries.invalidateQueries({ queryKey: [name] })));
  return {
    mutationFn: change,
    async onSuccess(result) {
      await repeatQueries();
      onDone?.(result);
    },
    onError: repeatQueries,
  };
}

/**
 * Returns a mutation that makes a change, and then repeats the queries whose key begins with a member of `changes`.
 */
export function useChange<Result>(change: Change<Result>) {
  const mutation = useMutation(mutationOptions(useQueryClient(), change));
  return {
    start: () => mutation.mutate(),
    reset: mutation.reset,
    isPending: mutation.isPending,
    error: mutation.error,
    result: mutation.data,
    errorAt: (field: string): string | undefined =>
      mutation.error instanceof ApiError && mutation.error.param === field ? mutation.error.message : undefined,
  };
}

interface FailedChangeProps {
  readonly error: Error | null;
  /** Fields of the form, which show their own errors. */
  readonly draft?: Readonly<Record<string, string>>;
}

/** Message of a refusal, unless a field of the form shows it. */
export function FailedChange({ error, draft = {} }: FailedChangeProps) {
  const param = error instanceof ApiError ? error.param : undefined;
  if (error === null || (param !== undefined && Object.hasOwn(draft, param))) return null;
  return (
    <Alert color="red" role="alert" title={translate("The change failed")}>
      {param === undefined || error.message.includes(param) ? error.message : `${param}: ${error.message}`}
    </Alert>
  );
}
