import { Alert, Button, Center, Loader, Stack, Text } from "@mantine/core";
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { oldDataText } from "./old-data.ts";
import { translate } from "../texts/translate.ts";

/** Shows the data of a query, its loading state, or its error. Old data has a line that says so. */
export function QueryResult<T>({
  query,
  children,
}: {
  readonly query: UseQueryResult<T>;
  readonly children: (data: T) => ReactNode;
}) {
  if (query.data !== undefined) {
    const oldData = oldDataText(query);
    return (
      <>
        {oldData !== undefined && (
          <Text size="sm" c="red" role="status">
            {oldData}
          </Text>
        )}
        {children(query.data)}
      </>
    );
  }
  if (query.error !== null) return <QueryError error={query.error} retry={() => void query.refetch()} />;
  return (
    <Center p="xl">
      <Loader role="status" aria-label={translate("Loading")} />
    </Center>
  );
}

/** Error of a query, with a button that repeats it. */
export function QueryError({ error, retry }: { readonly error: Error; readonly retry: () => void }) {
  return (
    <Alert color="red" title={translate("Loading failed")} role="alert" m="md">
      <Stack align="flex-start" gap="xs">
        <Text size="sm">{error.message}</Text>
        <Button size="xs" variant="default" onClick={retry}>
          {translate("Try again")}
        </Button>
      </Stack>
    </Alert>
  );
}

/** Text shown instead of an empty list, card or page. */
export function Empty({ children }: { readonly children: ReactNode }) {
  return (
    <Center p="xl">
      <Text c="dimmed" ta="center" component="div">
        {children}
      </Text>
    </Center>
  );
}
