// Saves rows to a file and reads them back; a later run finds the file, too.
import * as docs from "./servers/docs";

const path = "./workspace/pending-orders.csv";
const { rows } = await docs.getSheet({ sheet_id: "orders-2026" });
const pending = rows.filter((row) => row.Status === "pending");
const lines = pending.map(({ Order, Lead, Amount }) => [Order, Lead, Amount].join(","));
await fs.writeFile(path, ["Order,Lead,Amount", ...lines].join("\n"));

const saved = await fs.readFile(path, "utf8");
const amounts = saved.split("\n").slice(1).map((line) => Number(line.split(",")[2]));
const dollars = Math.round(amounts.reduce((sum, amount) => sum + amount, 0));
console.log(`${path} holds ${amounts.length} pending orders, worth $${dollars} together.`);

export default { path, orders: amounts.length, dollars };
