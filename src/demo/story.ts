/** One chapter of what `mcpfs demo` plays. */
export interface Chapter {
  readonly title: string;
  /** The script below `templates/demo/`; it is copied to the root of the demo's workspace under the same name. */
  readonly file: string;
  /** What the chapter shows, in plain English: printed before the script runs. */
  readonly says: string;
}

/** The chapters in the order in which they are played. Each script is a run of its own and needs none before it. */
export const STORY: readonly Chapter[] = [
  {
    title: "A transcript goes into the CRM",
    file: "1-transcript-into-crm.ts",
    says: "The script reads the transcript of a two-hour call from one server and writes it to another. The model sees two lines of it.",
  },
  {
    title: "Five rows of ten thousand",
    file: "2-five-of-ten-thousand.ts",
    says: "The sheet has 10,000 orders. The script looks through all of them in the sandbox, and five come back.",
  },
  {
    title: "A call fails, and a loop waits",
    file: "3-errors-and-waiting.ts",
    says: "A tool that answers with an error throws, so try and catch work as always. Then the script waits for a deployment in a loop with setTimeout.",
  },
  {
    title: "Files stay",
    file: "4-save-and-read-back.ts",
    says: "What a script writes below ./workspace/ is there for the next run. Nothing outside that folder can be read or written.",
  },
];
