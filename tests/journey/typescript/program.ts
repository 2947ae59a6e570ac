// Every JSON operation of the native API, with what openapi-typescript makes of its document.
// Prints one JSON object of figures.
import createClient from "openapi-fetch";
import type { components, paths } from "./api.js";

type Problem = components["schemas"]["Problem"];

const [uri = "http://127.0.0.1:8181", name = "shop.orders", column = "id", location = ""] = process.argv.slice(2);
const client = createClient<paths, "application/json">({ baseUrl: uri });
const inTable = { path: { table: name } };

/** The body of an answer, or what is wrong as an exception. */
function got<Body>(answer: { data?: Body; error?: Problem; response: Response }): Body {
  if (answer.data === undefined) {
    throw new Error(`${answer.response.url}: ${answer.error?.error.code}: ${answer.error?.error.message}`);
  }
  return answer.data;
}

/** The sum of integers, which are text beyond 2^53. */
function sum(numbers: Iterable<number | string | null>): string {
  let total = 0n;
  for (const one of numbers) total += BigInt(one ?? 0);
  return total.toString();
}

/** A time as milliseconds; it has to be one. */
function instant(text: string | null): number {
  const time = text === null ? Number.NaN : Date.parse(text);
  if (Number.isNaN(time)) throw new Error(`${text} is not a time`);
  return time;
}

async function catalogs() {
  const attached = got(await client.GET("/api/v1/catalogs")).catalogs;
  const kinds: ("rest" | "hive" | "glue" | "sql" | "paimon")[] = attached.map((one) => one.type);
  const synced = await client.POST("/api/v1/catalogs/{catalog}/sync", { params: { path: { catalog: "nowhere" } } });
  const missing: string | undefined = synced.error?.error.code;
  const added: number = synced.data?.added ?? 0;
  return { kinds, missing, added };
}

async function lists() {
  const names: string[] = [];
  let bytes = 0n;
  let token: string | null = null;
  do {
    const query: { page_size: number; sort: string; page_token?: string } = { page_size: 2, sort: "-total_bytes" };
    if (token !== null) query.page_token = token;
    const page = got(await client.GET("/api/v1/tables", { params: { query } }));
    for (const table of page.tables) {
      names.push(`${table.format} ${table.name}`);
      bytes += BigInt(table.total_bytes ?? 0);
    }
    token = page.next_page_token;
  } while (token !== null);
  const namespaces = got(await client.GET("/api/v1/namespaces"));
  return {
    names,
    bytes: bytes.toString(),
    namespaces: namespaces.namespaces.map((one) => ({ name: one.name, tables: one.tables, files: one.data_files })),
  };
}

async function table() {
  const found = got(await client.GET("/api/v1/tables/{table}", { params: inTable }));
  const nan: "any" | "greatest" | "unordered" | "none" = found.settings.nan;
  return {
    format: found.format,
    keys: found.partition_keys,
    records: found.total_records,
    target: found.settings.target_file_size,
    updated: instant(found.last_updated_at),
    nan,
  };
}

async function history() {
  const snapshots = got(await client.GET("/api/v1/tables/{table}/snapshots", { params: inTable })).snapshots;
  const newest = snapshots[0];
  const oldest = snapshots.at(-1);
  if (newest === undefined || oldest === undefined) throw new Error("the table has no snapshot");
  const again = got(
    await client.GET("/api/v1/tables/{table}/snapshots/{id}", {
      params: { path: { table: name, id: newest.snapshot_id }, query: { branch: newest.branch } },
    }),
  );
  const state: "known" | "published" | "quarantined" = again.state;
  const refs = got(await client.GET("/api/v1/tables/{table}/refs", { params: inTable })).refs;
  const schemas = got(await client.GET("/api/v1/tables/{table}/schemas", { params: inTable })).schemas;
  const columns: string[] = [];
  for (const field of schemas.find((one) => one.current)?.fields ?? []) {
    // A nested type is an object, whose `type` tells which.
    const type = typeof field.type === "string" ? field.type : field.type.type;
    columns.push(`${field.id} ${field.name} ${type}${field.required ? " required" : ""}`);
  }
  const specs = got(await client.GET("/api/v1/tables/{table}/specs", { params: inTable })).specs;
  const diff = got(
    await client.GET("/api/v1/tables/{table}/diff", {
      params: { ...inTable, query: { from: oldest.snapshot_id, to: newest.snapshot_id } },
    }),
  );
  const change: ("added" | "removed")[] = diff.diff.map((file) => file.change);
  return {
    ids: snapshots.map((one) => one.snapshot_id),
    kind: newest.commit_kind ?? newest.operation,
    committed: instant(newest.committed_at),
    state,
    refs: refs.map((ref) => `${ref.type} ${ref.name} ${ref.snapshot_id} ${ref.max_ref_age_ms ?? ""}`),
    columns,
    transforms: specs.flatMap((spec) => spec.fields.map((field) => field.transform)),
    added: change.filter((one) => one === "added").length,
    removed: change.filter((one) => one === "removed").length,
  };
}

async function content() {
  const manifests = got(await client.GET("/api/v1/tables/{table}/manifests", { params: inTable })).manifests;
  const entries = got(await client.GET("/api/v1/tables/{table}/entries", { params: inTable })).entries;
  const files = got(
    await client.GET("/api/v1/tables/{table}/files", { params: { ...inTable, query: { content: "data", stats: "*" } } }),
  ).files;
  const partitions = got(await client.GET("/api/v1/tables/{table}/partitions", { params: inTable })).partitions;
  const indexes = got(await client.GET("/api/v1/tables/{table}/indexes", { params: inTable })).indexes;
  const columns = got(await client.GET("/api/v1/tables/{table}/columns", { params: inTable })).columns;
  const query = { column: columns[0]?.column ?? "" };
  const overlap = got(await client.GET("/api/v1/tables/{table}/overlap", { params: { ...inTable, query } })).overlap;
  const bounds = got(await client.GET("/api/v1/tables/{table}/bounds", { params: { ...inTable, query } }));
  const buckets: (number | null)[] = [];
  const sequences: (number | string | null)[] = [];
  for (const file of files) {
    // A member that only one format has tells which a row is of.
    if ("bucket" in file) buckets.push(file.bucket);
    else sequences.push(file.sequence_number);
  }
  return {
    manifests: manifests.map((one) => ("list" in one ? one.list : one.content)),
    statuses: entries.map((entry) => entry.status).sort(),
    bounds: entries.map((entry) => Object.keys(entry.lower_bounds).length),
    records: sum(files.map((file) => file.record_count)),
    bytes: sum(files.map((file) => file.file_size_in_bytes)),
    nulls: sum(files.flatMap((file) => Object.values(file.null_value_counts ?? {}))),
    buckets,
    sequences,
    days: partitions.map((one) => Object.values(one.partition).map(String).join("/")),
    deletes: sum(partitions.map((one) => one.position_delete_file_count ?? 0)),
    vectors: indexes.map((one) => one.deletion_vectors?.length ?? 0),
    columns: columns.map((one) => [one.column, one.lower_bound, one.upper_bound, one.overlap?.max ?? null]),
    overlap: overlap.map((one) => [one.spec_id, one.file_count, one.max]),
    groups: bounds.groups.map((one) => [one.files, one.kept, one.lower_bound, one.upper_bound]),
  };
}

async function figures() {
  const stats = got(await client.GET("/api/v1/tables/{table}/stats", { params: inTable }));
  const commits = got(await client.GET("/api/v1/tables/{table}/timeline", { params: inTable }));
  if (!("timeline" in commits)) throw new Error("the snapshots are still being indexed");
  const days = got(
    await client.GET("/api/v1/tables/{table}/timeline", { params: { ...inTable, query: { bucket: "day" } } }),
  );
  const expiry = got(
    await client.GET("/api/v1/tables/{table}/expiry", {
      params: { ...inTable, query: { older_than: "2100-01-01T00:00:00Z", retain_last: 1, index: true } },
    }),
  );
  if (!("totals" in expiry)) throw new Error("the snapshots are still being indexed");
  const expired = got(
    await client.GET("/api/v1/tables/{table}/expiry/files", {
      params: { ...inTable, query: { older_than: "2100-01-01T00:00:00Z", retain_last: 1, index: true } },
    }),
  );
  const asked = got(
    await client.POST("/api/v1/tables/{table}/statistics", {
      params: inTable,
      body: { aggregates: ["count", "files", "bytes"] },
    }),
  );
  return {
    files: stats.totals.data_files,
    records: stats.totals.records,
    histogram: stats.file_size_histogram.map((bucket) => [bucket.from_bytes, bucket.files]),
    small: stats.small_files?.rule ?? null,
    deleted: [stats.deletes.rows_deleted.lower, stats.deletes.rows_deleted.upper, stats.deletes.rows_deleted.exact],
    levels: stats.levels?.map((one) => one.level) ?? null,
    added: commits.timeline.map((row) => row.added_records),
    periods: "timeline" in days ? days.timeline.map((row) => ("start" in row ? instant(row.start) : row.snapshot_id)) : [],
    expired: expiry.snapshots.map((one) => one.snapshot_id),
    kinds: expiry.totals.map((one) => [one.kind, one.files]).sort(),
    names: "files" in expired ? expired.files.map((file) => file.file_path).sort() : [],
    // `exact` tells whether there is a value, or an interval.
    aggregates: asked.statistics.map((one) => (one.exact ? [one.value] : [one.lower, one.upper, one.reason])),
  };
}

async function plans() {
  const body = { filter: `${column} >= 10` };
  const plan = got(await client.POST("/api/v1/tables/{table}/plan", { params: inTable, body }));
  const parts = got(
    await client.POST("/api/v1/tables/{table}/plan/tasks", { params: inTable, body: { ...body, task_files: 2 } }),
  );
  const first = plan.files[0];
  const explained = got(
    await client.POST("/api/v1/tables/{table}/explain", {
      params: inTable,
      body: { filter: { type: "gt-eq", term: column, value: 10 }, files: first === undefined ? [] : [first.file_path] },
    }),
  );
  const verdicts: ("cannot match" | "may match" | "unknown")[] = [];
  for (const file of explained.files) verdicts.push(...file.reasons.map((reason) => reason.verdict));
  return {
    files: plan.counts.files,
    records: plan.counts.records,
    deletes: plan.deletes.length,
    attached: plan.files.map((file) => file.deletes.length),
    residual: first?.residual ?? null,
    raw: plan.files.map((file) => ("raw_convertible" in file ? file.raw_convertible : null)),
    tasks: parts.plan_tasks.length,
    funnel: explained.funnel.map((level) => [level.level, level.seen, level.kept]),
    states: explained.files.map((file) => file.state),
    verdicts,
  };
}

async function system() {
  const tables = got(await client.GET("/api/v1/tables/{table}/system", { params: inTable })).system;
  const rows: Record<string, number> = {};
  let buckets: string[] = [];
  for (const one of tables) {
    const page = got(
      await client.GET("/api/v1/tables/{table}/system/{name}", {
        params: { path: { table: name, name: one.name } },
      }),
    );
    if ("buckets" in page) buckets = page.buckets.map((row) => `${row.partition} ${row.bucket}`);
    rows[one.name] = "partitions" in page ? page.partitions.length : 0;
  }
  return { tables: tables.map((one) => `${one.name} ${one.columns.length}`), buckets, partitions: rows["partitions"] ?? 0 };
}

async function events() {
  const headers = { Accept: "application/json" };
  const page = got(await client.GET("/api/v1/events", { headers, params: { query: { table: name } } }));
  return page.events.map((event) => {
    switch (event.type) {
      case "table.committed":
        return `${event.subject} ${event.data.snapshot_id} ${instant(event.data.committed_at)}`;
      case "table.registered":
      case "table.removed":
        return `${event.subject} ${event.data.format}`;
      case "table.altered":
        return `${event.subject} ${event.data.properties?.join() ?? ""}`;
      case "table.renamed":
        return `${event.subject} ${event.data.previous_name}`;
      case "health.changed":
        return `${event.subject} ${event.data.changes.map((change) => change.component).join()}`;
      case "partition.ready":
        return `${event.subject} ${event.data.rule}`;
      default:
        return `${event.subject} ${event.data.branch}`;
    }
  });
}

async function health() {
  const fleet = got(await client.GET("/api/v1/health", { params: { query: { sort: "name" } } }));
  const own = got(
    await client.GET("/api/v1/tables/{table}/health", { params: { ...inTable, query: { history: 7 } } }),
  );
  const ready = got(await client.GET("/api/v1/tables/{table}/ready_partitions", { params: inTable }));
  const statuses: ("ok" | "unknown" | "warning" | "critical")[] = own.components.map((one) => one.status);
  return {
    fleet: fleet.health.map((one) => one.name),
    counted: fleet.tables.pending + fleet.tables.ok + fleet.tables.unknown + fleet.tables.warning + fleet.tables.critical,
    components: own.components.map((one) => one.name),
    statuses,
    remedies: own.components.map((one) => one.remedy),
    since: own.components.map((one) => instant(one.since)),
    days: own.history?.length ?? 0,
    ready: ready.ready_partitions.map((one) => instant(one.ready_at)),
  };
}

async function webhooks() {
  const hook = { path: { webhook: "nowhere" } };
  const all = got(await client.GET("/api/v1/webhooks")).webhooks;
  const letters = await client.GET("/api/v1/webhooks/{webhook}/dead_letters", { params: hook });
  const again = await client.POST("/api/v1/webhooks/{webhook}/redeliver", { params: hook, body: {} });
  return {
    states: all.map((one) => `${one.name} ${one.state} ${one.lag_events}`),
    subjects: letters.data?.dead_letters.map((one) => one.event.subject) ?? [],
    missing: [letters.error?.error.code ?? null, again.error?.error.code ?? null],
    requested: again.data?.requested ?? 0,
  };
}

async function changes() {
  const refreshed = got(await client.POST("/api/v1/tables/{table}/refresh", { params: inTable }));
  const body = { name: "again.typed", location };
  const added = got(await client.POST("/api/v1/tables", { body }));
  const removed = await client.DELETE("/api/v1/tables/{table}", { params: { path: { table: added.name } } });
  const gone = await client.GET("/api/v1/tables/{table}", { params: { path: { table: added.name } } });
  return {
    refreshed: refreshed.table,
    published: refreshed.published.length,
    added: [added.name, added.format, added.total_records],
    removed: removed.response.status,
    gone: gone.error?.error.code ?? null,
  };
}

async function service() {
  const health = got(await client.GET("/healthz"));
  const ready = await client.GET("/readyz");
  return { status: health.status, ready: ready.data?.ready ?? false };
}

const answers = {
  service: await service(),
  catalogs: await catalogs(),
  lists: await lists(),
  table: await table(),
  history: await history(),
  content: await content(),
  figures: await figures(),
  plans: await plans(),
  system: await system(),
  events: await events(),
  health: await health(),
  webhooks: await webhooks(),
  changes: await changes(),
};
console.log(JSON.stringify(answers));
