import { writeTranscript } from "./transcript.ts";

/** A document of the demo's document store. */
export interface StoredDocument {
  readonly id: string;
  readonly title: string;
  readonly kind: "transcript" | "note" | "list";
  readonly author: string;
  /** `2026-09-14`. */
  readonly updated: string;
  readonly content: string;
}

/** A message in a team channel. */
export interface ChannelMessage {
  /** `2026-09-14T11:30:00Z`. */
  readonly at: string;
  readonly user: string;
  readonly text: string;
}

/** The documents as they are when the server starts. */
export function listStoredDocuments(): readonly StoredDocument[] {
  return [
    {
      id: "call-2026-09-14",
      title: "Sales call: Juniper Foods and Lanternworks",
      kind: "transcript",
      author: "Maya Ortiz",
      updated: "2026-09-14",
      content: writeTranscript(),
    },
    {
      id: "pilot-plan",
      title: "Pilot plan for Juniper Foods",
      kind: "note",
      author: "Ben Achterberg",
      updated: "2026-09-11",
      content: PILOT_PLAN,
    },
    {
      id: "price-bands",
      title: "Price bands by order volume",
      kind: "list",
      author: "Maya Ortiz",
      updated: "2026-07-01",
      content: PRICE_BANDS,
    },
    {
      id: "go-live-checklist",
      title: "Checklist before a desk goes live",
      kind: "list",
      author: "Ben Achterberg",
      updated: "2026-08-20",
      content: GO_LIVE,
    },
  ];
}

/** The team's channels as they are when the server starts. */
export const CHANNELS: ReadonlyMap<string, readonly ChannelMessage[]> = new Map([
  [
    "general",
    [
      { at: "2026-09-14T07:58:00Z", user: "maya", text: "Call with Juniper Foods at nine, wish us luck." },
      { at: "2026-09-14T11:04:00Z", user: "maya", text: "That went well. Transcript is in the documents." },
      { at: "2026-09-14T11:09:00Z", user: "ben", text: "Setting up their test system now." },
    ],
  ],
  [
    "deployments",
    [{ at: "2026-09-14T11:30:00Z", user: "deploy-bot", text: "order-inbox 4.2: deployment started" }],
  ],
]);

/** What the bot adds to `deployments`: one message with each look at the channel but the first. */
export const DEPLOYMENT_PROGRESS: readonly ChannelMessage[] = [
  { at: "2026-09-14T11:33:00Z", user: "deploy-bot", text: "order-inbox 4.2: 212 tests passed" },
  { at: "2026-09-14T11:36:00Z", user: "deploy-bot", text: "order-inbox 4.2: deployment complete" },
];

const PILOT_PLAN = `Pilot plan for Juniper Foods

Desk: hospitality, Harlow Road.
Start: 5 October 2026. Length: six weeks, the first of them with both processes in parallel.
Success is three numbers: lines typed by hand, late departures, corrections after release.
Who decides: one person of the hospitality desk, named by Helen Sorensen.
On site: Ben Achterberg for the first four days, then a call every morning.
The way out: at any time, without further cost.
`;

const PRICE_BANDS = `Price bands, in US dollars for each released order

Band 1, up to 250 orders a day: 0.42
Band 2, up to 1,000 orders a day: 0.31
Band 3, up to 5,000 orders a day: 0.22
Cancelled orders and corrections are free. The yearly average decides the band.
`;

const GO_LIVE = `Before a desk goes live

1. The connector has run on the test system for five working days.
2. Allergen products are switched to confirmation by a person.
3. Two people per shift have worked with their own customers.
4. The printed list shows what the screen shows.
5. The names and numbers of both engineers hang beside the screen.
`;
