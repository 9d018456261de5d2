import { createDice } from "./dice.ts";
import { listPeople } from "./people.ts";

/** A row of the orders sheet; the keys are the sheet's column headings. */
export interface OrderRow {
  readonly Order: string;
  readonly Customer: string;
  readonly Email: string;
  readonly Phone: string;
  /** Id of the customer's lead in the demo CRM. */
  readonly Lead: string;
  readonly Status: OrderStatus;
  /** US dollars with cents. */
  readonly Amount: number;
  /** `2026-03-14`. */
  readonly Ordered: string;
}

/** How far an order can be. */
export const ORDER_STATUSES = ["pending", "paid", "shipped", "delivered", "cancelled", "refunded"] as const;

type OrderStatus = (typeof ORDER_STATUSES)[number];

/** The headings, in the order of the sheet. */
export const ORDER_COLUMNS: readonly (keyof OrderRow)[] = [
  "Order",
  "Customer",
  "Email",
  "Phone",
  "Lead",
  "Status",
  "Amount",
  "Ordered",
];

const ORDERS = 10_000;
const DAYS = 270;
/** Of the first hundred seeds, one with exactly five pending orders of at least $6,000 among the 10,000. */
const SEED = 79;

/** The 10,000 orders of the year up to September, oldest first. */
export function listOrders(): readonly OrderRow[] {
  const dice = createDice(SEED);
  const people = listPeople();
  return Array.from({ length: ORDERS }, (_, index) => {
    const person = dice.pick(people);
    const day = Math.floor((index * DAYS) / ORDERS);
    return {
      Order: `SO-${20_001 + index}`,
      Customer: person.name,
      Email: person.email,
      Phone: person.phone,
      Lead: person.lead,
      Status: dice.pick(STATUSES),
      Amount:
        (dice.integer(900, 9_999) * dice.integer(1, 10) * (dice.chance(4) ? dice.integer(5, 14) : 1)) / 100,
      Ordered: new Date(Date.UTC(2026, 0, 1 + day)).toISOString().slice(0, 10),
    };
  });
}

/** How often each status occurs: most orders of a year are done with, one in 25 is pending. */
const STATUSES: readonly OrderStatus[] = (
  [
    ["delivered", 62],
    ["shipped", 16],
    ["paid", 11],
    ["cancelled", 5],
    ["pending", 4],
    ["refunded", 2],
  ] as const
).flatMap(([status, share]) => Array.from({ length: share }, () => status));
