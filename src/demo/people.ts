import { createDice } from "./dice.ts";

/** A customer of the demo: invented. Addresses lie in the domains reserved for examples, numbers in 555-01xx. */
export interface Person {
  /** `L-0001` to `L-0400`: the person's lead in the demo CRM. */
  readonly lead: string;
  readonly name: string;
  readonly company: string;
  readonly email: string;
  readonly phone: string;
}

const PEOPLE = 400;
const SEED = 20_260_914;

/** The same 400 people, in the same order, in both demo servers. No two share a name, an address or a number. */
export function listPeople(): readonly Person[] {
  const dice = createDice(SEED);
  const names = dice.shuffle(
    FIRST_NAMES.flatMap((first) => LAST_NAMES.map((last) => [first, last] as const)),
  );
  return names.slice(0, PEOPLE).map(([first, last], index) => ({
    lead: `L-${String(index + 1).padStart(4, "0")}`,
    name: `${first} ${last}`,
    company: dice.pick(COMPANIES),
    email: `${first}.${last}@example.${dice.pick(["com", "net", "org"])}`.toLowerCase(),
    phone: `+1-${AREA_CODES[index % AREA_CODES.length]}-555-01${String(Math.floor(index / AREA_CODES.length)).padStart(2, "0")}`,
  }));
}

/** The companies of the demo, in the order of the CRM's accounts. */
export const COMPANIES: readonly string[] = [
  "Alder Freight",
  "Birchwood Dairies",
  "Calder & Sons",
  "Driftwood Outfitters",
  "Elmfield Bakeries",
  "Foxglove Botanicals",
  "Granite Peak Cycles",
  "Hollow Pine Furniture",
  "Ironbridge Tools",
  "Juniper Foods",
  "Kestrel Marine",
  "Larkspur Textiles",
  "Maple Street Books",
  "Northgate Hardware",
  "Osprey Logistics",
  "Pebble Creek Ceramics",
  "Quarry Lane Coffee",
  "Redstone Glass",
  "Silverbrook Farms",
  "Thornbury Lighting",
  "Upland Wool",
  "Vale Instruments",
  "Willowmere Paper",
  "Yarrow Health Supplies",
];

const AREA_CODES = ["202", "303", "312", "404", "415", "503", "617", "713", "808", "919"];

const FIRST_NAMES = [
  "Amara",
  "Bruno",
  "Celia",
  "Dmitri",
  "Elif",
  "Farid",
  "Greta",
  "Hiro",
  "Imani",
  "Jonas",
  "Kavya",
  "Leif",
  "Marisol",
  "Nadia",
  "Oskar",
  "Priya",
  "Quentin",
  "Rosa",
  "Stefan",
  "Talia",
  "Umar",
  "Vera",
  "Wanda",
  "Xavier",
  "Yusuf",
  "Zora",
];

const LAST_NAMES = [
  "Abbott",
  "Brandt",
  "Castillo",
  "Dubois",
  "Eriksen",
  "Fontaine",
  "Gallagher",
  "Haddad",
  "Ibarra",
  "Jansen",
  "Kowalski",
  "Lindqvist",
  "Moreau",
  "Nakamura",
  "Okafor",
  "Petrov",
  "Quinn",
  "Rossi",
  "Schneider",
  "Tanaka",
  "Ueda",
  "Vargas",
  "Whitlock",
  "Yilmaz",
  "Zimmer",
];
