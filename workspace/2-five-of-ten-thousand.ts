// Looks through 10,000 orders and prints the five that matter.
import * as docs from "./servers/docs";

const { rows } = await docs.getSheet({ sheet_id: "orders-2026" });
const urgent = rows.filter((row) => row.Status === "pending" && row.Amount >= 6_000);

console.log(`${rows.length} orders, ${urgent.length} of them pending and worth $6,000 or more:`);
for (const { Order, Ordered, Amount, Customer } of urgent) {
  console.log(`${Order}  ${Ordered}  $${Amount.toFixed(2)}  ${Customer}`);
}

export default urgent.map((row) => row.Order);
