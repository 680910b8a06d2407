import { Badge, Button, Group, Select, Stack, Text, TextInput } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { get } from "../api/client.ts";
import type { Task } from "../api/types.ts";
import { localTime } from "../format/times.ts";
import { DataTable } from "../parts/data-table.tsx";
import { Page } from "../parts/page.tsx";
import { PageLink } from "../parts/page-link.tsx";
import { Empty, QueryResult } from "../parts/states.tsx";
import { translate, translateTerm } from "../texts/translate.ts";

const route = getRouteApi("/frame/tasks");
const pageRows = "100";
const refreshMs = 5_000;
const states = ["queued", "in_progress", "completed", "failed"] as const;
const colors = { queued: "gray", in_progress: "blue", completed: "teal", failed: "red" } as const;

/** Page of video tasks. The address contains its filters. */
export function TasksPage() {
  const filters = route.useSearch();
  const pages = useInfiniteQuery({
    queryKey: ["tasks", filters],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      get("/tasks", { query: { ...filters, limit: pageRows, after: pageParam } }, signal),
    getNextPageParam: ({ next }) => next ?? undefined,
    refetchInterval: ({ state }) => (state.data?.pages.length === 1 ? refreshMs : false),
  });
  return (
    <Page title={translate("Video tasks")}>
      <Filters />
      <QueryResult query={pages}>
        {({ pages: loaded }) => {
          const tasks = loaded.flatMap((page) => page.tasks);
          if (tasks.length === 0) return <Empty>{translate("No video tasks match.")}</Empty>;
          return <TaskTable tasks={tasks} />;
        }}
      </QueryResult>
      {pages.hasNextPage && (
        <Button variant="default" loading={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
          {translate("Show older tasks")}
        </Button>
      )}
    </Page>
  );
}

function Filters() {
  const { state, account } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <Stack gap="xs">
      <Group align="end" gap="sm">
        <Select
          label={translate("State")}
          size="xs"
          clearable
          data={states.map((value) => ({ value, label: translateTerm(value) }))}
          value={state ?? null}
          onChange={(chosen) =>
            void navigate({ search: (before) => ({ ...before, state: chosen ?? undefined }), replace: true })
          }
        />
        <TextInput
          key={account}
          label={translate("Account")}
          size="xs"
          defaultValue={account ?? ""}
          onBlur={({ currentTarget: { value } }) =>
            void navigate({ search: (before) => ({ ...before, account: value || undefined }), replace: true })
          }
          onKeyDown={({ key, currentTarget }) => {
            if (key === "Enter") currentTarget.blur();
          }}
        />
      </Group>
      <Text size="xs" c="dimmed">
        {translate("Press Enter to apply a filter.")}
      </Text>
    </Stack>
  );
}

function TaskTable({ tasks }: { readonly tasks: readonly Task[] }) {
  return (
    <DataTable
      label={translate("Video tasks")}
      rows={tasks}
      keyOf={({ accountId, taskId }) => `${accountId} ${taskId}`}
      columns={[
        { heading: translate("Changed"), cell: ({ time }) => localTime(time) },
        { heading: translate("Task"), cell: ({ taskId }) => taskId },
        { heading: translate("State"), cell: (task) => <TaskState task={task} /> },
        {
          heading: translate("Account"),
          cell: ({ accountId: id }) => (
            <PageLink to="/accounts/$id" params={{ id }}>
              {id}
            </PageLink>
          ),
        },
        { heading: translate("Model"), cell: ({ model }) => model },
        { heading: translate("Channel"), cell: ({ channelId }) => channelId },
      ]}
    />
  );
}

function TaskState({ task: { state, progress, error, deleted } }: { readonly task: Task }) {
  return (
    <Stack gap={2}>
      <Badge variant="dot" color={colors[state]}>
        {translateTerm(state)}
        {state === "in_progress" ? ` ${progress} %` : ""}
      </Badge>
      {error !== undefined && (
        <Text size="xs">
          {error.code}: {error.message}
        </Text>
      )}
      {deleted && <Text size="xs">{translate("Deleted by the client")}</Text>}
    </Stack>
  );
}
