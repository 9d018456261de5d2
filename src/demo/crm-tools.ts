import { setTimeout as wait } from "node:timers/promises";
import {
  type CrmRecord,
  FIELDS,
  type FieldValue,
  listCrmRecords,
  OBJECT_TYPES,
  type ObjectType,
} from "./crm-records.ts";
import { type DemoTool, demoTool, failure, READS, type Reply, value } from "./demo-tool.ts";
import { choice, list, object, type Schema, text, whole } from "./schemas.ts";

type Data = Readonly<Record<string, FieldValue>>;
type Reference = { readonly object_type: ObjectType; readonly record_id: string };

/** A change that the CRM remembers. */
interface Change {
  readonly tool: string;
  readonly record: string;
  readonly fields: readonly string[];
}

/** The CRM while it runs. */
interface Store {
  readonly records: Map<string, CrmRecord>;
  readonly changes: Change[];
}

/** The tools of `crm`: leads, accounts and meetings in memory. Each call of this makes a fresh store. */
export function createCrmTools(): readonly DemoTool[] {
  const records = new Map(listCrmRecords().map((record) => [keyOf(record), record]));
  const store: Store = { records, changes: [] };
  return [...readTools(store), ...writeTools(store), ...slowTools(store)];
}

function readTools({ records, changes }: Store): DemoTool[] {
  return [
    demoTool<{ readonly object_type: ObjectType }>(
      {
        name: "describe_object",
        title: "Describe an object type",
        description: "Lists the fields of an object type and how many records there are.",
        inputSchema: object({ object_type: OBJECT_TYPE }),
        outputSchema: object({
          object_type: OBJECT_TYPE,
          fields: list(text("Name of a field.")),
          records: whole("Number of records."),
        }),
        annotations: READS,
      },
      ({ object_type }) => {
        const count = [...records.values()].filter((record) => record.object_type === object_type).length;
        return value({ object_type, fields: FIELDS[object_type], records: count });
      },
    ),
    demoTool<{ readonly object_type: ObjectType; readonly where?: Data; readonly limit?: number }>(
      {
        name: "query",
        title: "Find records",
        description:
          "Finds the records of one type whose fields have given values, in the order of their ids.",
        inputSchema: object(
          {
            object_type: OBJECT_TYPE,
            where: { ...DATA, description: "Fields and the values they must have. Default: all records." },
            limit: whole("Records to return at most. Default 100.", 1),
          },
          ["object_type"],
        ),
        outputSchema: object({
          total: whole("Records found, also those beyond the limit."),
          records: list(object(RECORD)),
        }),
        annotations: READS,
      },
      ({ object_type, where = {}, limit = 100 }) => {
        const wrong = unknownField(object_type, where);
        if (wrong !== undefined) return wrong;
        const found = [...records.values()].filter(
          (record) =>
            record.object_type === object_type &&
            Object.entries(where).every(([field, wanted]) => record.data[field] === wanted),
        );
        return value({ total: found.length, records: found.slice(0, limit).map((one) => ({ ...one })) });
      },
    ),
    demoTool<Reference>(
      {
        name: "get_record",
        title: "Get a record",
        description: "Reads one record with all its fields.",
        inputSchema: object(REFERENCE),
        outputSchema: object(RECORD),
        annotations: READS,
      },
      (reference) => {
        const found = records.get(keyOf(reference));
        return found === undefined ? missing(reference) : value({ ...found });
      },
    ),
    demoTool<{ readonly limit?: number }>(
      {
        name: "recent_changes",
        title: "Show recent changes",
        description: "Lists what was changed in the CRM since it started, newest first, one change a line.",
        inputSchema: object({ limit: whole("Changes to show at most. Default 20.", 1) }, []),
        annotations: READS,
      },
      ({ limit = 20 }) => {
        const lines = changes
          .map(({ tool, record, fields }, index) =>
            [`${index + 1}. ${tool} ${record}`, ...fields.slice(0, 1).map(() => fields.join(", "))].join(
              ": ",
            ),
          )
          .reverse()
          .slice(0, limit);
        return { kind: "text", text: lines.length === 0 ? "Nothing was changed yet." : lines.join("\n") };
      },
    ),
  ];
}

function writeTools({ records, changes }: Store): DemoTool[] {
  return [
    demoTool<{ readonly object_type: ObjectType; readonly data: Data }>(
      {
        name: "create_record",
        title: "Create a record",
        description: "Creates a record and returns it with its new id.",
        inputSchema: object({ object_type: OBJECT_TYPE, data: DATA }),
        outputSchema: object(RECORD),
        annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
      },
      ({ object_type, data }) => {
        const wrong = unknownField(object_type, data);
        if (wrong !== undefined) return wrong;
        const empty = Object.fromEntries(FIELDS[object_type].map((field) => [field, null]));
        const record_id = `${object_type.slice(0, 1)}-new-${changes.length + 1}`;
        const created: CrmRecord = { object_type, record_id, version: 1, data: { ...empty, ...data } };
        records.set(keyOf(created), created);
        changes.push({ tool: "create_record", record: record_id, fields: Object.keys(data) });
        return value({ ...created });
      },
    ),
    demoTool<Reference & { readonly data: Data }>(
      {
        name: "update_record",
        title: "Update a record",
        description: "Sets fields of a record. Fields that are not named stay as they are.",
        inputSchema: object({ ...REFERENCE, data: DATA }),
        outputSchema: object({
          ...REFERENCE,
          version: VERSION,
          changed: list(text("Name of a field."), "Fields whose value is another one now."),
        }),
        annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
      },
      ({ object_type, record_id, data }) => {
        const old = records.get(keyOf({ object_type, record_id }));
        if (old === undefined) return missing({ object_type, record_id });
        const wrong = unknownField(object_type, data);
        if (wrong !== undefined) return wrong;
        const changed = Object.keys(data).filter((field) => old.data[field] !== data[field]);
        const version = old.version + (changed.length > 0 ? 1 : 0);
        records.set(keyOf(old), { ...old, version, data: { ...old.data, ...data } });
        if (changed.length > 0) changes.push({ tool: "update_record", record: record_id, fields: changed });
        return value({ object_type, record_id, version, changed });
      },
    ),
    demoTool<Reference>(
      {
        name: "delete_record",
        title: "Delete a record",
        description: "Deletes a record for good.",
        inputSchema: object(REFERENCE),
        outputSchema: object({ deleted: text("Id of the record that is gone.") }),
        annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false },
      },
      (reference) => {
        if (!records.delete(keyOf(reference))) return missing(reference);
        changes.push({ tool: "delete_record", record: reference.record_id, fields: [] });
        return value({ deleted: reference.record_id });
      },
    ),
  ];
}

function slowTools({ records }: Store): DemoTool[] {
  return [
    demoTool<{ readonly report: "pipeline" | "activity" }>(
      {
        name: "export_report",
        title: "Export a report",
        description: "Exports a report as a file. The demo's plan allows no exports, so this always fails.",
        inputSchema: object({ report: choice(["pipeline", "activity"], "Which report.") }),
        outputSchema: object({ url: text("Where the file can be fetched.") }),
        annotations: READS,
      },
      ({ report }) =>
        failure(
          `Quota exceeded: the plan of this account includes 0 exports, so ${report} was not exported. Use query and count in the script.`,
        ),
    ),
    demoTool<{ readonly seconds: number }>(
      {
        name: "run_backup",
        title: "Run a backup",
        description:
          "Writes a backup of all records, which takes as many seconds as asked for. Reports progress.",
        inputSchema: object({
          seconds: { type: "number", minimum: 0, maximum: 600, description: "How long it takes." },
        }),
        outputSchema: object({ records: whole("Records in the backup.") }),
      },
      async ({ seconds }, { signal, reportProgress }) => {
        const steps = Math.max(1, Math.ceil(seconds * STEPS_PER_SECOND));
        for (let step = 1; step <= steps; step += 1) {
          await wait((seconds * 1_000) / steps, undefined, { signal });
          await reportProgress(
            step,
            steps,
            `${Math.round((step * 100) / steps)} % of ${records.size} records`,
          );
        }
        return value({ records: records.size });
      },
    ),
  ];
}

const STEPS_PER_SECOND = 4;

function keyOf({ object_type, record_id }: Reference): string {
  return `${object_type} ${record_id}`;
}

function missing({ object_type, record_id }: Reference): Reply {
  return failure(`There is no ${object_type} ${JSON.stringify(record_id)}. Find the right id with query.`);
}

function unknownField(type: ObjectType, data: Data): Reply | undefined {
  const wrong = Object.keys(data).find((field) => !FIELDS[type].includes(field));
  if (wrong === undefined) return undefined;
  return failure(`${type} has no field ${JSON.stringify(wrong)}. Its fields: ${FIELDS[type].join(", ")}.`);
}

const OBJECT_TYPE = choice(OBJECT_TYPES, "Type of the record.");
const VERSION = whole("1 for a new record; each change adds one.", 1);
const DATA: Schema = {
  type: "object",
  description: "Fields and their values; describe_object lists the fields.",
  additionalProperties: { type: ["string", "number", "boolean", "null"] },
};
const REFERENCE: Readonly<Record<keyof Reference, Schema>> = {
  object_type: OBJECT_TYPE,
  record_id: text("Id of the record, such as L-0001, A-010 or M-0914."),
};
const RECORD: Readonly<Record<keyof CrmRecord, Schema>> = { ...REFERENCE, version: VERSION, data: DATA };
