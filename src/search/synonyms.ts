import { stemOf } from "./words.ts";

/**
 * Words of this field that stand for each other, one group a line; after `>` stand words that those before it call for, and not the
 * other way. Groups, not pairs: what a server names `remove` another names `delete`. Written from what published servers are
 * about in general, and tried on labelled queries only as a whole (`docs/search.md`).
 */
const GROUPS = `
create add new make generate insert build
delete remove drop erase clear destroy
get fetch retrieve read show view obtain load open
search find query lookup discover
update edit modify change set patch alter
list enumerate browse
send post publish submit deliver
save write store export persist
call run execute invoke trigger start launch
stop abort cancel kill terminate
copy duplicate clone
move rename transfer
upload attach
download pull
compare diff
merge combine join concatenate
convert transform export converter
translate translation
summarize summary summarise
analyze analyse analysis
validate verify check lint
compute calculate evaluate math arithmetic
draw render plot paint
extract scrape scraper crawl crawler parse
approve accept confirm
assign reassign owner assignee
schedule plan
subscribe follow watch
deploy release rollout
authenticate login signin auth
pr pull
mr merge
repository repo
branch ref
issue ticket bug defect
commit revision changeset
directory folder dir
document doc word docx
docs documentation guide manual
code source script program
function method
library package dependency module
calendar event meeting appointment
mail email message inbox
chat message channel conversation
customer client account
lead prospect
deal opportunity
task todo
project board
note memo
spreadsheet excel xlsx sheet workbook xls csv
row record entry
column field
database db sql table
schema structure
presentation ppt pptx powerpoint slide deck
picture image photo png jpg jpeg screenshot
chart graph plot diagram visualize visualization
pie percentage share
location place address geocode coordinates
route direction navigate itinerary
trip travel route itinerary
nearby near around surrounding
map location
hotel homestay accommodation airbnb lodging stay
flight airline airport
train rail railway
weather forecast temperature climate
news headline article
trend trending hot popular rank ranking
stock share ticker equity
price quote cost pricing fee
exchange currency rate
crypto cryptocurrency bitcoin btc ethereum eth coin
finance financial market
revenue income statement earnings
invoice bill
payment charge
order purchase
product item
paper article publication arxiv research scholarly
book novel
webpage website url page site link web
browser browse chrome playwright puppeteer
video youtube clip
transcript subtitle caption transcription
audio sound music song
time date clock
timezone time
today tomorrow yesterday now tonight > current date time
recipe meal dish food cook
container docker
kubernetes k8s cluster
server host machine
log logs trace
metric monitor monitoring
alert alarm notification
secret credential password key
environment env
config configuration setting
detail information info metadata description
parameter argument input option
statistics stats metric
comment reply
review feedback
label tag
status state
history past log
version release
dns domain whois
llm ai model
md markdown txt > file
md markdown
buy purchase shop shopping > product browser web search
memory remember knowledge
random sample pick`;

/** How much a word counts that stands for the query's own. */
const LIKENESS = 0.7;

/** For each stem the stems that stand for it, with what they count (below 1). */
export const SYNONYMS: ReadonlyMap<string, readonly (readonly [stem: string, likeness: number])[]> =
  readGroups();

function readGroups(): ReadonlyMap<string, readonly (readonly [string, number])[]> {
  const found = new Map<string, Set<string>>();
  for (const line of GROUPS.split("\n")) {
    const [left = "", right = left] = line.split(">");
    const others = right.trim().split(/\s+/).map(stemOf);
    for (const stem of left.trim().split(/\s+/).map(stemOf)) {
      const known = found.get(stem) ?? new Set();
      for (const other of others) if (other !== stem) known.add(other);
      found.set(stem, known);
    }
  }
  return new Map(
    Array.from(found, ([stem, others]) => [stem, [...others].map((other) => [other, LIKENESS])]),
  );
}
