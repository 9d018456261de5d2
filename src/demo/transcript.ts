import { COMMERCIAL_TOPICS } from "./call-topics-commercial.ts";
import { PRODUCT_TOPICS } from "./call-topics-product.ts";
import { createDice, type Dice } from "./dice.ts";

/** What is said about one topic of the call. */
export interface CallTopic {
  readonly name: string;
  /** A question and its answer. */
  readonly exchanges: readonly (readonly [string, string])[];
  /** What the one who answers adds. */
  readonly details: readonly string[];
  /** A doubt of the buyers and what the sellers say to it. */
  readonly doubts: readonly (readonly [string, string])[];
  /** What the sellers offer at the end. */
  readonly promises: readonly string[];
}

const SEED = 914;
/** People on a call speak about 150 words a minute, and pause before they answer. */
const SECONDS_PER_WORD = 0.4;
const PAUSE_SECONDS = [2, 10] as const;

const HOST = "Maya Ortiz";
const NOTES = "Ben Achterberg";
const SELLERS = [HOST, NOTES];
const BUYERS = ["Helen Sorensen", "Tomas Reyes", "Priya Nair"];
/** In these two the sellers ask and the buyers tell. */
const BUYERS_TELL = ["how orders come in today", "open questions"];

type Say = (speaker: string, ...text: readonly string[]) => void;

/** The transcript of a sales call of two hours: about 70 kB of text, one spoken turn a line. */
export function writeTranscript(): string {
  const dice = createDice(SEED);
  const topics = [...PRODUCT_TOPICS, ...COMMERCIAL_TOPICS];
  const lines: string[] = [];
  let seconds = 0;
  const say: Say = (speaker, ...parts) => {
    const text = parts.filter((part) => part !== "").join(" ");
    lines.push(`[${clockTime(seconds)}] ${speaker}: ${text}`);
    seconds += text.split(" ").length * SECONDS_PER_WORD + dice.integer(...PAUSE_SECONDS);
  };
  for (const [speaker, text] of GREETINGS) say(speaker, text);
  const talk = createTalk(dice, say);
  for (const topic of topics) talk.discuss(topic);
  say(NOTES, "Before we close, may I read back my notes, so that we all leave with the same ones?");
  say("Helen Sorensen", "Please do. I will stop you where I remember it differently.");
  for (const topic of topics) talk.readBack(topic);
  for (const [speaker, text] of CLOSING) say(speaker, text);
  return `${HEADER}\n\n${lines.join("\n")}\n`;
}

interface Talk {
  readonly discuss: (topic: CallTopic) => void;
  readonly readBack: (topic: CallTopic) => void;
}

function createTalk(dice: Dice, say: Say): Talk {
  const pools = new Map<readonly string[], string[]>();
  /** The next sentence of a pool; none is heard again before all others were. */
  const draw = (pool: readonly string[]): string => {
    const text = pools.get(pool)?.pop();
    if (text !== undefined) return fill(text);
    pools.set(pool, dice.shuffle(pool));
    return draw(pool);
  };
  const sometimes = (percent: number, pool: readonly string[]): string =>
    dice.chance(percent) ? draw(pool) : "";

  const discuss = (topic: CallTopic): void => {
    const [askers, tellers] = BUYERS_TELL.includes(topic.name) ? [SELLERS, BUYERS] : [BUYERS, SELLERS];
    const details = dice.shuffle(topic.details);
    const doubts = [...topic.doubts];
    say(HOST, draw(TRANSITIONS).replace("{topic}", topic.name));
    for (const [question, answer] of topic.exchanges) {
      const asker = dice.pick(askers);
      const teller = dice.pick(tellers);
      say(asker, sometimes(35, OPENERS), fill(question));
      say(teller, sometimes(50, FILLERS), fill(answer), fill(details.pop() ?? ""));
      if (dice.chance(60)) say(asker, draw(NODS));
      const doubt = dice.chance(60) ? doubts.shift() : undefined;
      if (doubt !== undefined) {
        say(dice.pick(BUYERS), sometimes(30, OPENERS), fill(doubt[0]));
        say(dice.pick(SELLERS), fill(doubt[1]));
      }
      if (dice.chance(9)) {
        say(dice.pick(SELLERS), draw(TROUBLE));
        say(dice.pick(BUYERS), draw(TROUBLE_ANSWERS));
      }
    }
    for (const [doubt, reply] of doubts) {
      say(dice.pick(BUYERS), fill(doubt));
      say(dice.pick(SELLERS), fill(reply));
    }
    for (const detail of details) {
      say(dice.pick(askers), draw(FOLLOW_UPS));
      say(dice.pick(tellers), fill(detail));
    }
    for (const promise of topic.promises) say(dice.pick(SELLERS), fill(promise));
  };

  const readBack = (topic: CallTopic): void => {
    say(NOTES, draw(READ_BACK_STARTS).replace("{topic}", topic.name));
    for (const [question, answer] of topic.exchanges) {
      say(NOTES, draw(READ_BACK_QUESTIONS), fill(question), draw(READ_BACK_ANSWERS), fill(answer));
      if (dice.chance(30)) say(dice.pick(BUYERS), draw(NODS));
    }
    for (const [doubt, reply] of topic.doubts)
      say(NOTES, draw(READ_BACK_DOUBTS), fill(doubt), "And our answer:", fill(reply));
    say(dice.pick(BUYERS), draw(CONFIRMATIONS));
  };

  return { discuss, readBack };
}

/** Puts a number, a place or a date where a sentence leaves room: the same ones whenever the sentence is said again. */
function fill(text: string): string {
  const dice = createDice([...text].reduce((sum, letter) => Math.imul(sum, 31) + letter.charCodeAt(0), SEED));
  const slots = new Map<string, () => string>([
    ["n", () => dice.pick(["two", "three", "four", "five", "six", "eight"])],
    ["tens", () => String(dice.integer(3, 17) * 5)],
    ["hundreds", () => String(dice.integer(5, 18) * 50)],
    ["site", () => dice.pick(["Harlow Road", "the north depot", "Eastgate", "the river site"])],
    ["day", () => dice.pick(["Monday", "Tuesday", "Wednesday", "Thursday", "Friday"])],
    ["month", () => dice.pick(["January", "March", "June", "August", "October", "November"])],
    ["hour", () => dice.pick(["half past five", "ten in the morning", "noon", "four o'clock", "six"])],
  ]);
  return text.replace(/\{(\w+)\}/g, (whole, slot: string) => slots.get(slot)?.() ?? whole);
}

function clockTime(seconds: number): string {
  const whole = Math.floor(seconds);
  const parts = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  return parts.map((part) => String(part).padStart(2, "0")).join(":");
}

const HEADER = [
  "Sales call: Juniper Foods and Lanternworks",
  "Date: 2026-09-14, 09:00 to 11:00",
  "Lanternworks: Maya Ortiz (account executive), Ben Achterberg (solutions engineer)",
  "Juniper Foods: Helen Sorensen (head of operations), Tomas Reyes (IT lead), Priya Nair (finance)",
  "Recorded with the consent of all participants; transcribed automatically.",
].join("\n");

const GREETINGS = [
  ["Maya Ortiz", "Good morning, everyone. Can you all hear me?"],
  ["Helen Sorensen", "Loud and clear. Good morning."],
  ["Tomas Reyes", "Morning. I can hear you, my camera will follow in a second."],
  ["Priya Nair", "Good morning from finance. I have a hard stop at eleven, just so you know."],
  ["Ben Achterberg", "Hi all. I am the one who is going to share his screen, so please be kind to it."],
  [
    "Maya Ortiz",
    "Thank you for taking two hours, I know that is a lot. The recording is on, is that still all right with everybody?",
  ],
  [
    "Helen Sorensen",
    "Yes, fine with us. Please send the transcript to helen.sorensen@example.org afterwards.",
  ],
] as const;

const CLOSING = [
  ["Maya Ortiz", "We are at two minutes to eleven, so let me sum up what I have written down."],
  [
    "Maya Ortiz",
    "Action item for Ben: send the field list and the connector's description to Tomas by Wednesday.",
  ],
  ["Maya Ortiz", "Action item for Tomas: pick sixty of the worst order messages, without cleaning them up."],
  ["Maya Ortiz", "Action item for Priya: tell us which figures the board page has to contain."],
  ["Maya Ortiz", "Action item for Helen: name the person at the hospitality desk who can decide."],
  ["Maya Ortiz", "Action item for me: the price for the first year on one page, by Friday noon."],
  [
    "Helen Sorensen",
    "That matches my notes. If the visit goes well, we would start the pilot on the fifth of October.",
  ],
  ["Priya Nair", "Agreed from finance, as long as the pilot stays below the line we talked about."],
  [
    "Tomas Reyes",
    "Fine with me. You can reach me directly at +1-202-555-0147 if something blocks the connection.",
  ],
  ["Ben Achterberg", "Great, thank you. I will set up the test system tonight."],
  ["Maya Ortiz", "Then thank you all very much, and have a good day."],
  ["Helen Sorensen", "Thank you, this was useful. Goodbye."],
] as const;

const TRANSITIONS = [
  "All right, if nobody minds I would move on to the next point on the agenda, {topic}.",
  "Good. Let us take {topic} next.",
  "I am watching the clock a little, so let us turn to {topic}.",
  "That brings us to {topic}, which I think is where most of the questions are.",
];

const OPENERS = [
  "Right, so one thing I keep wondering about.",
  "Sorry, maybe I missed it earlier.",
  "If I may jump in here.",
  "Just so that I have it in my notes.",
  "Coming back to what was said before.",
  "Let me put it differently.",
  "Two things on that.",
  "From our side, quickly.",
];

const FILLERS = [
  "Good question.",
  "Yes, so, um, let me think how to say this.",
  "Honestly, I was hoping you would ask that.",
  "So, the short version first.",
  "It depends a bit, but I will give you the normal case.",
  "Okay.",
  "That one comes up in every call.",
  "Let me answer that as plainly as I can.",
];

const FOLLOW_UPS = [
  "Can you say a little more about that?",
  "Is there anything else we should know about it?",
  "What else comes to mind?",
  "And in practice?",
  "Anything to add from your side?",
];

const NODS = [
  "Okay, that makes sense.",
  "Mm-hm. Understood.",
  "Right, thank you.",
  "Good, I have written that down.",
  "I see. That is different from what I expected, but fine.",
  "Interesting. Let us keep that in mind for later.",
  "That helps, thanks.",
  "Yes, that is what I was afraid of.",
];

const TROUBLE = [
  "Tomas, I think you are on mute.",
  "Sorry, my screen froze for a moment, can you still see the page?",
  "There is an echo on the line, could everyone who is not speaking mute for a second?",
];

const TROUBLE_ANSWERS = ["Yes, sorry about that. Go on.", "Now it is back.", "Better, thank you."];

const READ_BACK_STARTS = [
  "Let me take {topic}.",
  "On {topic} I have the following.",
  "Then we talked about {topic}.",
  "The next page is {topic}.",
];

const READ_BACK_QUESTIONS = ["Asked was:", "The question was:", "I have this question here:", "Next one:"];

const READ_BACK_ANSWERS = [
  "What I noted as the answer is:",
  "And the answer was:",
  "I wrote down:",
  "What was said to that:",
];

const READ_BACK_DOUBTS = ["As a concern I have:", "Marked in red:", "One worry that I underlined:"];

const CONFIRMATIONS = [
  "That is how I remember it, too.",
  "Correct. Please leave the red ones red.",
  "Yes, that is complete from my side.",
  "Fine. I would only add that we want to see it in the pilot.",
  "Agreed.",
];
