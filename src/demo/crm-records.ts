import { createDice } from "./dice.ts";
import { COMPANIES, listPeople } from "./people.ts";

/** What the CRM keeps. */
export const OBJECT_TYPES = ["Lead", "Account", "SalesMeeting"] as const;

export type ObjectType = (typeof OBJECT_TYPES)[number];

/** A field's value. */
export type FieldValue = string | number | boolean | null;

/** The fields of each type, in the order in which they are shown. */
export const FIELDS: Readonly<Record<ObjectType, readonly string[]>> = {
  Lead: ["Name", "Company", "Stage", "Owner", "Email", "Phone"],
  Account: ["Name", "City", "Owner", "OrdersPerDay"],
  SalesMeeting: ["Title", "Account", "Date", "Attendees", "Notes"],
};

/** A record of the CRM. */
export interface CrmRecord {
  readonly object_type: ObjectType;
  /** `L-0001`, `A-010`, `M-0914`. */
  readonly record_id: string;
  /** 1 for a new record; each change adds one. */
  readonly version: number;
  readonly data: Readonly<Record<string, FieldValue>>;
}

const SEED = 42;

/** The records as they are when the server starts: a lead for each customer of the orders sheet, contact details still missing. */
export function listCrmRecords(): readonly CrmRecord[] {
  const dice = createDice(SEED);
  const leads = listPeople().map((person) =>
    record("Lead", person.lead, {
      Name: person.name,
      Company: person.company,
      Stage: dice.pick(["new", "new", "contacted", "qualified", "lost"]),
      Owner: dice.pick(OWNERS),
      Email: null,
      Phone: null,
    }),
  );
  const accounts = COMPANIES.map((company, index) =>
    record("Account", `A-${String(index + 1).padStart(3, "0")}`, {
      Name: company,
      City: dice.pick(["Portland", "Denver", "Austin", "Raleigh", "Madison"]),
      Owner: dice.pick(OWNERS),
      OrdersPerDay: dice.integer(4, 90) * 10,
    }),
  );
  const meetings = MEETINGS.map(([id, title, account, attendees]) =>
    record("SalesMeeting", id, {
      Title: title,
      Account: account,
      Date: `2026-${id.slice(2, 4)}-${id.slice(4)}`,
      Attendees: attendees,
      Notes: "",
    }),
  );
  return [...leads, ...accounts, ...meetings];
}

function record(type: ObjectType, id: string, data: CrmRecord["data"]): CrmRecord {
  return { object_type: type, record_id: id, version: 1, data };
}

const OWNERS = ["Maya Ortiz", "Samir Oduya", "Lena Brooks"];

/** Id (with month and day), title, account, attendees. */
const MEETINGS: readonly (readonly [string, string, string, number])[] = [
  ["M-0611", "First talk with Osprey Logistics", "Osprey Logistics", 3],
  ["M-0702", "Review with Quarry Lane Coffee", "Quarry Lane Coffee", 4],
  ["M-0820", "Contract with Birchwood Dairies", "Birchwood Dairies", 6],
  ["M-0914", "Sales call with Juniper Foods", "Juniper Foods", 5],
];
