/** Speaker and words. */
type Line = readonly [string, string];

/** Who was there. */
export const HEADER: string = [
  "Sales call: Juniper Foods and Lanternworks",
  "Date: 2026-09-14, 09:00 to 11:00",
  "Lanternworks: Maya Ortiz (account executive), Ben Achterberg (solutions engineer)",
  "Juniper Foods: Helen Sorensen (head of operations), Tomas Reyes (IT lead), Priya Nair (finance)",
  "Recorded with the consent of all participants; transcribed automatically.",
].join("\n");

/** How the call begins: speaker and what is said. */
export const GREETINGS: readonly Line[] = [
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
];

/** How it ends, with the action items. */
export const CLOSING: readonly Line[] = [
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
];

/** From one topic to the next. */
export const TRANSITIONS: readonly string[] = [
  "All right, if nobody minds I would move on to the next point on the agenda, {topic}.",
  "Good. Let us take {topic} next.",
  "I am watching the clock a little, so let us turn to {topic}.",
  "That brings us to {topic}, which I think is where most of the questions are.",
];

/** Before a question or a doubt. */
export const OPENERS: readonly string[] = [
  "Right, so one thing I keep wondering about.",
  "Sorry, maybe I missed it earlier.",
  "If I may jump in here.",
  "Just so that I have it in my notes.",
  "Coming back to what was said before.",
  "Let me put it differently.",
  "Two things on that.",
  "From our side, quickly.",
];

/** Before an answer. */
export const FILLERS: readonly string[] = [
  "Good question.",
  "Yes, so, um, let me think how to say this.",
  "Honestly, I was hoping you would ask that.",
  "So, the short version first.",
  "It depends a bit, but I will give you the normal case.",
  "Okay.",
  "That one comes up in every call.",
  "Let me answer that as plainly as I can.",
];

/** Questions that fit every answer. */
export const FOLLOW_UPS: readonly string[] = [
  "Can you say a little more about that?",
  "Is there anything else we should know about it?",
  "What else comes to mind?",
  "And in practice?",
  "Anything to add from your side?",
];

/** What is said to an answer. */
export const NODS: readonly string[] = [
  "Okay, that makes sense.",
  "Mm-hm. Understood.",
  "Right, thank you.",
  "Good, I have written that down.",
  "I see. That is different from what I expected, but fine.",
  "Interesting. Let us keep that in mind for later.",
  "That helps, thanks.",
  "Yes, that is what I was afraid of.",
];

/** What goes wrong on every call. */
export const TROUBLE: readonly string[] = [
  "Tomas, I think you are on mute.",
  "Sorry, my screen froze for a moment, can you still see the page?",
  "There is an echo on the line, could everyone who is not speaking mute for a second?",
];

/** And what is said to that. */
export const TROUBLE_ANSWERS: readonly string[] = [
  "Yes, sorry about that. Go on.",
  "Now it is back.",
  "Better, thank you.",
];

/** The seller who takes notes reads them back. */
export const READ_BACK_STARTS: readonly string[] = [
  "Let me take {topic}.",
  "On {topic} I have the following.",
  "Then we talked about {topic}.",
  "The next page is {topic}.",
];

/** Before a noted question. */
export const READ_BACK_QUESTIONS: readonly string[] = [
  "Asked was:",
  "The question was:",
  "I have this question here:",
  "Next one:",
];

/** Before a noted answer. */
export const READ_BACK_ANSWERS: readonly string[] = [
  "What I noted as the answer is:",
  "And the answer was:",
  "I wrote down:",
  "What was said to that:",
];

/** Before a noted doubt. */
export const READ_BACK_DOUBTS: readonly string[] = [
  "As a concern I have:",
  "Marked in red:",
  "One worry that I underlined:",
];

/** What the buyers say to the notes. */
export const CONFIRMATIONS: readonly string[] = [
  "That is how I remember it, too.",
  "Correct. Please leave the red ones red.",
  "Yes, that is complete from my side.",
  "Fine. I would only add that we want to see it in the pilot.",
  "Agreed.",
];
