import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { showCallProgress } from "../../src/cli/progress.ts";
import { createStatusLine } from "../../src/cli/status-line.ts";
import type { ServerName } from "../../src/model/names.ts";

test("the status line is one line without controls, whatever a server is called", () => {
  const stderr = new PassThrough();
  const status = createStatusLine({ stderr, isTerminal: true }, () => true);
  const server = `\u001b]0;title\u0007\nx${"y".repeat(200)}` as ServerName;
  showCallProgress(status, {
    server,
    what: "get",
    done: 1,
    total: undefined,
    message: "\u001b[2J",
    isOver: false,
  });
  const text = String(stderr.read());
  expect(text).toMatch(/^\r\u001b\[K\\u\{1b\}\]0;title\\u\{7\} xy+…$/);
  expect(text.length).toBeLessThan(90);
});
