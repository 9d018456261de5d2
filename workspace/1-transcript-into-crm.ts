// Puts the transcript of a sales call into the CRM. It goes from one server to the other, and never past the model.
import * as crm from "./servers/crm";
import * as docs from "./servers/docs";

const { title, content } = await docs.getDocument({ document_id: "call-2026-09-14" });
const { record_id, version } = await crm.updateRecord({
  object_type: "SalesMeeting",
  record_id: "M-0914",
  data: { Notes: content },
});

const actions = content.split("\n").filter((line) => line.includes("Action item"));
console.log(`"${title}": ${content.length} characters are now in ${record_id}.`);
console.log(`It holds ${actions.length} action items; the first: ${actions[0]}`);

export default { record_id, version, actions: actions.length };
