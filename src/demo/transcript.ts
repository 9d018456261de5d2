import {
  CLOSING,
  CONFIRMATIONS,
  FILLERS,
  FOLLOW_UPS,
  GREETINGS,
  HEADER,
  NODS,
  OPENERS,
  READ_BACK_ANSWERS,
  READ_BACK_DOUBTS,
  READ_BACK_QUESTIONS,
  READ_BACK_STARTS,
  TRANSITIONS,
  TROUBLE,
  TROUBLE_ANSWERS,
} from "./call-phrases.ts";
import { COMMERCIAL_TOPICS } from "./call-topics-commercial.ts";
import { type CallTopic, PRODUCT_TOPICS } from "./call-topics-product.ts";
import { createDice, type Dice } from "./dice.ts";

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
