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

/** The first half of the sales call: what the product does. Words in braces are filled in by the transcript. */
export const PRODUCT_TOPICS: readonly CallTopic[] = [
  {
    name: "how orders come in today",
    exchanges: [
      [
        "Before we show anything, could you walk us through what happens between a customer's order and the truck leaving {site}?",
        "The regional desks collect everything until {hour}, then one person pastes it into the planning sheet.",
      ],
      [
        "How many of those orders still arrive by e-mail or on paper?",
        "On a normal {day} we take in about {hundreds} orders, and roughly {tens} percent of them are typed in by hand.",
      ],
      [
        "Who touches an order before it is released, and how often does it come back?",
        "Every order from the hospitality side is checked twice, because the price lists there change every {n} weeks.",
      ],
      [
        "What happens when somebody changes an order after the cut-off at {hour}?",
        "Changes after the cut-off are phoned through to {site}, and honestly, about one in {tens} gets lost.",
      ],
      [
        "Where do you see the most manual work at the moment?",
        "The planner at {site} keeps her own spreadsheet on top of ours, so there are always two versions of the truth.",
      ],
      [
        "If a line is short, who decides what the customer gets instead?",
        "Short lines are settled by whoever picks up the phone first, which is not a process I am proud of.",
      ],
    ],
    details: [
      "In {month} we had {n} days on which the first truck left more than {tens} minutes late for that reason.",
      "The sheet has {tens} columns by now and nobody dares to delete one.",
      "We tried to fix it with a shared inbox, and that simply moved the queue somewhere else.",
      "The chilled range is worse, since anything that waits past {hour} loses a day of shelf life.",
      "Two people left in {month}, and with them went most of the knowledge about the exceptions.",
      "We do have numbers on that; I can send them to you after the call.",
      "It got better when we opened the second dock at {site}, but not by much.",
    ],
    doubts: [
      [
        "What I would not want is another screen that the desks have to look at in addition to everything else.",
        "That is a fair concern, and it is the reason why the inbox view replaces the sheet instead of sitting next to it.",
      ],
      [
        "My fear is that we automate the easy {tens} percent and the rest becomes even harder to see.",
        "Understood. We usually start with one desk and one product group, and only widen it when the numbers hold.",
      ],
      [
        "The desks have been promised a new tool {n} times already, so expect some crossed arms.",
        "We would rather show your planner her own exceptions on day one than a clean demo with invented ones.",
      ],
    ],
    promises: ["Then let us put that on the list of things the pilot has to prove."],
  },
  {
    name: "the order inbox",
    exchanges: [
      [
        "Can the inbox read the attachments that our hospitality customers send, the ones with {n} tabs?",
        "Yes, every attachment is read line by line, and whatever is uncertain is marked in yellow with the reason beside it.",
      ],
      [
        "What does a desk see when the system is not sure about a line?",
        "A yellow line with the reason beside it, and the order waits until somebody has looked at it.",
      ],
      [
        "Is it possible to correct a line without opening the whole order?",
        "You can fix a single line in place, and the correction is remembered for that customer only.",
      ],
      [
        "How does it learn that 'the usual' means {tens} crates and not {n}?",
        "For repeat orders we look at the last {tens} deliveries of that customer and suggest, we never decide.",
      ],
      [
        "Can two people work on the same order at once?",
        "If two people open the same order, the second one sees who is in it and can watch or take over.",
      ],
      [
        "Do you keep the original message next to what was read from it?",
        "The original stays attached for {n} years, and each line points at the words it came from.",
      ],
    ],
    details: [
      "Nothing is released by the inbox on its own unless you set a rule that says so.",
      "At a dairy of about your size, {tens} percent of the lines went through untouched after {n} weeks.",
      "Let me share my screen for a second so that you can see the yellow lines.",
      "What you are looking at now is a copy with invented names, but the layout is the real one.",
      "The number in the corner is the count of open questions, not of orders.",
      "You can sort by departure time, which is what most planners do before {hour}.",
      "There is a shortcut for everything; the experienced people hardly touch the mouse.",
      "It works in the browser on the old terminals at {site} as well, we checked that last week.",
    ],
    doubts: [
      [
        "Our customers write product names in ways you would not believe, in {n} languages.",
        "Send us {tens} of the worst messages you have, and we will run them before the next call.",
      ],
      [
        "If it guesses wrong on an allergen-free product, that is not a typo, that is a recall.",
        "For allergens we have a hard rule: a guess is never good enough, a person has to confirm, every time.",
      ],
      [
        "Some of those terminals are {n} years old and nobody is going to replace them this year.",
        "It runs in browsers that old; what they need is memory, and that is about {tens} dollars per terminal.",
      ],
    ],
    promises: [
      "That is exactly the sort of case we want in the pilot, so please do not clean up anything for us.",
      "We can switch suggestions off per product group, and I would start with allergens switched off.",
    ],
  },
  {
    name: "stock and substitutions",
    exchanges: [
      [
        "Where would the stock figures come from, the warehouse system or the planning sheet?",
        "We read the warehouse system every {n} minutes and show the age of each figure right beside it.",
      ],
      [
        "How old may a stock figure be before you stop trusting it?",
        "If a figure is older than {tens} minutes, the inbox stops suggesting and says why.",
      ],
      [
        "Can we say that a certain customer never gets a substitute?",
        "Substitution rules are kept per customer and per product group, and 'never' is a perfectly good rule.",
      ],
      [
        "What happens if {site} and the cross-dock both promise the last pallet?",
        "A promise reserves the stock at once, so the second desk sees it as gone within {n} seconds.",
      ],
      [
        "Does the customer hear about a substitution before the truck leaves?",
        "The customer gets a message with the proposal and can answer until {hour}; silence means no.",
      ],
    ],
    details: [
      "The rules are plain sentences; your planner can read and change them without us.",
      "One of your colleagues in dairy has {hundreds} such rules, most of them written in the first month.",
      "We learned the hard way not to mix counted stock and calculated stock in one column.",
      "You would see it on this page here, at the bottom, under open promises.",
      "For the cross-dock we would need one more feed; Tomas and I have talked about that already.",
      "It is the part of the product that changed most since {month}.",
    ],
    doubts: [
      [
        "Our stock count is only right on {day} morning, if I am honest.",
        "We can show the difference between counted and calculated stock, that usually starts the right conversation.",
      ],
      [
        "The chefs call us personally when they get the wrong cream, and they do not call gently.",
        "Then we start with proposals only, and a person at {site} confirms each of them for the first {n} weeks.",
      ],
      [
        "I do not want the system to promise something that is still on a ferry.",
        "Goods in transit are never promised unless you say so for that product.",
      ],
    ],
    promises: ["I have written that down as a condition and not as a wish."],
  },
  {
    name: "routes and departure times",
    exchanges: [
      [
        "Do you plan the routes as well, or do you take them from our carrier?",
        "We take the routes from the carrier, and we only tell them early what is likely to change.",
      ],
      [
        "What does the driver see if an order changes at the last minute?",
        "Drivers get a note on the phone they already have, there is no new device to buy.",
      ],
      [
        "Could we hold a truck for {n} minutes when one large order is still open?",
        "A hold is a decision of the dispatcher; the system shows what it would cost in minutes for every later stop.",
      ],
      [
        "How would the dock at {site} know what to load first?",
        "The loading list is ordered by the last stop first and refreshes until the doors are closed.",
      ],
      [
        "Is there a limit on the number of stops?",
        "We have carriers with {tens} stops on one tour, so your {n} to {tens} are well within what we see every day.",
      ],
    ],
    details: [
      "The dock at {site} would get one screen, and it shows nothing but the next {n} pallets.",
      "The carrier's file comes in at {hour} and we compare it with what we expected.",
      "We had a customer who saved {tens} minutes per tour simply by seeing the changes earlier.",
      "If the file does not come, the dispatcher gets a call and not an e-mail.",
      "That report is the one that made their carrier change the contract.",
      "It also tells you which customers are never ready when the truck arrives.",
    ],
    doubts: [
      [
        "Our carrier is not exactly quick with anything technical.",
        "For the carrier a plain file is enough, we have done that with {n} of them.",
      ],
      [
        "The dock team will ask why they need a screen when the paper list has always worked.",
        "Paper stays possible; the list prints exactly what the screen shows, with a time on it.",
      ],
      [
        "Holding a truck for one customer makes {n} others angry, and they remember.",
        "Then let us agree that holds are off in the pilot, and we look at the numbers afterwards.",
      ],
    ],
    promises: ["I would invite someone from the dock to the next call, they usually ask the best questions."],
  },
  {
    name: "reporting for operations",
    exchanges: [
      [
        "What would I see on a {day} morning without asking anyone?",
        "You get one page: late departures, short lines, corrections by hand, each compared with the last {n} weeks.",
      ],
      [
        "Can I get the same numbers for {site} alone?",
        "You can filter by site, desk, customer or product group, and save that as your own page.",
      ],
      [
        "How far back do the reports go?",
        "The history starts with the day you start; we can load {n} months of your old sheet for comparison.",
      ],
      [
        "Could finance use these figures, or are they only good for operations?",
        "Finance usually takes the weekly file, which has one row per order and nothing that has been averaged.",
      ],
      [
        "Is there a way to get them as a file every week?",
        "The weekly file can go to a folder or to a mailbox such as reports@example.com, whatever you prefer.",
      ],
    ],
    details: [
      "Every number opens the orders behind it, so nobody has to take a percentage on trust.",
      "There is no traffic light on it, on purpose; people started to manage the colour.",
      "The definition of late is yours, and it is printed on the page.",
      "I can leave this example with you, it has {hundreds} invented orders in it.",
      "The page is the same for everyone, there is no special version for managers.",
      "We changed the corrections chart in {month} because it was easy to misread.",
    ],
    doubts: [
      [
        "We have had reports before that nobody could explain after {n} weeks.",
        "Every figure has its definition one click away, including the rows that were left out.",
      ],
      [
        "If corrections by hand are counted per person, the works council will stop it right there.",
        "Corrections are counted per desk and per customer, never per person, and that cannot be switched on.",
      ],
      [
        "I need to be able to defend every figure in front of the board.",
        "Then we should go through one week of your own data together before you show it to anyone.",
      ],
    ],
    promises: ["Happy to write that into the agreement if it helps with the council."],
  },
  {
    name: "returns and credit notes",
    exchanges: [
      [
        "If a crate comes back from a customer, does the inbox know about it?",
        "The driver notes it at the stop, and it appears beside the order with the reason within {n} minutes.",
      ],
      [
        "Who decides whether there is a credit note?",
        "You set a limit, say {tens} dollars; below it the desk decides, above it the case goes to finance.",
      ],
      [
        "Can we see which products come back again and again?",
        "Yes, by product, by customer and by tour, and the third one is the one that surprises people.",
      ],
      [
        "What about complaints that arrive a week later?",
        "They are tied to the original order as long as that is kept, so the desk sees what was loaded and when.",
      ],
      [
        "Does a return change the stock figure?",
        "Only after somebody at {site} has looked at the goods; until then it is shown as on its way back.",
      ],
    ],
    details: [
      "A photo can be attached, and most drivers do that without being asked.",
      "In our own numbers about one return in {n} was a wrong line, not a bad product.",
      "The credit note itself stays in your accounting, we only deliver the reason and the amount.",
      "Before {month} this was a separate module, now it is part of the inbox.",
      "You can also say that certain products never come back, for reasons of hygiene.",
      "The reasons are a short list of {n}; every longer list we tried was not used.",
    ],
    doubts: [
      [
        "Some of our customers return things on {day} simply because they ordered too much.",
        "Then you will see it in the report by customer, and you can talk to them with numbers in hand.",
      ],
      [
        "Drivers will not type anything, they have {n} minutes per stop.",
        "Two taps and a photo, that is all; we have watched the clock on that one.",
      ],
      [
        "Today finance finds out about credits when the quarter is closed.",
        "With this you find out on the same evening, at {hour} at the latest.",
      ],
    ],
    promises: ["We will put returns into the pilot from the first day, if the drivers agree."],
  },
];
