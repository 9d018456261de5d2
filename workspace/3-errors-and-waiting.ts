// Goes on after a call that fails, and waits for a deployment without asking the model in between.
import { MCPToolError } from "./client";
import * as crm from "./servers/crm";
import * as docs from "./servers/docs";

try {
  await crm.exportReport({ report: "pipeline" });
} catch (error) {
  if (!(error instanceof MCPToolError)) throw error;
  console.log(`${error.code} from ${error.server}/${error.tool}: ${error.message}`);
}
const { total } = await crm.query({ object_type: "Lead", where: { Stage: "qualified" }, limit: 1 });
console.log(`Counted in the script instead: ${total} qualified leads.`);

let looks = 0;
for (let isComplete = false; !isComplete; looks += 1) {
  if (looks > 0) await new Promise((resolve) => setTimeout(resolve, 200));
  const { messages } = await docs.getChannelHistory({ channel: "deployments" });
  isComplete = messages.some((message) => message.text.includes("deployment complete"));
}
console.log(`The deployment is complete; it took ${looks} looks.`);

export default { qualified: total, looks };
